// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.crosstie.multirail.connection.Connection;
import io.crosstie.multirail.event.NodeEvent.RailChanged;
import io.crosstie.multirail.event.NodeEvent.Superseded;
import io.crosstie.multirail.event.NodeEvent.Unknown;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The application's types say what those of the core say. */
final class CoreNamesTest {
  static List<Arguments> enums() {
    return List.of(
        Arguments.of(EndpointCounter.class, io.crosstie.multirail.event.EndpointCounter.class),
        Arguments.of(
            ConnectionCounter.class, io.crosstie.multirail.connection.ConnectionCounter.class),
        Arguments.of(RailCounter.class, io.crosstie.multirail.path.RailCounter.class),
        Arguments.of(PortCounter.class, io.crosstie.transport.PortCounter.class),
        Arguments.of(RailState.class, io.crosstie.multirail.event.RailState.class),
        Arguments.of(Peer.State.class, Connection.State.class),
        Arguments.of(Priority.class, io.crosstie.reliability.channel.Priority.class),
        Arguments.of(
            MessageHandler.Action.class,
            io.crosstie.reliability.channel.MessageHandler.Action.class));
  }

  @ParameterizedTest
  @MethodSource("enums")
  void constantsAreTheCores(Class<? extends Enum<?>> ours, Class<? extends Enum<?>> core) {
    assertEquals(names(core), names(ours));
  }

  private static List<String> names(Class<? extends Enum<?>> type) {
    return Stream.of(type.getEnumConstants()).map(Enum::name).toList();
  }

  /** Each event of the core has one of the same name and components here. */
  @Test
  void eventsAreTheCores() {
    for (Class<?> core : io.crosstie.multirail.event.NodeEvent.class.getPermittedSubclasses()) {
      List<? extends Class<?>> ours =
          Stream.of(NodeEvent.class.getPermittedSubclasses())
              .filter(type -> type.getSimpleName().equals(core.getSimpleName()))
              .toList();
      assertEquals(1, ours.size(), core::toString);
      assertEquals(components(core), components(ours.getFirst()));
    }
  }

  private static List<String> components(Class<?> record) {
    List<String> names = new ArrayList<>();
    for (RecordComponent component : record.getRecordComponents()) {
      names.add(component.getType().getSimpleName() + " " + component.getName());
    }
    return names;
  }

  @Test
  void eventsKeepWhatTheySay() {
    assertEquals(
        new NodeEvent.RailChanged("b", 3, "a-b", RailState.SUSPECT, RailState.DOWN, "silence", 7),
        Translation.of(
            new RailChanged(
                "b",
                3,
                "a-b",
                io.crosstie.multirail.event.RailState.SUSPECT,
                io.crosstie.multirail.event.RailState.DOWN,
                "silence",
                7)));
    assertEquals(
        new NodeEvent.Superseded("b", "why", List.of(new NodeEvent.Unknown(1, 2, 3))),
        Translation.of(new Superseded("b", "why", List.of(new Unknown(1, 2, 3)))));
  }

  @Test
  void countersAreReadNotCopied() {
    var core = new io.crosstie.transport.Counters<>(io.crosstie.multirail.path.RailCounter.class);
    Counters<RailCounter> counters = new CoreCounters<>(RailCounter.class, core);
    core.add(io.crosstie.multirail.path.RailCounter.SPURIOUS, 3);
    assertEquals(3, counters.get(RailCounter.SPURIOUS));
    assertEquals(3, Arrays.stream(RailCounter.values()).mapToLong(counters::get).sum());
    assertSame(RailCounter.class, counters.type());
    assertEquals(counters, new CoreCounters<>(RailCounter.class, core));
    assertNotEquals(
        counters,
        new CoreCounters<>(
            RailCounter.class,
            new io.crosstie.transport.Counters<>(io.crosstie.multirail.path.RailCounter.class)));
  }
}

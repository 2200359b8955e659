// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.observability;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.messaging.NodeEvent;
import io.crosstie.messaging.RailState;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import jdk.jfr.EventType;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What happens to a node stands in a recording. */
final class FlightRecorderTapTest {
  private static final String PREFIX = "io.crosstie.";

  @TempDir Path folder;

  private interface Scene {
    void play() throws Exception;
  }

  /** The events of ours that were recorded meanwhile. */
  private List<RecordedEvent> record(Scene scene) throws Exception {
    Path file = folder.resolve("recording.jfr");
    try (Recording recording = new Recording()) {
      recording.start();
      scene.play();
      recording.stop();
      recording.dump(file);
    }
    return read(file);
  }

  private static List<RecordedEvent> read(Path file) throws IOException {
    return RecordingFile.readAllEvents(file).stream()
        .filter(event -> event.getEventType().getName().startsWith(PREFIX))
        .toList();
  }

  private static List<RecordedEvent> named(List<RecordedEvent> events, String name) {
    return events.stream()
        .filter(event -> event.getEventType().getName().equals(PREFIX + name))
        .toList();
  }

  private static boolean saw(List<NodeEvent> events, RailState from, RailState to) {
    return events.stream()
        .anyMatch(
            event ->
                event instanceof NodeEvent.RailChanged changed
                    && changed.from() == from
                    && changed.to() == to);
  }

  @Test
  void recordsFailoverFailbackCorruptionAndPortRestart() throws Exception {
    List<FaultyUdp.Faults> faults = FaultyUdp.FAULTS; // of both nodes; 0 and 1 are those of b
    faults.clear();
    List<String> rails = List.of(FaultyUdp.RAIL, FaultyUdp.RAIL);
    List<RecordedEvent> events =
        record(
            () -> {
              try (Pair pair =
                  new Pair(
                      rails,
                      UnaryOperator.identity(),
                      config -> config.eventTap(new FlightRecorderTap()))) {
                pair.up(2);
                pair.traffic(20);

                faults.get(0).lose = true;
                faults.get(2).lose = true;
                pair.trafficUntil(
                    "failover", () -> saw(pair.eventsOfA, RailState.SUSPECT, RailState.DOWN));
                faults.get(0).lose = false;
                faults.get(2).lose = false;
                pair.trafficUntil(
                    "fail-back", () -> saw(pair.eventsOfA, RailState.PROBING, RailState.ACTIVE));

                pair.trafficUntil(
                    "a payload that is corrupt",
                    () -> {
                      faults.get(2).damageNext = true; // a probe or a repeat may be the next one
                      faults.get(3).damageNext = true;
                      return pair.eventsOfA.stream()
                          .anyMatch(event -> event instanceof NodeEvent.PayloadCorrupt);
                    });
                faults.get(2).damageNext = false;
                faults.get(3).damageNext = false;

                faults.get(2).closeNext = true;
                pair.trafficUntil(
                    "the port open again",
                    () ->
                        pair.eventsOfA.stream()
                            .anyMatch(
                                event ->
                                    event instanceof NodeEvent.PortChanged port && port.open()));

                pair.b.close(Duration.ZERO);
                pair.until(
                    "b is gone",
                    () ->
                        pair.eventsOfA.stream()
                            .anyMatch(event -> event instanceof NodeEvent.PeerClosed));
              }
            });
    assertTrue(events.stream().allMatch(event -> event.getString("node").equals("a")));
    assertEquals(1, named(events, "PeerUp").size());
    RecordedEvent failover = named(events, "Failover").getFirst();
    assertEquals("b", failover.getString("peer"));
    assertTrue(failover.getDuration("gap").isPositive(), failover::toString);
    RecordedEvent failback = named(events, "Failback").getFirst();
    assertEquals(failover.getInt("rail"), failback.getInt("rail"));
    assertEquals(failover.getString("railName"), failback.getString("railName"));
    assertTrue(
        failback.getDuration("away").compareTo(failover.getDuration("gap")) > 0,
        failover + " " + failback);
    assertTrue(
        named(events, "RailStateChanged").stream()
            .anyMatch(
                event ->
                    event.getString("from").equals("SUSPECT")
                        && event.getString("to").equals("DOWN")
                        && !event.getString("cause").isEmpty()
                        && event.getDuration("gap").isPositive()));
    assertTrue(!named(events, "CrcFailure").isEmpty());
    assertTrue(!named(events, "PortFailed").isEmpty());
    assertTrue(!named(events, "PortRestarted").isEmpty());
    assertEquals("b", named(events, "PeerClosed").getFirst().getString("peer"));
  }

  @Test
  void recordsWhatHappensSeldom() throws Exception {
    FlightRecorderTap tap = new FlightRecorderTap();
    List<NodeEvent.Unknown> unknown =
        List.of(new NodeEvent.Unknown(1, 5, 5), new NodeEvent.Unknown(2, 1, 10));
    List<RecordedEvent> events =
        record(
            () -> {
              tap.onEvent("n", new NodeEvent.SelfPaused("", 3_000_000_000L));
              tap.onEvent("n", new NodeEvent.PeerLost("p", "silent", unknown));
              tap.onEvent("n", new NodeEvent.PeerRestarted("p", 1, 2, unknown));
              tap.onEvent("n", new NodeEvent.PortChanged("", "shm:", false, "full"));
              tap.onEvent("n", new NodeEvent.ChannelOpenedByPeer("p", 1, 7));
            });
    assertEquals(4, events.size(), events::toString);
    assertEquals(Duration.ofSeconds(3), named(events, "SelfPause").getFirst().getDuration("pause"));
    RecordedEvent lost = named(events, "PeerLost").getFirst();
    assertEquals("silent", lost.getString("cause"));
    assertEquals(11, lost.getLong("unknownMessages"));
    RecordedEvent restarted = named(events, "PeerRestarted").getFirst();
    assertEquals(1, restarted.getLong("oldIncarnation"));
    assertEquals(2, restarted.getLong("newIncarnation"));
    assertEquals("full", named(events, "PortFailed").getFirst().getString("cause"));
  }

  @Test
  void nothingIsRecordedWhenSwitchedOff() throws Exception {
    Path file = folder.resolve("off.jfr");
    try (Recording recording = new Recording()) {
      recording.disable(JfrEvents.SelfPause.class);
      recording.start();
      new FlightRecorderTap().onEvent("n", new NodeEvent.SelfPaused("", 1));
      recording.stop();
      recording.dump(file);
    }
    assertEquals(List.of(), read(file));
  }

  @Test
  void everyEventHasNameLabelAndCategory() {
    Set<String> names = new TreeSet<>();
    for (Class<?> type : JfrEvents.class.getDeclaredClasses()) {
      if (!java.lang.reflect.Modifier.isAbstract(type.getModifiers())) {
        FlightRecorder.register(type.asSubclass(jdk.jfr.Event.class));
        EventType event = EventType.getEventType(type.asSubclass(jdk.jfr.Event.class));
        assertEquals(PREFIX + type.getSimpleName(), event.getName());
        assertNotNull(event.getLabel());
        assertEquals(List.of("Crosstie"), event.getCategoryNames(), event::getName);
        assertNotNull(event.getField("node"));
        names.add(event.getName());
      }
    }
    assertEquals(11, names.size(), names::toString);
  }
}

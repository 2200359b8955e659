// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import io.crosstie.multirail.Endpoint;
import io.crosstie.multirail.port.NewPort;
import io.crosstie.transport.RailException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;

/** Opens a node's rails and knows them by name. */
final class NodeRails {

  /** The scheme of rails that may be missing, since others make up for them. */
  private static final String OPTIONAL = "shm";

  private final NodeConfig config;
  private final long incarnation;
  private final Endpoint endpoint;
  private final RandomGenerator random;
  private final EventQueue events;
  private final LongSupplier clock;

  NodeRails(
      NodeConfig config,
      long incarnation,
      Endpoint endpoint,
      RandomGenerator random,
      EventQueue events,
      LongSupplier clock) {
    this.config = config;
    this.incarnation = incarnation;
    this.endpoint = endpoint;
    this.random = random;
    this.events = events;
    this.clock = clock;
  }

  /** Before the engine starts. */
  void openConfigured() {
    List<String> failed = new ArrayList<>();
    for (RailSpec rail : config.railSpecs()) {
      try {
        int unused = add(endpoint.openPort(opener(rail)));
      } catch (RailException e) {
        // Shared memory may be full or forbidden, and the default rails are only a try.
        boolean misconfigured = e.getCause() instanceof IllegalArgumentException;
        CrosstieException told = cannotOpen(rail, e);
        if (misconfigured || !(config.hasDefaultRails() || rail.scheme().equals(OPTIONAL))) {
          throw told;
        }
        String why = String.valueOf(told.getMessage());
        failed.add(why);
        log()
            .log(
                System.Logger.Level.WARNING,
                () -> "node " + config.name() + " goes on without a rail: " + why);
        events.add(new NodeEvent.PortChanged("", rail.toString(), false, why));
      }
    }
    if (failed.size() == config.railSpecs().size()) {
      throw new CrosstieException(
          "node " + config.name() + " has no rail: " + String.join("; ", failed));
    }
  }

  /** On the engine's thread, or before it starts. */
  int add(NewPort opened) {
    return endpoint.addPort(opened, clock.getAsLong());
  }

  /** What opens a rail of this node. */
  ConfiguredRail opener(RailSpec rail) {
    return new ConfiguredRail(
        rail,
        config.drivers().choose(rail),
        config.name(),
        incarnation,
        config.foundAccelerator(),
        random);
  }

  /** Beside the engine, or before it starts: takes as long as a name server does. */
  NewPort open(RailSpec rail, ConfiguredRail opener) {
    try {
      return endpoint.openPort(opener);
    } catch (RailException e) {
      throw cannotOpen(rail, e);
    }
  }

  /** All that it tells stands in the message; so the stack is not shown for that, too. */
  private CrosstieException cannotOpen(RailSpec rail, RailException e) {
    String why = String.valueOf(e.getMessage());
    String named = "rail \"" + rail + "\": ";
    return new CrosstieException(
        "cannot open rail \""
            + rail
            + "\" of node "
            + config.name()
            + ": "
            + (why.startsWith(named) ? why.substring(named.length()) : why),
        null,
        e.errno());
  }

  /** On the engine's thread. */
  void remove(int index) {
    endpoint.removePort(index, clock.getAsLong());
  }

  /** The ports that were not removed. */
  List<PortInfo> ports() {
    return endpoint.ports().stream().map(PortInfo::of).toList();
  }

  void checkExists(int index) {
    if (ports().stream().noneMatch(port -> port.index() == index)) {
      throw new CrosstieException(
          "node " + config.name() + " has no rail " + index + "; " + describe());
    }
  }

  int indexOf(String uri) {
    List<PortInfo> found = ports().stream().filter(port -> port.name().equals(uri)).toList();
    if (found.size() != 1) {
      throw new CrosstieException(
          "node "
              + config.name()
              + " has "
              + (found.isEmpty() ? "no rail" : found.size() + " rails")
              + " \""
              + uri
              + "\"; "
              + (found.isEmpty() ? "" : "say which by its index in ports(). ")
              + describe());
    }
    return found.getFirst().index();
  }

  /** For a person. */
  String describe() {
    return ports().stream()
        .map(
            port ->
                port.name() + (port.open() ? " (open at " + port.address() + ")" : " (not open)"))
        .collect(Collectors.joining(", ", "Rails of this node: ", "."));
  }

  /** Asked for when there is something to log: to find the system's loggers takes a while. */
  private static System.Logger log() {
    return System.getLogger("io.crosstie");
  }
}

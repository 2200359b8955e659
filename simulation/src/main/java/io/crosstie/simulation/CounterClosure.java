// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.simulation;

import io.crosstie.multirail.Endpoint;
import io.crosstie.multirail.connection.Connection;
import io.crosstie.multirail.connection.ConnectionCounter;
import io.crosstie.multirail.connection.ConnectionRails;
import io.crosstie.multirail.event.EndpointCounter;
import io.crosstie.multirail.path.RailCounter;
import io.crosstie.simulation.Scenario.FaultKind;

/**
 * Invariant 11: what one side sent, what the network did to it, and what the other side received
 * add up, to the packet.
 */
final class CounterClosure {
  private final Simulation simulation;

  CounterClosure(Simulation simulation) {
    this.simulation = simulation;
  }

  void check() {
    for (SimLink link : simulation.network().links()) {
      if (link.underWay() < 0) {
        throw new Violation("11 counters", link + " delivered more than it was given");
      }
    }
    boolean restarted =
        simulation.scenario().faults().stream().anyMatch(f -> f.kind() == FaultKind.RESTART);
    for (SimProcess process : simulation.processes()) {
      Endpoint e = process.endpoint();
      if (e != null && !restarted) { // the counters of the dead are gone
        received(process, e);
      }
      for (Connection c : process.liveConnections()) {
        for (ConnectionRails.RailInfo rail : c.rails()) {
          rail(process, c, rail);
        }
      }
    }
  }

  /** Everything that a port handed up came into the endpoint. */
  private static void received(SimProcess process, Endpoint e) {
    long handedUp = 0;
    for (SimOpener opener : process.openers()) {
      handedUp += opener.handedUp();
    }
    long in = e.counters().get(EndpointCounter.PACKETS_IN);
    if (in != handedUp) {
      throw new Violation(
          "11 counters", process.name + " counts " + in + " packets, handed up were " + handedUp);
    }
  }

  private void rail(SimProcess process, Connection c, ConnectionRails.RailInfo rail) {
    long sent = 0;
    for (SimLink link : simulation.network().links()) {
      for (RailTally tally : link.tallies()) {
        boolean its = tally.connectionId == c.peerId() && tally.rail == rail.id();
        sent += its ? tally.get(LinkCounter.SENT) : 0;
      }
    }
    long out = rail.counters().get(RailCounter.PACKETS_OUT);
    long missing = 0;
    for (SimOpener opener : process.openers()) {
      SimPortThreads threads = opener.threads();
      missing += threads == null ? 0 : threads.missing();
    }
    if (sent > out || sent + missing < out) {
      throw new Violation(
          "11 counters",
          process.name
              + " rail "
              + rail.id()
              + " to "
              + c.peerName()
              + " counts "
              + out
              + " packets out, the network got "
              + sent
              + ", ports' threads have or dropped "
              + missing);
    }
    long delivered = 0;
    long damaged = 0;
    for (SimLink link : simulation.network().links()) {
      for (RailTally tally : link.tallies()) {
        if (tally.connectionId == c.id() && tally.rail == rail.id()) {
          delivered += tally.get(LinkCounter.DELIVERED);
          damaged += tally.get(LinkCounter.HEADER_DAMAGED) + tally.get(LinkCounter.TRUNCATED);
        }
      }
    }
    long in = rail.counters().get(RailCounter.PACKETS_IN);
    long early = simulation.deliveredEarly(c, rail.id());
    long refused = c.counters().get(ConnectionCounter.PROTOCOL_ERRORS);
    long due = delivered - damaged - early;
    if (in > due || in + refused < due) {
      throw new Violation(
          "11 counters",
          process.name
              + " rail "
              + rail.id()
              + " to "
              + c.peerName()
              + " counts "
              + in
              + " packets in, delivered were "
              + delivered
              + ", unusable of them "
              + damaged
              + ", before it was up "
              + early
              + ", refused "
              + refused);
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.simulation;

import io.crosstie.multirail.Connection;
import io.crosstie.multirail.ConnectionCounter;
import io.crosstie.multirail.Endpoint;
import io.crosstie.multirail.EndpointCounter;
import io.crosstie.multirail.NodeEvent;
import io.crosstie.multirail.RailCounter;
import io.crosstie.reliability.ChannelCore;
import io.crosstie.simulation.Scenario.FaultKind;
import io.crosstie.simulation.Scenario.Kind;
import java.util.List;
import java.util.function.Function;

/**
 * What "nothing lost" means, checked after every step where that is cheap, and as a whole at the
 * end.
 */
final class Invariants {
  /** What a rail may need to learn how far its packets are reordered. */
  private static final int SPURIOUS_TO_LEARN = 8;

  private static final int SPURIOUS_FIRST_WINDOW = 40;
  private static final long LONG_DELAY_NS = 20_000_000L;
  private static final long SLOW_WINDOW_NS = 10_000_000L;

  private static final RailCounter[] AGAIN = {
    RailCounter.LOST_BY_THRESHOLD,
    RailCounter.LOST_BY_TIME,
    RailCounter.LOST_BY_TIMEOUT,
    RailCounter.REINJECTED
  };

  private final Simulation simulation;
  private final Scenario scenario;
  private final Ledger ledger;

  Invariants(Simulation simulation) {
    this.simulation = simulation;
    this.scenario = simulation.scenario();
    this.ledger = simulation.ledger();
  }

  // ---- after every step

  void afterStep(SimProcess process) {
    for (Lane lane : ledger.lanes()) {
      if (lane.senderDied || !lane.sender.equals(process.name)) {
        continue;
      }
      long accepted = lane.core.acceptedSequence();
      if (accepted < lane.lastAccepted || accepted > lane.offered) {
        throw new Violation(
            "5 data ack",
            lane
                + ": accepted went from "
                + lane.lastAccepted
                + " to "
                + accepted
                + " of "
                + lane.offered);
      }
      lane.lastAccepted = accepted;
      if (lane.receivedAtDeath >= 0) {
        if (accepted > lane.receivedAtDeath) {
          throw new Violation(
              "5 data ack",
              lane
                  + ": "
                  + accepted
                  + " accepted, but the receiver died with "
                  + lane.receivedAtDeath);
        }
      } else {
        checkReceived(lane, accepted);
      }
    }
    Endpoint e = process.endpoint();
    if (e != null && e.counters().get(EndpointCounter.INTERNAL_ERRORS) > 0) {
      throw new Violation("0 no surprise", process.name + " counted an internal error");
    }
  }

  private void checkReceived(Lane lane, long accepted) {
    ChannelCore core = lane.receiverCore;
    if (core == null) {
      core = simulation.receiverCore(lane);
    }
    long received = core == null ? 0 : core.receivedSequence();
    if (accepted > received && !(core == null && simulation.incarnationIsGone(lane))) {
      throw new Violation(
          "5 data ack", lane + ": accepted " + accepted + ", but the receiver has " + received);
    }
    if (core != null && received > lane.offered) {
      throw new Violation(
          "1 conservation", lane + ": received " + received + " of " + lane.offered + " offered");
    }
  }

  // ---- events

  void onEvent(
      SimProcess process, NodeEvent event, Function<String, List<Connection>> connections) {
    switch (event) {
      case NodeEvent.PeerLost lost -> {
        if (!simulation.mayLosePeers()) {
          throw new Violation("9 no false alarm", process.name + " hears " + lost);
        }
        ended(process, lost.peer(), lost.unknown(), connections);
      }
      case NodeEvent.PeerRestarted restarted -> {
        if (scenario.faults().stream().noneMatch(f -> f.kind() == FaultKind.RESTART)) {
          throw new Violation("6 incarnation", process.name + " hears " + restarted);
        }
        ended(process, restarted.peer(), restarted.unknown(), connections);
      }
      default -> {}
    }
  }

  /**
   * What was reported as unknown must be exactly what was offered and is not known to be accepted.
   */
  private void ended(
      SimProcess process,
      String peer,
      List<NodeEvent.Unknown> unknown,
      Function<String, List<Connection>> connections) {
    List<Connection> over =
        connections.apply(peer).stream().filter(c -> c.state().isOver()).toList();
    if (over.isEmpty()) {
      throw new Violation("1 conservation", process.name + ": an end was told of no connection");
    }
    Connection last = over.getLast();
    for (Lane lane : ledger.lanes()) {
      if (lane.connection != last || lane.ended) {
        continue;
      }
      lane.ended = true;
      for (NodeEvent.Unknown u : unknown) {
        if (u.channel() == lane.channel) {
          lane.unknownFirst = u.first();
          lane.unknownLast = u.last();
        }
      }
      long missing = lane.offered - lane.core.acceptedSequence();
      long reported = lane.unknownFirst == 0 ? 0 : lane.unknownLast - lane.unknownFirst + 1;
      if (missing != reported
          || (missing > 0 && lane.unknownFirst != lane.core.acceptedSequence() + 1)) {
        throw new Violation(
            "1 conservation",
            lane
                + ": offered "
                + lane.offered
                + ", accepted "
                + lane.core.acceptedSequence()
                + ", but unknown are "
                + lane.unknownFirst
                + " to "
                + lane.unknownLast);
      }
    }
  }

  // ---- liveness

  /** Whether everything has come to rest. */
  boolean isComplete() {
    return whatIsMissing() == null;
  }

  /** What is not complete, or null. */
  @org.jspecify.annotations.Nullable
  String whatIsMissing() {
    for (Lane lane : ledger.lanes()) {
      if (lane.senderDied || lane.ended) {
        continue;
      }
      if (simulation.isGone(lane.receiver, lane.receiverIncarnation)) {
        return lane + ": its receiver is gone, and the sender has not been told";
      }
      if (lane.delivered < lane.offered) {
        return lane + ": " + lane.delivered + " of " + lane.offered + " delivered";
      }
      if (lane.core.acceptedSequence() < lane.offered) {
        return lane
            + ": "
            + lane.core.acceptedSequence()
            + " of "
            + lane.offered
            + " known to be accepted";
      }
      if (lane.completions + lane.completionErrors < lane.lent) {
        return lane + ": " + lane.completions + " of " + lane.lent + " completions told";
      }
      if (lane.completionErrors > 0) {
        return lane + ": " + lane.completionErrors + " lent messages failed";
      }
    }
    for (SimProcess process : simulation.processes()) {
      SimApp app = process.app();
      if (!process.isAlive() || process.isPaused()) {
        return process.name + " does not run";
      }
      for (Connection c : process.liveConnections()) {
        if (c.state() == Connection.State.CONNECTING) {
          return process.name + " is still connecting to " + c.peerName();
        }
      }
      if (app != null && !app.isDone()) {
        return process.name + " could not offer all of its messages";
      }
    }
    return null;
  }

  // ---- at the end

  void atRest() {
    for (SimProcess process : simulation.processes()) {
      Endpoint e = process.endpoint();
      if (e == null) {
        continue;
      }
      for (Connection c : process.liveConnections()) {
        if (c.counters().get(ConnectionCounter.PROTOCOL_ERRORS) > 0
            && (scenario.kind() == Kind.CLEAN || scenario.kind() == Kind.SKEW)) {
          throw new Violation(
              "0 no surprise",
              process.name
                  + ": "
                  + c.counters().get(ConnectionCounter.PROTOCOL_ERRORS)
                  + " protocol errors");
        }
      }
      checkInvalid(process, e);
    }
    if (scenario.kind() == Kind.PAUSES || scenario.kind() == Kind.CLEAN) {
      noFailover();
    }
    if (scenario.kind() == Kind.SKEW || scenario.kind() == Kind.CLEAN) {
      fewSpurious();
    }
    new CounterClosure(simulation).check();
  }

  private void checkInvalid(SimProcess process, Endpoint e) {
    if (!simulation.damages() && e.counters().get(EndpointCounter.INVALID_PACKETS) > 0) {
      throw new Violation(
          "3 integrity",
          process.name
              + " found "
              + e.counters().get(EndpointCounter.INVALID_PACKETS)
              + " invalid packets, but none was damaged");
    }
  }

  private void noFailover() {
    for (SimProcess process : simulation.processes()) {
      for (Connection c : process.liveConnections()) {
        for (Connection.RailInfo rail : c.rails()) {
          if (rail.counters().get(RailCounter.FAILOVERS) > 0) {
            throw new Violation(
                "9 no false alarm",
                process.name + ": rail " + rail.id() + " went DOWN, but nothing was wrong with it");
          }
        }
      }
    }
  }

  private void fewSpurious() {
    long sent = 0;
    long again = 0;
    int rails = 0;
    StringBuilder causes = new StringBuilder();
    for (SimProcess process : simulation.processes()) {
      for (Connection c : process.liveConnections()) {
        for (Connection.RailInfo rail : c.rails()) {
          rails++;
          sent += rail.counters().get(RailCounter.PACKETS_OUT);
          for (RailCounter cause : AGAIN) {
            long n = rail.counters().get(cause);
            again += n;
            if (n > 0) {
              causes.append(", ").append(process.name).append(" rail ").append(rail.id());
              causes.append(' ').append(cause).append(' ').append(n);
            }
          }
        }
      }
    }
    long drops = 0;
    for (SimLink link : simulation.network().links()) {
      drops += link.drops();
    }
    long toLearn = SPURIOUS_TO_LEARN;
    for (Scenario.RailSpec rail : scenario.rails()) {
      // the round trip assumed at first is shorter: a first window may time out
      toLearn = rail.model().delayNs() > LONG_DELAY_NS ? SPURIOUS_FIRST_WINDOW : toLearn;
      // the least window is four packets; behind those of the peer, which may take longer than the
      // least patience, acknowledgements wait that nobody has seen wait before (seed 10604)
      long leastWindowNs = 4_000_000_000L * rail.model().mtu() / rail.model().bytesPerSecond();
      toLearn = leastWindowNs > SLOW_WINDOW_NS ? SPURIOUS_FIRST_WINDOW : toLearn;
    }
    if (again - drops > toLearn * rails + sent / 100) {
      throw new Violation(
          "12 few spurious",
          again
              + " of "
              + sent
              + " packets were sent again, but only "
              + drops
              + " were lost"
              + causes);
    }
  }
}

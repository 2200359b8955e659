// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.simulation;

import io.crosstie.multirail.Endpoint;
import io.crosstie.multirail.connection.Connection;
import io.crosstie.multirail.connection.ConnectionCounter;
import io.crosstie.multirail.connection.ConnectionRails;
import io.crosstie.multirail.event.EndpointCounter;
import io.crosstie.multirail.event.NodeEvent;
import io.crosstie.multirail.path.RailCounter;
import io.crosstie.reliability.channel.ChannelCore;
import io.crosstie.reliability.channel.ChannelEngine;
import io.crosstie.reliability.memory.MemoryBudget;
import io.crosstie.reliability.memory.NodeMemory;
import io.crosstie.simulation.Scenario.FaultKind;
import io.crosstie.simulation.Scenario.Goal;
import io.crosstie.simulation.Scenario.Kind;
import io.crosstie.simulation.Scenario.Outage;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What "nothing lost" means, checked after every step where that is cheap, and as a whole at the
 * end.
 */
final class Invariants {
  /** A window that grows with the path is charged twice, with a quarter of half the memory. */
  private static final int WIDE_SHARE = 16;

  /** What a rail may need to learn how far its packets are reordered. */
  private static final int SPURIOUS_TO_LEARN = 8;

  private static final int SPURIOUS_FIRST_WINDOW = 40;
  private static final long LONG_DELAY_NS = 20_000_000L;
  private static final long SLOW_WINDOW_NS = 10_000_000L;

  private static final long ROUND_TRIPS_NS = 300_000_000L;

  /** Within which a peer time-out must have been noticed and told. */
  private static final long TOLD_NS = 500_000_000L;

  /** Within which everybody gets a turn, whatever the neighbours do. */
  private static final long TURN_NS = 20_000_000_000L;

  private static final RailCounter[] AGAIN = {
    RailCounter.LOST_BY_THRESHOLD,
    RailCounter.LOST_BY_TIME,
    RailCounter.LOST_BY_TIMEOUT,
    RailCounter.REINJECTED
  };

  /** Most fragments are longer than that, in bytes. */
  private static final int SHORT_FRAGMENT = 500;

  /** So many more there may be, because of what is shorter. */
  private static final int LEAST_FRAGMENTS = 100;

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
    SimApp app = process.app();
    if (app != null) {
      app.check();
    }
    for (LedgerEntry entry : ledger.entries()) {
      if (entry.senderDied || !entry.sender.equals(process.name)) {
        continue;
      }
      if (entry.refused) {
        checkRefused(entry);
        continue;
      }
      long accepted = entry.core.acceptedSequence();
      if (accepted < entry.lastAccepted || accepted > entry.offered) {
        throw new Violation(
            "5 data ack",
            entry
                + ": accepted went from "
                + entry.lastAccepted
                + " to "
                + accepted
                + " of "
                + entry.offered);
      }
      checkTurn(entry, accepted);
      entry.lastAccepted = accepted;
      checkCredit(entry);
      if (entry.receivedAtDeath >= 0) {
        if (accepted > entry.receivedAtDeath) {
          throw new Violation(
              "5 data ack",
              entry
                  + ": "
                  + accepted
                  + " accepted, but the receiver died with "
                  + entry.receivedAtDeath);
        }
      } else {
        checkReceived(entry, accepted);
      }
    }
    Throwable failure = simulation.network().failure();
    if (failure instanceof Violation violation) {
      throw violation;
    } else if (failure != null) {
      throw new IllegalStateException(process.name + " survived what must not happen", failure);
    }
    Endpoint e = process.endpoint();
    if (e != null && e.counters().get(EndpointCounter.INTERNAL_ERRORS) > 0) {
      throw new Violation("0 no surprise", process.name + " counted an internal error");
    }
    if (e != null) {
      checkMemory(process, e.memory());
    }
  }

  /**
   * A share is a turn, and nobody waits for one for ever: neither the largest message beside any
   * number of greedy peers, nor anybody beside those who do not send or are not polled.
   */
  private void checkTurn(LedgerEntry entry, long accepted) {
    if (scenario.kind() != Kind.NEIGHBOURS) {
      return;
    }
    long nowNs = simulation.clock().nowNs();
    if (accepted != entry.lastAccepted || accepted == entry.offered) {
      entry.waitsSinceNs = nowNs;
      return;
    }
    if (nowNs - entry.waitsSinceNs < TURN_NS) {
      return;
    }
    for (Scenario.FaultSpec fault : scenario.faults()) {
      boolean its =
          switch (fault.kind()) {
            case MUTE -> entry.sender.equals(Scenario.name(fault.node()));
            // What lies there is accepted: it has its memory until it is polled. Half of the pool
            // is left beside it.
            case UNPOLLED ->
                nowNs < scenario.safetyNs()
                    && (entry.channel == fault.amount()
                        || (entry.sender.equals(Scenario.name(1))
                            && scenario.tuning().largePoolBytes() < 2 * SimApp.LARGEST));
            default -> false;
          };
      if (its) {
        return;
      }
    }
    throw new Violation(
        "13 turns",
        entry
            + ": message "
            + (accepted + 1)
            + " has waited for its turn since "
            + entry.waitsSinceNs / 1_000_000
            + " ms");
  }

  /** What is charged is within each bound, and what is held is charged. */
  private static void checkMemory(SimProcess process, NodeMemory memory) {
    for (MemoryBudget b : List.of(memory.received(), memory.sent(), memory.largeSent())) {
      if (b.usedBytes() > b.boundBytes()) {
        throw new Violation(
            "10 bounds", process.name + ": " + b.usedBytes() + " bytes of " + b.boundBytes());
      }
    }
    if (memory.chunks().lentBytes() > memory.received().usedBytes()) {
      throw new Violation(
          "10 bounds",
          process.name
              + ": "
              + memory.chunks().lentBytes()
              + " bytes are held, and charged are "
              + memory.received().usedBytes());
    }
  }

  private static void checkRefused(LedgerEntry entry) {
    if (entry.core.acceptedSequence() != 0 || entry.delivered != 0) {
      throw new Violation("1 conservation", entry + ": was refused, and something of it taken");
    }
  }

  /**
   * By the lengths that were offered, not by either side's own reckoning: what has left is within
   * what the receiver grants, and the receiver grants no more than its window beyond what it
   * consumed.
   */
  private void checkCredit(LedgerEntry entry) {
    ChannelEngine sender = entry.core.engine();
    long left =
        sender.sender().nextOffset() > 0
            ? sender.sender().nextSequence()
            : sender.sender().nextSequence() - 1;
    long used = entry.cost(left);
    ChannelCore core = receiverOf(entry);
    long window = scenario.tuning().channelWindowBytes();
    long granted = core == null ? window : core.engine().received().creditLimit();
    boolean unknown = core == null && simulation.incarnationIsGone(entry);
    if (!unknown && (used > granted || used != sender.sender().chargedBytes())) {
      throw new Violation(
          "7 credit",
          entry
              + ": "
              + left
              + " messages left, which cost "
              + used
              + ", reckoned as "
              + sender.sender().chargedBytes()
              + ", granted is "
              + granted);
    }
    if (core != null && core.engine().received().wasWide()) { // by the path, as memory allows
      window = Math.max(window, scenario.tuning().memoryBytes() / WIDE_SHARE);
    }
    if (core != null && granted > entry.cost(core.consumedSequence()) + window) {
      throw new Violation(
          "7 credit", entry + ": granted " + granted + ", consumed " + core.consumedSequence());
    }
  }

  private @Nullable ChannelCore receiverOf(LedgerEntry entry) {
    ChannelCore core = entry.receiverCore;
    return core == null ? simulation.receiverCore(entry) : core;
  }

  private void checkReceived(LedgerEntry entry, long accepted) {
    ChannelCore core = receiverOf(entry);
    long received = core == null ? 0 : core.receivedSequence();
    if (accepted > received && !(core == null && simulation.incarnationIsGone(entry))) {
      throw new Violation(
          "5 data ack", entry + ": accepted " + accepted + ", but the receiver has " + received);
    }
    if (core != null && received > entry.offered) {
      throw new Violation(
          "1 conservation", entry + ": received " + received + " of " + entry.offered + " offered");
    }
  }

  // ---- events

  void onEvent(
      SimProcess process, NodeEvent event, Function<String, List<Connection>> connections) {
    switch (event) {
      case NodeEvent.PeerLost lost -> {
        Outage outage = scenario.outage();
        long nowNs = simulation.clock().nowNs();
        boolean restarts = scenario.kind() != Kind.OUTAGE;
        if (!simulation.mayLosePeers()
            || (!restarts && nowNs < outage.fromNs() + outage.peerTimeoutNs() - heardBeforeNs())) {
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
      case NodeEvent.Superseded superseded ->
          throw new Violation("13 names", process.name + " hears " + superseded);
      case NodeEvent.NewcomerRejected rejected -> {
        if (simulation.intruder() == null) {
          throw new Violation("13 names", process.name + " hears " + rejected);
        }
      }
      case NodeEvent.ChannelRefused refused ->
          refused(process, refused, connections.apply(refused.peer()));
      default -> {}
    }
  }

  /** What was offered there is named, each message once and in order. */
  private void refused(
      SimProcess process, NodeEvent.ChannelRefused event, List<Connection> connections) {
    if (scenario.tuning().maxChannels() >= scenario.streams().size()) {
      throw new Violation("0 no surprise", process.name + " hears " + event);
    }
    for (LedgerEntry entry : ledger.entries()) {
      if (entry.channel != event.channel() || !connections.contains(entry.connection)) {
        continue;
      }
      if (entry.connection.state().isOver()
          || (event.first() == 0 ? entry.refused : event.first() != entry.refusedUpTo + 1)
          || event.last() > entry.offered) {
        continue; // of another life
      }
      entry.refused = true;
      entry.refusedUpTo = event.last();
    }
  }

  /** How long before an outage a peer may have been heard last. */
  private long heardBeforeNs() {
    return scenario.tuning().keepAliveNs() + ROUND_TRIPS_NS;
  }

  /** A connection that was up when an outage began which lasted too long has to have ended. */
  private void outageWasTold() {
    Outage outage = scenario.outage();
    if (outage.untilNs() - outage.fromNs() < outage.peerTimeoutNs() + TOLD_NS) {
      return;
    }
    for (LedgerEntry entry : ledger.entries()) {
      if (entry.upNs >= 0 && entry.upNs < outage.fromNs() && !entry.ended) {
        throw new Violation(
            "9 no silence", entry + ": nobody was told that its peer was silent for too long");
      }
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
    for (LedgerEntry entry : ledger.entries()) {
      if (entry.connection != last || entry.ended) {
        continue;
      }
      entry.ended = true;
      for (NodeEvent.Unknown u : unknown) {
        if (u.channel() == entry.channel && !entry.core.isFreed()) {
          entry.unknownFirst = u.first();
          entry.unknownLast = u.last();
        }
      }
      long decided = Math.max(entry.refusedUpTo, entry.core.acceptedSequence());
      long missing = entry.offered - decided;
      long reported = entry.unknownFirst == 0 ? 0 : entry.unknownLast - entry.unknownFirst + 1;
      if (missing != reported || (missing > 0 && entry.unknownFirst != decided + 1)) {
        throw new Violation(
            "1 conservation",
            entry
                + ": offered "
                + entry.offered
                + ", accepted "
                + entry.core.acceptedSequence()
                + ", but unknown are "
                + entry.unknownFirst
                + " to "
                + entry.unknownLast);
      }
    }
  }

  // ---- liveness

  /** Whether everything has come to rest. */
  boolean isComplete() {
    return whatIsMissing() == null;
  }

  /** What is not complete, or null. */
  @Nullable String whatIsMissing() {
    RankBook ranks = simulation.ranks();
    if (ranks != null && ranks.whatIsMissing() != null) {
      return ranks.whatIsMissing();
    }
    for (SimProcess process : simulation.processes()) {
      SimApp app = process.app();
      String missing = app == null || !process.isAlive() ? null : app.whatIsMissing();
      if (missing != null) {
        return missing;
      }
    }
    for (LedgerEntry entry : ledger.entries()) {
      if (entry.senderDied || entry.ended) {
        continue;
      }
      if (entry.refused) {
        if (entry.refusedUpTo < entry.offered) {
          return entry
              + ": refused, and only what was offered up to "
              + entry.refusedUpTo
              + " named";
        }
        if (entry.completions + entry.completionErrors < entry.lent) {
          return entry + ": refused, and completions were not told";
        }
        continue;
      }
      if (simulation.isGone(entry.receiver, entry.receiverIncarnation)) {
        return entry + ": its receiver is gone, and the sender has not been told";
      }
      if (entry.delivered < entry.offered) {
        return entry + ": " + entry.delivered + " of " + entry.offered + " delivered";
      }
      if (entry.core.acceptedSequence() < entry.offered) {
        return entry
            + ": "
            + entry.core.acceptedSequence()
            + " of "
            + entry.offered
            + " known to be accepted";
      }
      if (entry.completions + entry.completionErrors < entry.lent) {
        return entry + ": " + entry.completions + " of " + entry.lent + " completions told";
      }
      if (entry.completionErrors > 0) {
        return entry + ": " + entry.completionErrors + " lent messages failed";
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
      String open = app == null || scenario.kind() != Kind.REUSE ? null : app.notFreed();
      if (open != null) {
        return open;
      }
    }
    return null;
  }

  // ---- at the end

  void atRest() {
    RankBook ranks = simulation.ranks();
    if (ranks != null) {
      ranks.judge();
    }
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
    fewCopies();
    enoughGoodput();
    outageWasTold();
    if (!simulation.mayLosePeers()) { // else somebody may still wait for the dead
      nothingIsHeld();
    }
    new CounterClosure(simulation).check();
  }

  /** Everything is closed, and a while has passed. */
  void atTheEnd() {
    nothingIsHeld();
    for (SimProcess process : simulation.processes()) {
      Endpoint e = process.endpoint();
      if (e != null && !e.connections().isEmpty()) {
        throw new Violation(
            "10 baseline",
            process.name + " still knows " + e.connections().size() + " connections");
      }
      SimApp app = process.app();
      if (e != null && e.memory().usedBytes() != 0) {
        throw new Violation(
            "10 baseline",
            process.name
                + " is charged for "
                + e.memory().received().usedBytes()
                + " bytes received, "
                + e.memory().sent().usedBytes()
                + " and "
                + e.memory().largeSent().usedBytes()
                + " sent"
                + (app == null ? "" : app.whatIsCharged()));
      }
    }
  }

  /** Everything was consumed: neither the pool nor a channel's ring holds anything. */
  private void nothingIsHeld() {
    for (SimProcess process : simulation.processes()) {
      Endpoint e = process.endpoint();
      if (e == null) {
        continue;
      }
      long pool = e.counters().get(EndpointCounter.POOL_BYTES);
      if (pool != 0) {
        throw new Violation("10 baseline", process.name + " holds " + pool + " bytes of its pool");
      }
    }
    for (LedgerEntry entry : ledger.entries()) {
      ChannelCore core = entry.receiverCore;
      if (core == null || entry.ended || entry.receivedAtDeath >= 0 || entry.senderDied) {
        continue;
      }
      if (core.engine().received().heldBytes() != 0) {
        throw new Violation(
            "10 baseline",
            entry
                + ": "
                + core.engine().received().heldBytes()
                + " bytes of its ring are in use at rest");
      }
    }
  }

  private void enoughGoodput() {
    Goal goal = scenario.goodput();
    double rate = simulation.goodput().since(goal.fromNs());
    if (goal.bytesPerSecond() > 0 && !(rate >= goal.bytesPerSecond())) {
      throw new Violation(
          "12 goodput",
          Math.round(rate)
              + " bytes per second were delivered, and the rails left can carry "
              + Math.round(goal.bytesPerSecond())
              + " besides a tenth");
    }
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
        for (ConnectionRails.RailInfo rail : c.rails()) {
          if (rail.counters().get(RailCounter.FAILOVERS) > 0) {
            throw new Violation(
                "9 no false alarm",
                process.name + ": rail " + rail.id() + " went DOWN, but nothing was wrong with it");
          }
        }
      }
    }
  }

  /** Only what leaves for the first time is copied to other rails, once to each. */
  private void fewCopies() {
    long copies = 0;
    long bytes = 0;
    int rails = 0;
    for (SimProcess process : simulation.processes()) {
      for (Connection c : process.liveConnections()) {
        rails = Math.max(rails, c.rails().size());
        for (ConnectionRails.RailInfo rail : c.rails()) {
          copies += rail.counters().get(RailCounter.REDUNDANT_COPIES);
          bytes += rail.counters().get(RailCounter.PAYLOAD_FIRST_OUT);
        }
      }
    }
    long fragments = LEAST_FRAGMENTS + bytes / SHORT_FRAGMENT;
    for (LedgerEntry entry : ledger.entries()) {
      fragments += entry.offered;
    }
    if (copies > fragments * rails) {
      throw new Violation(
          "12 spurious",
          copies + " copies of about " + fragments + " fragments on " + rails + " rails");
    }
  }

  private void fewSpurious() {
    long sent = 0;
    long again = 0;
    long drops = 0;
    int rails = 0;
    StringBuilder causes = new StringBuilder();
    for (SimProcess process : simulation.processes()) {
      for (Connection c : process.liveConnections()) {
        for (ConnectionRails.RailInfo rail : c.rails()) {
          rails++;
          sent += rail.counters().get(RailCounter.PACKETS_OUT);
          drops += rail.counters().get(RailCounter.REFUSED); // for want of memory
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
      // so they do behind a queue that the peer fills for the first time, on all rails at once,
      // once
      // the first tenth of a second has shown an empty one (seed 17540)
      long queueNs = 1_000_000_000L * rail.model().queueBytes() / rail.model().bytesPerSecond();
      boolean slow = Math.max(leastWindowNs, queueNs) > SLOW_WINDOW_NS;
      toLearn = slow ? SPURIOUS_FIRST_WINDOW : toLearn;
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

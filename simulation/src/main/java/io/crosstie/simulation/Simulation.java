// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.simulation;

import io.crosstie.multirail.Endpoint;
import io.crosstie.multirail.connection.Connection;
import io.crosstie.multirail.connection.ConnectionRails;
import io.crosstie.reliability.channel.ChannelCore;
import io.crosstie.simulation.Scenario.FaultKind;
import io.crosstie.simulation.Scenario.FaultSpec;
import io.crosstie.simulation.Scenario.RailSpec;
import io.crosstie.transport.Counters;
import io.crosstie.transport.RailAddress;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * One run: the shipped endpoints of some processes on a simulated network. First the safety phase,
 * in which things go wrong and nothing may be lost, changed, repeated or reordered; then the
 * liveness phase, in which at least one rail is whole and everything has to complete; then an
 * orderly end.
 */
public final class Simulation {
  private static final long CLOSE_NS = 20_000_000_000L;

  /** Until closed connections are forgotten. */
  private static final long TOMBSTONES_NS = 5_000_000_000L;

  private static final long MAX_EVENTS = 20_000_000L;

  private final Scenario scenario;
  private final Plant plant;
  private final Trace trace;
  private final SimClock clock = new SimClock();
  private final SimNetwork network;
  private final Map<Long, SimDatagrams.Sent> datagrams = new HashMap<>();
  private final Ledger ledger = new Ledger();
  private final @Nullable RankBook ranks;
  private final Invariants invariants;
  private final List<SimProcess> processes = new ArrayList<>();
  private final List<Arena> arenas = new ArrayList<>();
  private final FaultInjector injector;
  private final @Nullable Intruder intruder;
  private final Map<Early, Long> early = new HashMap<>();

  /** By the id under which it sends. */
  private final Map<Long, Connection> sentTo = new HashMap<>();

  private final Goodput goodput = new Goodput();
  private final Counters<PortThreadCounter> portThreads = new Counters<>(PortThreadCounter.class);
  private long lastProgressNs;
  private long phaseEndNs;

  /** Prepares a run. */
  public Simulation(Scenario scenario, Plant plant, Trace trace) {
    this.scenario = scenario;
    this.plant = plant;
    this.trace = trace;
    this.network = new SimNetwork(clock, trace, scenario.seed());
    this.invariants = new Invariants(this);
    this.ranks = scenario.kind() == Scenario.Kind.RANKS ? new RankBook(mortal()) : null;
    SplittableRandom random = new SplittableRandom(Bytes.mix(scenario.seed() ^ 0xa99));
    for (RailSpec rail : scenario.rails()) {
      network.define(rail.net(), rail.model());
    }
    for (int i = 0; i < scenario.nodes(); i++) {
      SimProcess process = new SimProcess(this, i, random.split());
      openers(process, "").forEach(process::addPort);
      processes.add(process);
    }
    this.injector = new FaultInjector(this);
    this.intruder = Intruder.of(this);
  }

  private List<SimOpener> openers(SimProcess process, String place) {
    List<SimOpener> list = new ArrayList<>();
    for (RailSpec rail : scenario.rails()) {
      list.add(
          new SimOpener(
              network,
              SimNetwork.address(rail.ring(), rail.net(), process.name + place),
              rail.profile(),
              rail.weight(),
              process,
              rail.ownThread() ? threads(rail, process) : null));
    }
    return list;
  }

  /** A process that has died starts anew elsewhere: all its addresses are others. */
  void move(SimProcess process) {
    process.replacePorts(openers(process, "-moved"));
  }

  private SimPortThreads threads(RailSpec rail, SimProcess process) {
    long seed = scenario.seed() ^ Bytes.mix(address(rail, process.index).text().hashCode());
    return new SimPortThreads(
        clock, new SplittableRandom(Bytes.mix(seed)), process, plant, portThreads);
  }

  static RailAddress address(RailSpec rail, int node) {
    return SimNetwork.address(rail.ring(), rail.net(), Scenario.name(node));
  }

  // ---- what the others need

  /** Who tries to get in and must not, if there is one. */
  @Nullable Intruder intruder() {
    return intruder;
  }

  Scenario scenario() {
    return scenario;
  }

  Plant plant() {
    return plant;
  }

  Trace trace() {
    return trace;
  }

  SimClock clock() {
    return clock;
  }

  SimNetwork network() {
    return network;
  }

  Ledger ledger() {
    return ledger;
  }

  /** The rank that dies, {@link RankBook#ANY} if none does. */
  private int mortal() {
    return scenario.faults().stream()
        .filter(fault -> fault.kind() == FaultKind.RESTART)
        .mapToInt(FaultSpec::node)
        .findFirst()
        .orElse(RankBook.ANY);
  }

  /** What ranks do, if there are any. */
  @Nullable RankBook ranks() {
    return ranks;
  }

  Invariants invariants() {
    return invariants;
  }

  List<SimProcess> processes() {
    return processes;
  }

  List<RailAddress> addressesOf(int node) {
    return scenario.rails().stream().map(rail -> address(rail, node)).toList();
  }

  /** A message of that length was delivered. */
  void delivered(long bytes) {
    lastProgressNs = clock.nowNs();
    goodput.delivered(clock.nowNs(), bytes);
  }

  Goodput goodput() {
    return goodput;
  }

  void closeLater(Arena arena) {
    arenas.add(arena);
  }

  boolean mayLosePeers() {
    return scenario.outage().losesPeers()
        || scenario.faults().stream().anyMatch(f -> f.kind() == FaultKind.RESTART);
  }

  boolean damages() {
    for (FaultSpec fault : scenario.faults()) {
      LinkFaults f = fault.packets();
      if (fault.kind() == FaultKind.SCRIBBLE
          || f.headerPpm() + f.payloadPpm() + f.truncatePpm() > 0) {
        return true;
      }
    }
    return false;
  }

  /** All datagrams that were sent, by what begins them. */
  Map<Long, SimDatagrams.Sent> datagrams() {
    return datagrams;
  }

  boolean isGone(String node, long incarnation) {
    for (SimProcess process : processes) {
      if (process.name.equals(node)) {
        return incarnation != 0 && (!process.isAlive() || process.incarnation() != incarnation);
      }
    }
    return true;
  }

  boolean incarnationIsGone(LedgerEntry entry) {
    return isGone(entry.receiver, entry.receiverIncarnation);
  }

  /** The receiving end of an entry's channel, before it has delivered anything. */
  @Nullable ChannelCore receiverCore(LedgerEntry entry) {
    for (SimProcess process : processes) {
      SimApp app = process.app();
      if (app != null
          && process.name.equals(entry.receiver)
          && process.incarnation() == entry.receiverIncarnation) {
        return app.receiving(entry);
      }
    }
    return null;
  }

  private record Early(Connection connection, int rail) {}

  /** A connection came up: what was delivered for it before is not counted by it. */
  @SuppressWarnings("ReferenceEquality") // a connection is a state machine, not a value
  void noteUp(Connection connection) {
    Connection before = sentTo.putIfAbsent(connection.peerId(), connection);
    if (before != null && before != connection) { // packets of one may be taken for the other's
      throw new Violation(
          "6 incarnation",
          "two connections to "
              + connection.peerName()
              + " send under the id "
              + Long.toHexString(connection.peerId()));
    }
    for (SimLink link : network.links()) {
      for (RailTally tally : link.tallies()) {
        if (tally.connectionId == connection.id()) {
          long unused = early.merge(new Early(connection, tally.rail), tally.usable(), Long::sum);
        }
      }
    }
  }

  /** Sound packets of a rail that came before the connection was up. */
  long deliveredEarly(Connection connection, int rail) {
    return early.getOrDefault(new Early(connection, rail), 0L);
  }

  // ---- the run

  /**
   * Runs it to the end.
   *
   * @throws Violation if an invariant does not hold
   */
  public void run() {
    try {
      for (SimProcess process : processes) {
        clock.after(process.index * 700_000L, () -> process.start(scenario.tuning(), null));
      }
      injector.plan();
      if (intruder != null) {
        clock.after(1, intruder::start);
      }
      until(scenario.safetyNs(), false);
      trace.note(clock.nowNs(), 1, 0, () -> "==== liveness phase");
      injector.heal();
      long deadline = clock.nowNs() + scenario.livenessNs();
      until(deadline, true);
      String missing = invariants.whatIsMissing();
      if (missing != null) {
        throw new Violation(
            "8 liveness",
            missing + "; last progress at " + lastProgressNs / 1_000_000 + " ms" + railStates());
      }
      if (intruder != null) {
        intruder.stop();
      }
      until(clock.nowNs() + settlingNs(), false); // lets the last acknowledgements arrive
      invariants.atRest();
      countPaths();
      end();
    } finally {
      if (intruder != null) {
        intruder.stop();
      }
      for (SimProcess process : processes) {
        SimApp app = process.app();
        if (app != null) {
          app.dispose();
        }
        Endpoint e = process.endpoint();
        if (e != null) {
          e.close();
        }
      }
      arenas.forEach(Arena::close);
      network.giveBack();
    }
  }

  /** Nobody stops for longer. */
  long phaseEndNs() {
    return phaseEndNs;
  }

  private void until(long timeNs, boolean orComplete) {
    phaseEndNs = timeNs;
    long checkNs = clock.nowNs();
    while (clock.nextNs() <= timeNs) {
      boolean unused = clock.step();
      if (clock.eventsRun() > MAX_EVENTS) {
        throw new Violation("8 liveness", "more than " + MAX_EVENTS + " events");
      }
      if (orComplete && clock.nowNs() >= checkNs) {
        if (invariants.isComplete()) {
          return;
        }
        checkNs = clock.nowNs() + 1_000_000L;
      }
    }
    if (!orComplete) {
      clock.runUntil(timeNs);
    }
  }

  /** Counts the paths that messages take; before {@link #run}. */
  PathCensus takeCensus() {
    PathCensus paths = new PathCensus(scenario.tuning().eagerLimitBytes());
    network.census(paths);
    return paths;
  }

  /** Two round trips of the longest link: what a layer above still says is acknowledged then. */
  private long settlingNs() {
    long longest = 0;
    for (Scenario.RailSpec rail : scenario.rails()) {
      longest = Math.max(longest, rail.model().delayNs() + rail.model().jitterNs());
    }
    return 50_000_000L + 4 * longest;
  }

  private void countPaths() {
    PathCensus paths = network.census();
    if (paths == null) {
      return;
    }
    paths.take(portThreads);
    for (SimProcess process : processes) {
      paths.take(process);
      for (LedgerEntry entry : ledger.entries()) {
        if (entry.sender.equals(process.name)) {
          paths.take(entry, process.isSingleThreaded());
        }
      }
    }
  }

  /** What the threads of ports did. */
  Counters<PortThreadCounter> portThreads() {
    return portThreads;
  }

  /** Closes everything in good order, and looks whether anything is left. */
  private void end() {
    for (SimProcess process : processes) {
      SimApp app = process.app();
      Endpoint e = process.endpoint();
      if (app != null && e != null) {
        e.refuseNew();
        app.closeSending(e);
        for (Connection c : process.liveConnections()) {
          c.close(1_000_000_000L, process.rawNowNs());
        }
        process.wake(clock.nowNs());
      }
    }
    long deadline = clock.nowNs() + CLOSE_NS;
    phaseEndNs = deadline;
    while (anyLive() && clock.nextNs() <= deadline) {
      boolean unused = clock.step();
    }
    if (anyLive()) {
      throw new Violation("8 liveness", "a connection did not close in time" + railStates());
    }
    phaseEndNs = clock.nowNs() + TOMBSTONES_NS;
    clock.runUntil(phaseEndNs);
    invariants.atTheEnd();
    for (SimProcess process : processes) {
      Endpoint e = process.endpoint();
      if (e != null) {
        e.close();
      }
      for (SimOpener opener : process.openers()) {
        if (opener.isLeftOpen()) {
          throw new Violation(
              "10 baseline", process.name + " left port " + opener.address() + " open");
        }
      }
    }
    clock.runUntil(clock.nowNs() + 100_000_000L);
    if (network.ringCount() > 0) {
      throw new Violation("10 baseline", network.ringCount() + " ring ends are left");
    }
  }

  private boolean anyLive() {
    for (SimProcess process : processes) {
      if (!process.liveConnections().isEmpty()) {
        return true;
      }
    }
    return false;
  }

  String railStates() {
    StringBuilder text = new StringBuilder();
    for (SimProcess process : processes) {
      for (Connection c : process.liveConnections()) {
        text.append("; ").append(process.name).append(" ").append(c.state()).append(" to ");
        text.append(c.peerName());
        for (ConnectionRails.RailInfo rail : c.rails()) {
          text.append(", rail ").append(rail.id()).append(' ').append(rail.state());
        }
        text.append(c.problem().isEmpty() ? "" : " (" + c.problem() + ")");
      }
    }
    return text.toString();
  }
}

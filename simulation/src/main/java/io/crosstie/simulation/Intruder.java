// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.simulation;

import io.crosstie.multirail.Endpoint;
import io.crosstie.multirail.config.EndpointConfig;
import io.crosstie.multirail.connection.Connection;
import io.crosstie.multirail.connection.EndpointListener;
import io.crosstie.multirail.event.NodeEvent;
import io.crosstie.multirail.schedule.EstimatedCompletion;
import io.crosstie.reliability.wire.Reject;
import io.crosstie.simulation.Scenario.Kind;
import io.crosstie.simulation.Scenario.RailSpec;
import io.crosstie.transport.RailException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * A process that has no business here and asks to be let in all the time: a stranger, whom nobody
 * accepts, or a twin, which has the name of a process that lives. It must never get in, and the
 * others go on as if it were not there.
 */
final class Intruder implements EndpointListener {
  /** The name of one that nobody accepts. */
  static final String STRANGER = "stranger";

  private static final long CYCLE_NS = 2_000;
  private static final long LOOK_NS = 500_000;

  /** So many of a hundred scenarios have a stranger, and so many of those that allow it a twin. */
  private static final int STRANGERS_PERCENT = 12;

  private static final int TWINS_PERCENT = 60;

  private final Simulation simulation;
  private final SimClock clock;
  private final String name;

  /** Whom it asks. */
  private final int target;

  private final List<SimOpener> openers = new ArrayList<>();
  private final SplittableRandom random;
  private @Nullable Endpoint endpoint;
  private long wakeAtNs = Long.MAX_VALUE;
  private long wakeVersion;
  private int rejections;

  private Intruder(Simulation simulation, String name, int target) {
    this.simulation = simulation;
    this.clock = simulation.clock();
    this.name = name;
    this.target = target;
    this.random = new SplittableRandom(Bytes.mix(simulation.scenario().seed() ^ 0x1d7));
    SimHost host = SimHost.of(() -> wake(clock.nowNs() + CYCLE_NS));
    for (RailSpec rail : simulation.scenario().rails()) {
      openers.add(
          new SimOpener(
              simulation.network(),
              SimNetwork.address(rail.ring(), rail.net(), name + "-intruder"),
              rail.profile(),
              rail.weight(),
              host));
    }
  }

  /** The one of a scenario, if there is one; not drawn, so that nothing else changes by it. */
  static @Nullable Intruder of(Simulation simulation) {
    Scenario scenario = simulation.scenario();
    int dice = (int) Long.remainderUnsigned(Bytes.mix(scenario.seed() ^ 0x3713), 100);
    if (allowsTwin(scenario.kind()) && dice < TWINS_PERCENT) {
      return new Intruder(simulation, Scenario.name(1), 0);
    }
    return dice >= 100 - STRANGERS_PERCENT ? new Intruder(simulation, STRANGER, 0) : null;
  }

  /** Where nothing keeps the process that has the name from answering in time. */
  private static boolean allowsTwin(Kind kind) {
    return kind == Kind.CLEAN || kind == Kind.SKEW;
  }

  boolean isTwin() {
    return !name.equals(STRANGER);
  }

  /** How often it was told that it is not let in, each answer that differs once. */
  int rejections() {
    return rejections;
  }

  /** A twin waits until the other one has the name. */
  void start() {
    if (isTwin() && !isTaken()) {
      clock.after(LOOK_NS, this::start);
      return;
    }
    simulation.trace().note(clock.nowNs(), 7, target, () -> "==== intruder " + name + " starts");
    EndpointConfig config =
        simulation.scenario().tuning().change().node(name, -1, random.nextLong() | 1).build();
    Endpoint e =
        new Endpoint(config, random.split(), this::rawNowNs, EstimatedCompletion::new, this);
    endpoint = e;
    for (SimOpener opener : openers) {
      try {
        int unused = e.addPort(opener, rawNowNs());
      } catch (RailException x) {
        throw new IllegalStateException("the intruder's port " + opener.address(), x);
      }
    }
    Connection unused =
        e.connect(Scenario.name(target), simulation.addressesOf(target), rawNowNs());
    wake(clock.nowNs());
  }

  private boolean isTaken() {
    SimProcess asked = simulation.processes().get(target);
    for (Connection c : asked.liveConnections()) {
      if (c.peerName().equals(name) && c.state() == Connection.State.UP) {
        return true;
      }
    }
    return false;
  }

  private long rawNowNs() {
    return clock.nowNs();
  }

  private void wake(long atNs) {
    if (atNs < wakeAtNs) {
      wakeAtNs = atNs;
      long version = ++wakeVersion;
      clock.at(atNs, () -> run(version));
    }
  }

  private void run(long version) {
    Endpoint e = endpoint;
    if (version != wakeVersion || e == null) {
      return;
    }
    wakeAtNs = Long.MAX_VALUE;
    int work = e.poll(rawNowNs());
    long deadline = e.nextDeadlineNs();
    if (work > 0 || deadline <= clock.nowNs()) {
      wake(clock.nowNs() + CYCLE_NS);
    } else if (deadline != Long.MAX_VALUE) {
      wake(deadline);
    }
  }

  /** It goes away. */
  void stop() {
    Endpoint e = endpoint;
    endpoint = null;
    if (e != null) {
      e.close();
    }
  }

  @Override
  public void onEvent(NodeEvent event) {
    simulation
        .trace()
        .note(
            clock.nowNs(),
            event.getClass().getSimpleName().hashCode(),
            target,
            () -> "intruder " + name + " hears " + event);
    switch (event) {
      case NodeEvent.PeerUp up ->
          throw new Violation("13 names", "the intruder " + name + " got in: " + up);
      case NodeEvent.Rejected rejected -> {
        String due = Reject.reasonName(isTwin() ? Reject.NAME_TAKEN : Reject.REFUSED);
        if (!rejected.reason().equals(due) || (!isTwin() && isLearning(rejected))) {
          throw new Violation("13 names", "the intruder " + name + " hears " + rejected);
        }
        rejections++;
      }
      default -> {}
    }
  }

  /** A stranger learns nothing about the node, not even what it is called. */
  private boolean isLearning(NodeEvent.Rejected rejected) {
    return rejected.why().contains(Scenario.name(target)) || rejected.why().contains("/");
  }

  @Override
  public void onInternalError(Throwable error) {
    simulation.network().failed(error);
  }
}

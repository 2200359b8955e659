// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.simulation;

import io.crosstie.multirail.Endpoint;
import io.crosstie.multirail.config.EndpointConfig;
import io.crosstie.multirail.connection.Connection;
import io.crosstie.simulation.Scenario.NodeSpec;
import io.crosstie.transport.RailException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * A process: an {@link Endpoint}, its application, and a scheduler that lets it run when something
 * arrives, when a deadline is due, and after the application did something; not while it is paused.
 * Its clock has an origin of its own, as {@code System.nanoTime()} has.
 */
final class SimProcess implements SimHost {
  /** Of one process: what goes beyond it makes nothing but a process that never runs. */
  private static final long MOST_STOPPED_NS = 2_000_000_000L;

  private static final int SHORT_STOP_NS = 20_000;

  /** Whoever uses most of this time for cycles without anything arriving or being offered spins. */
  private static final long SPIN_WINDOW_NS = 10_000_000;

  final int index;
  final String name;
  private final Simulation simulation;
  private final SimClock clock;
  private final SplittableRandom random;
  private final List<SimOpener> openers = new ArrayList<>();
  private final long originNs;
  private final CounterWatch watch = new CounterWatch();
  private final NodeSpec spec;
  private final SplittableRandom stops;

  /** Who runs its duty cycles, if more than one thread does. */
  private final @Nullable SharedTurns shared;

  /** The endpoint's index of each port that is in, -1 for those that are not. */
  private final List<Integer> slots = new ArrayList<>();

  private @Nullable Endpoint endpoint;
  private @Nullable SimApp app;
  private long incarnation;
  private int pauses;

  /** Those of them that stop the ports' threads, too. */
  private int stopped;

  private long lastRunNs = Long.MIN_VALUE / 2;
  private long wakeAtNs = Long.MAX_VALUE;
  private long wakeVersion;
  private long spinSinceNs;
  private int spins;
  private boolean arrived;

  /** It waits in the poller, its sleeping flags raised. */
  private boolean blocked;

  /** It is in the middle of a step, perhaps stopped there. */
  private boolean running;

  /** It was to run meanwhile. */
  private boolean missed;

  /** So many places more where it may stop, until it does. */
  private long stopIn;

  private long stoppedNs;

  long lazyUntilNs;

  /** Its application does not poll this channel, -1 for none. */
  int unpolled = -1;

  SimProcess(Simulation simulation, int index, SplittableRandom random) {
    this.simulation = simulation;
    this.clock = simulation.clock();
    this.index = index;
    this.name = Scenario.name(index);
    this.random = random;
    this.originNs = 1 + random.nextLong(1L << 50);
    this.spec = simulation.scenario().manners().get(index);
    this.stops = new SplittableRandom(Bytes.mix(simulation.scenario().seed() * 31 + index));
    this.stopIn = nextStop();
    this.shared = spec.computesNs() == 0 ? null : new SharedTurns(stops.split(), spec.computesNs());
  }

  void addPort(SimOpener opener) {
    openers.add(opener);
    slots.add(-1);
  }

  /** It has died, and its next life has other ports. */
  void replacePorts(List<SimOpener> others) {
    openers.clear();
    openers.addAll(others);
  }

  List<SimOpener> openers() {
    return openers;
  }

  @Nullable Endpoint endpoint() {
    return endpoint;
  }

  @Nullable SimApp app() {
    return app;
  }

  boolean isSingleThreaded() {
    return spec.singleThreaded();
  }

  /** Who runs its duty cycles; null if one thread does. */
  @Nullable SharedTurns shared() {
    return shared;
  }

  long incarnation() {
    return incarnation;
  }

  boolean isAlive() {
    return endpoint != null;
  }

  boolean isPaused() {
    return pauses > 0;
  }

  long rawNowNs() {
    return originNs + clock.nowNs();
  }

  /** Starts, or starts again with a new incarnation. */
  void start(EndpointConfig tuning, @Nullable SimApp before) {
    incarnation = random.nextLong() | 1;
    EndpointConfig config = tuning.change().node(name, index, incarnation).build();
    SimApp newApp = new SimApp(simulation, this, random.split(), before);
    Endpoint e =
        new Endpoint(
            config,
            random.split(),
            this::rawNowNs,
            simulation.scenario().schedule()::scheduler,
            newApp);
    if (spec.singleThreaded()) { // it is true of all, and some may rely on it
      e.setSingleThreaded();
    }
    endpoint = e;
    app = newApp;
    blocked = false;
    e.setReinjection(simulation.plant() != Plant.NO_REINJECTION);
    e.plant(simulation.plant().core());
    for (int port = 0; port < openers.size(); port++) {
      slots.set(port, -1);
      insert(e, port);
    }
    newApp.start(e);
    wake(clock.nowNs());
  }

  /** Puts a port in; what cannot be opened now is tried again, as an application would. */
  private void insert(Endpoint e, int port) {
    try {
      slots.set(port, e.addPort(openers.get(port), rawNowNs()));
      wake(clock.nowNs());
    } catch (RailException x) {
      clock.after(20_000_000, () -> retry(e, port));
    }
  }

  private void retry(Endpoint e, int port) {
    if (!betweenSteps(() -> retry(e, port)) || endpoint != e || slots.get(port) >= 0) {
      return;
    }
    insert(e, port);
  }

  /**
   * Whether something can be done with the endpoint now; else it is done later: the process has
   * stopped in the middle of a step.
   */
  private boolean betweenSteps(Runnable later) {
    if (running) {
      clock.after(1_000, later);
    }
    return !running;
  }

  /** Takes a port out while everything runs. */
  void removePort(int port) {
    Endpoint e = endpoint;
    if (e != null && slots.get(port) >= 0) {
      e.removePort(slots.get(port), rawNowNs());
      slots.set(port, -1);
      wake(clock.nowNs());
    }
  }

  /** Puts it in again. */
  void restorePort(int port) {
    Endpoint e = endpoint;
    if (betweenSteps(() -> restorePort(port)) && e != null && slots.get(port) < 0) {
      insert(e, port);
    }
  }

  /**
   * Dies at once, as from {@code kill -9}: nothing is said to anybody, but what the system owned is
   * closed.
   */
  void kill() {
    Endpoint e = endpoint;
    SimApp a = app;
    if (e == null || a == null) {
      return;
    }
    for (SimOpener opener : openers) {
      SimPortThreads threads = opener.threads();
      if (threads != null) {
        threads.kill();
      }
      SimPort port = opener.port();
      if (port != null) {
        port.close();
      }
    }
    a.dispose();
    simulation.ledger().died(name, incarnation, simulation::receiverCore);
    endpoint = null;
    e.close();
  }

  /**
   * Stops running, until {@link #resume}. Counted.
   *
   * @param engineOnly the threads of its ports go on
   */
  void pause(boolean engineOnly) {
    pauses++;
    stopped += engineOnly ? 0 : 1;
  }

  /** Runs again. */
  void resume(boolean engineOnly) {
    pauses--;
    stopped -= engineOnly ? 0 : 1;
    if (pauses == 0) {
      wake(clock.nowNs());
    }
    if (stopped == 0) {
      for (SimOpener opener : openers) {
        SimPortThreads threads = opener.threads();
        if (threads != null) {
          threads.resume();
        }
      }
    }
  }

  /** Whether nothing of it runs, the threads of its ports not either. */
  boolean isStopped() {
    return stopped > 0;
  }

  /** Whether it is in the middle of a step. */
  boolean isRunning() {
    return running;
  }

  @Override
  public void arrived() {
    arrived = true;
    wake(Math.max(clock.nowNs(), lastRunNs + spec.cycleNs()));
  }

  @Override
  public void visible() {
    if (!blocked) {
      arrived();
    }
  }

  @Override
  public void mayStop() {
    if (stopIn > 0 && running && --stopIn == 0) {
      stopIn = nextStop();
      long forNs = stopNs();
      simulation.trace().note(clock.nowNs(), index, forNs, () -> name + " stops for " + forNs);
      clock.runUntil(Math.min(clock.nowNs() + forNs, simulation.phaseEndNs()));
    }
  }

  private long nextStop() {
    return spec.stopEvery() == 0 ? 0 : 1 + stops.nextLong(2L * spec.stopEvery());
  }

  /**
   * Mostly as an interrupt, sometimes as another program, seldom as somebody's debugger; but a
   * process runs about half of the time, else nothing could be said of when anything is done.
   */
  private long stopNs() {
    int dice = stops.nextInt(100);
    long most =
        dice < 60 ? SHORT_STOP_NS : dice < 85 ? 3_000_000 : dice < 97 ? 60_000_000 : 500_000_000;
    long forNs = 1 + stops.nextLong(most);
    if (stoppedNs + forNs > MOST_STOPPED_NS + clock.nowNs() / 2) {
      forNs = Math.min(forNs, SHORT_STOP_NS);
    }
    stoppedNs += forNs;
    return forNs;
  }

  /** Runs at that time at the latest. */
  void wake(long atNs) {
    if (atNs < wakeAtNs && atNs != Long.MAX_VALUE) {
      wakeAtNs = atNs;
      long version = ++wakeVersion;
      clock.at(
          atNs,
          () -> {
            if (version == wakeVersion) {
              wakeAtNs = Long.MAX_VALUE;
              run();
            }
          });
    }
  }

  private void run() {
    Endpoint e = endpoint;
    SimApp a = app;
    if (e == null || a == null || pauses > 0) {
      return;
    }
    if (running) {
      missed = true;
      return;
    }
    boolean calls = shared == null || shared.isCalling(clock.nowNs());
    if (shared != null && !calls && !blocked && shared.isStandingBack(clock.nowNs())) {
      wake(shared.nextNs()); // what arrives meanwhile is seen then
      return;
    }
    running = true;
    missed = false;
    if (blocked) {
      blocked = false;
      if (arrived) {
        e.afterBlock();
      } else {
        e.afterTimeout();
      }
    }
    lastRunNs = clock.nowNs();
    if (shared != null) {
      shared.cycle(calls);
    }
    int before = e.poll(this::rawNowNs, true);
    mayStop();
    boolean acted = calls && a.step(e);
    int work = shared != null && acted ? before + seeTo(e) : before;
    running = false;
    long nowNs = clock.nowNs();
    if (work > 0) {
      simulation.trace().note(nowNs, index, work, () -> name + " runs, work " + work);
    }
    if (simulation.trace().hasText()) {
      watch.look(this, simulation.trace(), nowNs);
    }
    simulation.invariants().afterStep(this);
    if (shared != null && calls && acted) {
      shared.called(nowNs);
      calls = shared.isCalling(nowNs);
    }
    long next = nowNs + spec.cycleNs();
    if (shared != null && !calls && shared.isStandingBack(nowNs)) {
      next = Math.max(next, shared.nextNs());
    } else if (work == 0 && !acted && !missed) {
      long deadline = e.nextDeadlineNs();
      long due =
          deadline == Long.MAX_VALUE
              ? Long.MAX_VALUE
              : deadline < originNs ? nowNs : deadline - originNs;
      long wait = Math.min(due, calls || shared == null ? a.nextNs() : shared.callsAtNs());
      blocked = spec.blocks() && wait > next && prepareToBlock(e);
      next = spec.blocks() && !blocked ? next : Math.max(next, wait);
    }
    checkSpinning(nowNs, acted);
    wake(next);
  }

  /** Where progress is shared, whoever has handed over something runs the duty cycle. */
  private int seeTo(Endpoint e) {
    mayStop();
    return e.poll(this::rawNowNs, true);
  }

  private static boolean prepareToBlock(Endpoint e) {
    boolean may = e.prepareToBlock();
    if (!may) {
      e.afterBlock();
    }
    return may;
  }

  private void checkSpinning(long nowNs, boolean acted) {
    if (arrived || acted) {
      arrived = false;
      spinSinceNs = nowNs;
      spins = 0;
    } else if (nowNs - spinSinceNs > SPIN_WINDOW_NS) {
      spinSinceNs = nowNs;
      spins = 0;
    } else if (++spins > SPIN_WINDOW_NS * 4 / 5 / spec.cycleNs()) {
      throw new Violation(
          "7 timers",
          name
              + " ran "
              + spins
              + " times in "
              + (nowNs - spinSinceNs) / 1000
              + " us without any news"
              + simulation.railStates());
    }
  }

  /** Connections that are not over. */
  List<Connection> liveConnections() {
    List<Connection> list = new ArrayList<>();
    Endpoint e = endpoint;
    if (e != null) {
      for (Connection c : e.connections()) {
        if (!c.state().isOver()) {
          list.add(c);
        }
      }
    }
    return list;
  }
}

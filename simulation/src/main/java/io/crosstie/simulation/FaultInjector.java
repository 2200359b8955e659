// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.simulation;

import io.crosstie.simulation.Scenario.FaultKind;
import io.crosstie.simulation.Scenario.FaultSpec;
import io.crosstie.simulation.Scenario.RailSpec;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Lets the faults of a scenario happen, and ends them. Faults of one kind on one rail may overlap:
 * the last to end mends it.
 */
final class FaultInjector {
  private static final long WRITE_RETRY_NS = 7_000;

  private final Simulation simulation;
  private final Scenario scenario;
  private final List<FaultSpec> active = new ArrayList<>();

  /** What ends that a port's thread does not run. */
  private final IdentityHashMap<FaultSpec, Runnable> threads = new IdentityHashMap<>();

  private boolean healing;

  FaultInjector(Simulation simulation) {
    this.simulation = simulation;
    this.scenario = simulation.scenario();
  }

  void plan() {
    for (FaultSpec fault : scenario.faults()) {
      simulation.clock().at(fault.fromNs(), () -> begin(fault));
    }
  }

  private void note(FaultSpec fault, String what) {
    simulation
        .trace()
        .note(
            simulation.clock().nowNs(),
            fault.kind().ordinal(),
            fault.rail(),
            () -> "==== " + what + " " + fault);
  }

  private void begin(FaultSpec fault) {
    if (healing) {
      return;
    }
    boolean calls = fault.kind() == FaultKind.RESTART || fault.kind() == FaultKind.REMOVE;
    if (calls && simulation.processes().get(fault.node()).isRunning()) {
      // it has stopped in the middle of a step, and can be called behind that only
      simulation.clock().after(1_000, () -> begin(fault));
      return;
    }
    note(fault, "begins");
    switch (fault.kind()) {
      case PAUSE -> simulation.processes().get(fault.node()).pause(fault.amount() == 1);
      case STALL -> {
        SimPortThreads own = threadsOf(fault);
        if (own != null) {
          threads.put(fault, own.stall());
        }
      }
      case HANG -> {
        SimPortThreads own = threadsOf(fault);
        if (own != null) {
          threads.put(fault, own.hang());
        }
      }
      case UNPOLLED -> simulation.processes().get(fault.node()).unpolled = (int) fault.amount();
      case LAZY -> simulation.processes().get(fault.node()).lazyUntilNs = fault.untilNs();
      case RESTART -> {
        SimProcess process = simulation.processes().get(fault.node());
        if (!process.isAlive()) {
          return;
        }
        process.kill();
      }
      case PORT ->
          simulation
              .processes()
              .get(fault.node())
              .openers()
              .get(fault.rail())
              .fail(fault.untilNs());
      case REMOVE -> simulation.processes().get(fault.node()).removePort(fault.rail());
      case ERASE, SCRIBBLE -> write(fault);
      default -> {
        active.add(fault);
        if (ring(fault)
            && (fault.kind() == FaultKind.CUT || fault.kind() == FaultKind.CUT_ONE_WAY)) {
          cutRings(fault, true);
        }
        apply(fault.rail());
      }
    }
    if (fault.untilNs() != Long.MAX_VALUE) {
      simulation.clock().at(fault.untilNs(), () -> finish(fault));
    }
  }

  /** Waits for a record that lies in a ring, and writes over it. */
  private void write(FaultSpec fault) {
    RailSpec rail = scenario.rails().get(fault.rail());
    for (SimRingRail ring : simulation.network().ringsOf(Simulation.address(rail, fault.node()))) {
      if (fault.kind() == FaultKind.ERASE ? ring.erase() : ring.damage()) {
        return;
      }
    }
    long nowNs = simulation.clock().nowNs();
    if (!healing && nowNs < fault.untilNs()) {
      simulation.clock().after(WRITE_RETRY_NS, () -> write(fault));
    }
  }

  private void finish(FaultSpec fault) {
    switch (fault.kind()) {
      case PAUSE -> simulation.processes().get(fault.node()).resume(fault.amount() == 1);
      case STALL, HANG -> goesOn(fault);
      case LAZY, UNPOLLED -> {}
      case RESTART -> {
        SimProcess process = simulation.processes().get(fault.node());
        if (fault.amount() == 1) {
          simulation.move(process);
        }
        process.start(scenario.tuning(), process.app());
      }
      case PORT, ERASE, SCRIBBLE -> {}
      case REMOVE -> simulation.processes().get(fault.node()).restorePort(fault.rail());
      default -> {
        // in the liveness phase what is not healed stays as it is
        if (healing || !active.remove(fault)) {
          return;
        }
        unapply(fault);
      }
    }
    note(fault, "ends");
  }

  private @Nullable SimPortThreads threadsOf(FaultSpec fault) {
    return simulation.processes().get(fault.node()).openers().get(fault.rail()).threads();
  }

  private void goesOn(FaultSpec fault) {
    Runnable end = threads.remove(fault);
    if (end != null) {
      end.run();
    }
  }

  private void unapply(FaultSpec fault) {
    if (ring(fault) && (fault.kind() == FaultKind.CUT || fault.kind() == FaultKind.CUT_ONE_WAY)) {
      cutRings(fault, false);
    }
    apply(fault.rail());
  }

  /** The liveness phase begins: the rails to be healed are healed, the others stay. */
  void heal() {
    healing = true;
    for (FaultSpec fault : List.copyOf(active)) {
      if (scenario.healed().contains(fault.rail())) {
        active.remove(fault);
        unapply(fault);
        note(fault, "healed");
      }
    }
    for (FaultSpec fault : scenario.faults()) {
      if (threads.containsKey(fault) && fault.untilNs() != Long.MAX_VALUE) { // else for ever
        goesOn(fault);
      }
    }
    for (SimProcess process : simulation.processes()) {
      process.lazyUntilNs = Math.min(process.lazyUntilNs, simulation.clock().nowNs());
      process.unpolled = -1;
      process.wake(simulation.clock().nowNs());
    }
  }

  private boolean ring(FaultSpec fault) {
    return scenario.rails().get(fault.rail()).ring();
  }

  private void cutRings(FaultSpec fault, boolean on) {
    RailSpec rail = scenario.rails().get(fault.rail());
    for (int node = 0; node < scenario.nodes(); node++) {
      if (fault.node() < 0 || fault.node() == node) {
        simulation.network().cutRings(Simulation.address(rail, node), on);
      }
    }
  }

  /** Sets the links of a net to what the active faults make of them. */
  private void apply(int railIndex) {
    RailSpec rail = scenario.rails().get(railIndex);
    if (rail.ring()) {
      return;
    }
    for (int from = 0; from < scenario.nodes(); from++) {
      for (int to = 0; to < scenario.nodes(); to++) {
        if (from != to) {
          apply(railIndex, rail, from, to);
        }
      }
    }
  }

  private void apply(int railIndex, RailSpec rail, int from, int to) {
    SimLink link =
        simulation.network().link(Simulation.address(rail, from), Simulation.address(rail, to));
    LinkModel model = rail.model();
    LinkFaults faults = LinkFaults.NONE;
    boolean cut = false;
    boolean mute = false;
    for (FaultSpec fault : active) {
      boolean concerns =
          fault.rail() == railIndex
              && (fault.node() < 0
                  || fault.node() == from
                  || (fault.node() == to && fault.kind() == FaultKind.CUT));
      if (!concerns) {
        continue;
      }
      switch (fault.kind()) {
        case CUT, CUT_ONE_WAY -> cut = true;
        case MUTE -> mute = true;
        case PACKETS -> faults = fault.packets();
        case MTU -> model = model.withMtu((int) fault.amount());
        case RATE -> model = model.withRate(fault.amount());
        case DELAY -> model = model.withDelay(fault.amount());
        default -> {}
      }
    }
    link.cut(cut);
    link.mute(mute);
    link.model(model);
    if (!link.faults().equals(faults)) {
      link.faults(faults);
    }
  }
}

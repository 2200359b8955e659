// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.simulation;

import io.crosstie.simulation.Scenario.FaultKind;
import io.crosstie.simulation.Scenario.FaultSpec;
import io.crosstie.simulation.Scenario.Kind;
import io.crosstie.simulation.Scenario.NodeSpec;
import io.crosstie.simulation.Scenario.RailSpec;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Gives some rails of a scenario ports with threads of their own, and lets these stop or hang. By a
 * generator of its own: all else in the scenario is as it would be without.
 */
final class PortThreadFaults {
  private static final long MS = 1_000_000L;

  private final SplittableRandom random;

  PortThreadFaults(long seed) {
    random = new SplittableRandom(Bytes.mix(seed + 0x7472_6561_6400L));
  }

  private boolean chance(int percent) {
    return random.nextInt(100) < percent;
  }

  private long upTo(long most) {
    return 1 + random.nextLong(most);
  }

  /** Changes rails, faults, and how nodes are run. */
  void add(
      Kind kind,
      List<NodeSpec> nodes,
      List<RailSpec> rails,
      List<FaultSpec> faults,
      long safetyNs) {
    if (!chance(35)) {
      return;
    }
    for (int i = 0; i < nodes.size(); i++) {
      NodeSpec n = nodes.get(i);
      boolean blocks = n.blocks() || chance(50);
      int stops = n.stopEvery() == 0 && hasFaults(kind) && chance(30) ? 1000 : n.stopEvery();
      nodes.set(i, new NodeSpec(n.singleThreaded(), blocks, n.cycleNs(), stops));
    }
    for (int rail = 0; rail < rails.size(); rail++) {
      if (!rails.get(rail).ring() && chance(60)) {
        rails.set(rail, rails.get(rail).withOwnThread());
        faults(kind, nodes.size(), rail, faults, safetyNs);
      }
    }
    for (int i = 0; i < faults.size(); i++) {
      FaultSpec f = faults.get(i);
      if (f.kind() == FaultKind.PAUSE && chance(50)) { // of the engine alone
        faults.set(
            i,
            new FaultSpec(f.fromNs(), f.untilNs(), f.kind(), f.rail(), f.node(), f.packets(), 1));
      }
    }
  }

  private void faults(Kind kind, int nodes, int rail, List<FaultSpec> faults, long safetyNs) {
    if (!hasFaults(kind)) {
      return;
    }
    for (int left = random.nextInt(4); left > 0; left--) {
      // a twelfth of a second is no hang, half a second is one
      long lastsNs = chance(60) ? upTo(80 * MS) : upTo(800 * MS);
      add(faults, FaultKind.STALL, rail, random.nextInt(nodes), safetyNs, lastsNs);
    }
    if (chance(60)) {
      long lastsNs = chance(40) ? Long.MAX_VALUE : upTo(2_500 * MS);
      add(faults, FaultKind.HANG, rail, random.nextInt(nodes), safetyNs, lastsNs);
    }
  }

  private static boolean hasFaults(Kind kind) {
    return switch (kind) {
      case LOSSY, CORRUPTION, CUTS, PORTS, RESTART, CHURN, CHAOS -> true;
      case CLEAN, SKEW, PAUSES, GOODPUT, OUTAGE, MEMORY, NEIGHBOURS, REUSE, RANKS -> false;
    };
  }

  private void add(
      List<FaultSpec> faults, FaultKind kind, int rail, int node, long safetyNs, long lastsNs) {
    long fromNs = random.nextLong(safetyNs);
    long untilNs = lastsNs == Long.MAX_VALUE ? lastsNs : fromNs + lastsNs;
    faults.add(new FaultSpec(fromNs, untilNs, kind, rail, node, LinkFaults.NONE, 0));
  }
}

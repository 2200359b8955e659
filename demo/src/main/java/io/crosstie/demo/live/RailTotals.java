// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo.live;

import io.crosstie.messaging.Counters;
import io.crosstie.messaging.RailCounter;
import io.crosstie.messaging.RailInfo;
import io.crosstie.messaging.RailState;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Adds up the counters of all rails that ever ran over one network: the library makes a new rail
 * when an address or the peer's process has changed. Not thread safe.
 */
final class RailTotals {
  private static final RailCounter[] COUNTERS = RailCounter.values();

  private final Network network;
  private final long[] ended = new long[COUNTERS.length];
  private Map<Counters<RailCounter>, RailInfo> present = new HashMap<>();
  private @Nullable RailInfo current;

  RailTotals(Network network) {
    this.network = network;
  }

  /** Looks at the rails that there are. */
  void update(List<RailInfo> rails) {
    Map<Counters<RailCounter>, RailInfo> now = new HashMap<>();
    current = null;
    for (RailInfo rail : rails) {
      if (network.containsRail(rail.local())) {
        now.put(rail.counters(), rail);
        RailInfo best = current;
        if (best == null || isBetter(rail, best)) {
          current = rail;
        }
      }
    }
    for (Counters<RailCounter> counters : present.keySet()) {
      if (!now.containsKey(counters)) {
        for (RailCounter counter : COUNTERS) {
          ended[counter.ordinal()] += counters.get(counter);
        }
      }
    }
    present = now;
  }

  private static boolean isBetter(RailInfo rail, RailInfo than) {
    boolean active = rail.state() == RailState.ACTIVE;
    return active == (than.state() == RailState.ACTIVE) ? rail.id() > than.id() : active;
  }

  /** The sum of a counter. */
  long sum(RailCounter counter) {
    long sum = ended[counter.ordinal()];
    for (Counters<RailCounter> counters : present.keySet()) {
      sum += counters.get(counter);
    }
    return sum;
  }

  /** A gauge of the rail that is there now, 0 if there is none. */
  long gauge(RailCounter counter) {
    RailInfo rail = current;
    return rail == null ? 0 : rail.counters().get(counter);
  }

  /** The state of the rail that is there now. */
  String state() {
    RailInfo rail = current;
    return rail == null ? "NONE" : rail.state().name();
  }
}

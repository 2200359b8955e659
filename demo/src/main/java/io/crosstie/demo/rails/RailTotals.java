// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo.rails;

import io.crosstie.messaging.Counters;
import io.crosstie.messaging.RailCounter;
import io.crosstie.messaging.RailInfo;
import io.crosstie.messaging.RailState;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Adds up the counters of all rails that ever were of one configuration or network: the library
 * makes a new rail when an address or the peer's process has changed. Not thread safe.
 */
public final class RailTotals {
  private static final RailCounter[] COUNTERS = RailCounter.values();

  private final Predicate<RailInfo> mine;
  private final long[] ended = new long[COUNTERS.length];
  private Map<Counters<RailCounter>, RailInfo> present = new HashMap<>();
  private @Nullable RailInfo current;

  /**
   * Of some rails.
   *
   * @param mine whether a rail is one of them
   */
  public RailTotals(Predicate<RailInfo> mine) {
    this.mine = mine;
  }

  /** Looks at the rails that there are. */
  public void update(List<RailInfo> rails) {
    Map<Counters<RailCounter>, RailInfo> now = new HashMap<>();
    current = null;
    for (RailInfo rail : rails) {
      if (mine.test(rail)) {
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
  public long sum(RailCounter counter) {
    long sum = ended[counter.ordinal()];
    for (Counters<RailCounter> counters : present.keySet()) {
      sum += counters.get(counter);
    }
    return sum;
  }

  /** A gauge of the rail that is there now, 0 if there is none. */
  public long gauge(RailCounter counter) {
    RailInfo rail = current;
    return rail == null ? 0 : rail.counters().get(counter);
  }

  /** The rail that is there now, null if there is none. */
  public @Nullable RailInfo current() {
    return current;
  }
}

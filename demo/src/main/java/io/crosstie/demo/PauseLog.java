// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo;

import java.util.ArrayList;
import java.util.List;

/** Times between two deliveries, longer than a millisecond. */
final class PauseLog {
  private static final long LEAST_NS = 1_000_000;
  private static final int MOST = 100_000;

  private final List<long[]> closed = new ArrayList<>();
  private long lastNs;
  private boolean begun;

  /** Something is delivered. */
  synchronized void beat(long nowNs) {
    if (begun && nowNs - lastNs > LEAST_NS && closed.size() < MOST) {
      closed.add(span(lastNs, nowNs));
    }
    begun = true;
    lastNs = nowNs;
  }

  /**
   * What was logged since the last call, and the pause under way, as pairs of {@link DemoClock}
   * times.
   */
  synchronized List<long[]> drain(long nowNs) {
    List<long[]> all = new ArrayList<>(closed);
    closed.clear();
    if (begun && nowNs - lastNs > LEAST_NS) {
      all.add(span(lastNs, nowNs));
    }
    return all;
  }

  private static long[] span(long fromNs, long toNs) {
    return new long[] {DemoClock.ofNanoTime(fromNs), DemoClock.ofNanoTime(toNs)};
  }
}

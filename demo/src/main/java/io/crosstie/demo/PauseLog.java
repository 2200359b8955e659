// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo;

import java.util.ArrayList;
import java.util.List;

/**
 * Times in which the receiver had nothing to deliver, longer than a millisecond. They run from the
 * handler's return to its next call, so that the test's own work, hashing, does not count.
 */
final class PauseLog {
  private static final long LEAST_NS = 1_000_000;
  private static final int MOST = 100_000;

  private final List<long[]> closed = new ArrayList<>();
  private long idleSinceNs;
  private boolean idle;

  /** The handler is called. */
  synchronized void begin(long nowNs) {
    if (idle && nowNs - idleSinceNs > LEAST_NS && closed.size() < MOST) {
      closed.add(span(idleSinceNs, nowNs));
    }
    idle = false;
  }

  /** The handler returns. */
  synchronized void end(long nowNs) {
    idle = true;
    idleSinceNs = nowNs;
  }

  /**
   * What was logged since the last call, and the pause under way, as pairs of {@link DemoClock}
   * times.
   */
  synchronized List<long[]> drain(long nowNs) {
    List<long[]> all = new ArrayList<>(closed);
    closed.clear();
    if (idle && nowNs - idleSinceNs > LEAST_NS) {
      all.add(span(idleSinceNs, nowNs));
    }
    return all;
  }

  private static long[] span(long fromNs, long toNs) {
    return new long[] {DemoClock.ofNanoTime(fromNs), DemoClock.ofNanoTime(toNs)};
  }
}

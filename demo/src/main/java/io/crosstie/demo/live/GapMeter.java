// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo.live;

import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Intervals between the deliveries of heartbeats. It knows nothing of cuts. One thread beats, any
 * may ask.
 */
final class GapMeter {
  private static final long HIGHEST_US = TimeUnit.HOURS.toMicros(1);

  /** Reports over which the last gap is the largest. */
  private static final int WINDOW = 5;

  private final Histogram intervals = new Histogram(HIGHEST_US, 3);
  private final long[] recent = new long[WINDOW];
  private int slot;
  private long lastNs;
  private boolean begun;

  /**
   * A heartbeat was delivered.
   *
   * @param resumed whether heartbeats were held back before it, so that the interval is no gap
   */
  synchronized void beat(long nowNs, boolean resumed) {
    if (begun && !resumed) {
      long us = Math.min(HIGHEST_US, (nowNs - lastNs) / 1_000);
      intervals.recordValue(us);
      recent[slot] = Math.max(recent[slot], us);
    }
    begun = true;
    lastNs = nowNs;
  }

  /** What comes next is the first of a row. */
  synchronized void pauseOver() {
    begun = false;
  }

  /** Forgets all. */
  synchronized void reset() {
    intervals.reset();
    java.util.Arrays.fill(recent, 0);
    begun = false;
  }

  /** What was measured; the periodic reporter alone moves the window on. */
  synchronized Report.Gaps report(long nowNs, boolean moveOn) {
    long last = 0;
    for (long each : recent) {
      last = Math.max(last, each);
    }
    if (moveOn) {
      slot = (slot + 1) % WINDOW;
      recent[slot] = 0;
    }
    return new Report.Gaps(
        last / 1e3,
        intervals.getValueAtPercentile(99) / 1e3,
        intervals.getMaxValue() / 1e3,
        intervals.getTotalCount(),
        begun ? Math.max(0, nowNs - lastNs) / 1e6 : 0); // one may have come since that time
  }
}

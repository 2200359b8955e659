// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.congestion;

/**
 * Pacing of one rail (R18): a budget of bytes that is earned at a rate, up to a burst. It may
 * become negative by one packet. The rate and the burst are the caller's and may change at any
 * time. Times are nanoseconds.
 *
 * <p>Who was told how long to wait and comes later than that was not scheduled. The rail could have
 * carried more meanwhile, and may make up for some of it. Otherwise the pace, and the rate that is
 * measured under it, and the pace that follows from that, would fall step by step to a packet for
 * each turn.
 */
final class Pacer {
  private static final double SECOND_NS = 1e9;

  private double budgetBytes;
  private long dueNs = Long.MAX_VALUE; // when somebody who waits wants to come back
  private long lastNs;
  private boolean started;

  /**
   * Earns what came in since the last call; the first call fills the budget.
   *
   * @param burstBytes nothing is earned beyond
   * @param maxLateNs but for what came in while a caller was late, of which no more counts
   */
  void refill(long nowNs, double bytesPerSecond, double burstBytes, long maxLateNs) {
    if (!started) {
      started = true;
      budgetBytes = burstBytes;
    } else if (nowNs - lastNs > 0) {
      double earned = (nowNs - lastNs) * bytesPerSecond / SECOND_NS;
      double most = burstBytes + lateNs(nowNs, maxLateNs) * bytesPerSecond / SECOND_NS;
      budgetBytes = Math.max(budgetBytes, Math.min(most, budgetBytes + earned));
    }
    lastNs = nowNs;
  }

  void spend(int bytes) {
    budgetBytes -= bytes;
  }

  /** Gives back what was earned beyond a burst. */
  void cap(double burstBytes) {
    budgetBytes = Math.min(budgetBytes, burstBytes);
  }

  double budgetBytes() {
    return budgetBytes;
  }

  private double lateNs(long nowNs, long maxLateNs) {
    if (nowNs < dueNs) {
      return 0;
    }
    double late = (double) Math.min(maxLateNs, nowNs - dueNs);
    dueNs = Long.MAX_VALUE;
    return late;
  }

  /** How long until the budget has grown to so much; 0 if it has. Who asks will wait so long. */
  long waitNs(double bytes, double bytesPerSecond) {
    double missing = bytes - budgetBytes;
    if (missing <= 0) {
      return 0;
    }
    long wait = (long) Math.ceil(missing / bytesPerSecond * SECOND_NS);
    dueNs = lastNs + wait;
    return wait;
  }

  /** Nobody waits any more. */
  void onAppLimited() {
    dueNs = Long.MAX_VALUE;
  }

  /** The next refill fills the budget. */
  void reset() {
    started = false;
    dueNs = Long.MAX_VALUE;
  }
}

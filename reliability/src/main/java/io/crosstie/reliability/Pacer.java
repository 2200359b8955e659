// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability;

/**
 * Pacing of one rail (R18): a budget of bytes that is earned at a rate and never exceeds a burst.
 * It may become negative by one packet. The rate and the burst are the caller's and may change at
 * any time. Times are nanoseconds.
 */
final class Pacer {
  private static final double SECOND_NS = 1e9;

  private double budgetBytes;
  private long lastNs;
  private boolean started;

  /** Earns what came in since the last call; the first call fills the budget. */
  void refill(long nowNs, double bytesPerSecond, double burstBytes) {
    if (!started) {
      started = true;
      budgetBytes = burstBytes;
    } else if (nowNs - lastNs > 0) {
      double earned = (nowNs - lastNs) * bytesPerSecond / SECOND_NS;
      budgetBytes = Math.min(burstBytes, budgetBytes + earned);
    }
    lastNs = nowNs;
  }

  void spend(int bytes) {
    budgetBytes -= bytes;
  }

  double budgetBytes() {
    return budgetBytes;
  }

  /** How long until the budget has grown to so much; 0 if it has. */
  long waitNs(double bytes, double bytesPerSecond) {
    double missing = bytes - budgetBytes;
    return missing <= 0 ? 0 : (long) Math.ceil(missing / bytesPerSecond * SECOND_NS);
  }

  /** The next refill fills the budget. */
  void reset() {
    started = false;
  }
}

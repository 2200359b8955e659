// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail;

/** A token bucket in effective time. */
final class Ration {
  private final long burst;
  private final long nsPerToken;
  private long tokens;
  private long lastNs;
  private boolean started;

  Ration(long burst, long perSecond) {
    this.burst = burst;
    this.nsPerToken = 1_000_000_000L / perSecond;
    this.tokens = burst;
  }

  boolean take(long nowNs) {
    if (!started) {
      started = true;
      lastNs = nowNs;
    }
    long fresh = (nowNs - lastNs) / nsPerToken;
    if (fresh > 0) {
      tokens = Math.min(burst, tokens + fresh);
      lastNs += fresh * nsPerToken;
    }
    if (tokens == 0) {
      return false;
    }
    tokens--;
    return true;
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.path;

/**
 * A bound on how often something is done: so often per second, and a burst after a rest. Effective
 * time.
 */
public final class RateLimiter {
  private final long burstNs;
  private final long nsPerToken;

  /** When all that was given out would have been earned. */
  private long earnedNs;

  private boolean started;

  public RateLimiter(long burst, long perSecond) {
    this.nsPerToken = 1_000_000_000L / perSecond;
    this.burstNs = (burst - 1) * nsPerToken;
  }

  /** Takes one now, if there is one. */
  public boolean take(long nowNs) {
    if (nextNs(nowNs) > nowNs) {
      return false;
    }
    spend(nowNs);
    return true;
  }

  /**
   * Takes the next one, though it may lie in the future: whoever asks first is served first.
   *
   * @return when it may be used, now at the earliest
   */
  public long reserve(long nowNs) {
    long at = Math.max(nowNs, nextNs(nowNs));
    spend(at);
    return at;
  }

  /** One that was taken is not used. */
  void giveBack() {
    earnedNs -= nsPerToken;
  }

  /** Whether nothing is owed: as much may be taken as after a long rest. */
  boolean isWhole(long nowNs) {
    return !started || earnedNs <= nowNs;
  }

  private long nextNs(long nowNs) {
    if (!started) {
      started = true;
      earnedNs = nowNs;
    }
    return earnedNs - burstNs;
  }

  private void spend(long atNs) {
    earnedNs = Math.max(earnedNs, atNs) + nsPerToken;
  }
}

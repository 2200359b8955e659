// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.handshake;

import io.crosstie.multirail.path.RateLimiter;
import org.jspecify.annotations.Nullable;

/**
 * How often packets for connections that are not there are answered. Each sender has a limit of its
 * own: after a restart all peers learn at once that they have to begin anew, however many they are,
 * and nobody else takes what they need. Of a fixed size: senders whose keys fall together share
 * one. Effective time.
 */
public final class ResetRateLimiter {
  static final int BUCKETS = 1024;
  public static final int BURST_PER_SENDER = 20;
  private static final int PER_SECOND_AND_SENDER = 20;

  /** No answer is longer than what draws it; this bounds what answering costs. */
  private static final int BURST = 1000;

  private static final int PER_SECOND = 2000;

  private final RateLimiter all = new RateLimiter(BURST, PER_SECOND);
  private final @Nullable RateLimiter[] buckets = new RateLimiter[BUCKETS];
  private final long seed;

  /**
   * @param seed so that nobody outside knows whose keys fall together
   */
  public ResetRateLimiter(long seed) {
    this.seed = seed;
  }

  /** Whether a packet of that sender may be answered now. */
  public boolean take(long sender, long nowNs) {
    long mixed = (sender ^ seed) * 0x9e37_79b9_7f4a_7c15L;
    int i = (int) (((mixed ^ (mixed >>> 32)) * 0xbf58_476d_1ce4_e5b9L) >>> 54); // of 1024
    RateLimiter own = buckets[i];
    if (own == null) {
      own = new RateLimiter(BURST_PER_SENDER, PER_SECOND_AND_SENDER);
      buckets[i] = own;
    }
    return own.take(nowNs) && all.take(nowNs);
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import java.util.function.LongSupplier;

/**
 * Yields, and notes those that come back late. Where others compute, a yield costs a whole time
 * slice of each of them, while a thread that blocks is run as soon as it is woken. So after a late
 * one there is none for twenty times as long as it took, and if the next ones are late again for
 * four times as long each time: a kernel that counts a yield as time used lets its thread wait for
 * long afterwards, too. Where processors are free it goes on as ever.
 */
final class LateYields {
  /** Longer than anything that a thread of ours does before it waits again. */
  private static final long LATE_NS = 200_000;

  private static final int LEAST_REST_FACTOR = 20;
  private static final int MOST_REST_FACTOR = 2000;
  private static final long MOST_REST_NS = 10_000_000_000L;

  /** So many in time since the last late one say that this one is the first. */
  private static final int IN_TIME = 16;

  private final LongSupplier clock;
  private boolean rests; // a race costs a yield, nothing else
  private int restFactor = LEAST_REST_FACTOR;
  private int inTime = IN_TIME;
  private long restsUntilNs;

  LateYields(LongSupplier clock) {
    this.clock = clock;
  }

  /** Whether somebody else computes, so that who waits should block at once. */
  boolean lately(long nowNs) {
    if (rests && nowNs - restsUntilNs >= 0) {
      rests = false;
    }
    return rests;
  }

  /** The same by the clock. */
  boolean lately() {
    return rests && lately(clock.getAsLong());
  }

  /**
   * Yields once.
   *
   * @param nowNs a reading of the clock that is not old
   */
  @SuppressWarnings("ThreadPriorityCheck") // a yield only saves time; nothing relies on it
  void yieldOnce(long nowNs) {
    Thread.yield();
    long endNs = clock.getAsLong();
    long tookNs = endNs - nowNs;
    if (tookNs <= LATE_NS) {
      inTime = Math.min(inTime + 1, IN_TIME);
      return;
    }
    restFactor = inTime >= IN_TIME ? LEAST_REST_FACTOR : Math.min(4 * restFactor, MOST_REST_FACTOR);
    inTime = 0;
    restsUntilNs = endNs + Math.min(restFactor * tookNs, MOST_REST_NS);
    rests = true;
  }

  /** The same by the clock. */
  void yieldOnce() {
    yieldOnce(clock.getAsLong());
  }
}

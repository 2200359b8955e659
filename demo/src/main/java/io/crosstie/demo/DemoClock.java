// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo;

import java.time.Duration;
import java.time.Instant;

/**
 * Microseconds since 1970 that never jump, the same in all processes started within a short time.
 */
@SuppressWarnings("TimeInStaticInitializer") // a common zero is the point
final class DemoClock {
  private static final long START_NS = System.nanoTime();
  private static final long START_US =
      Duration.between(Instant.EPOCH, Instant.now()).toNanos() / 1_000;

  private DemoClock() {}

  static long nowUs() {
    return ofNanoTime(System.nanoTime());
  }

  /** The same for a value of {@link System#nanoTime}. */
  static long ofNanoTime(long nanoTime) {
    return START_US + (nanoTime - START_NS) / 1_000;
  }
}

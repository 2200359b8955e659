// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** The one way to wait in these tests: for a condition, with generous patience. */
final class Await {
  /** For whatever a sound program does soon, on two slow cores that others use too. */
  static final Duration PATIENCE = Duration.ofMinutes(4);

  private static final long STEP_NS = TimeUnit.MILLISECONDS.toNanos(5);

  private Await() {}

  static void until(BooleanSupplier condition, Supplier<String> description) {
    until(condition, PATIENCE, description);
  }

  static void until(BooleanSupplier condition, String description) {
    until(condition, PATIENCE, () -> description);
  }

  static void until(BooleanSupplier condition, Duration timeout, String description) {
    until(condition, timeout, () -> description);
  }

  /** Waits until the condition holds, and fails with the description if it does not in time. */
  static void until(BooleanSupplier condition, Duration timeout, Supplier<String> description) {
    if (!holdsWithin(condition, timeout)) {
      throw new AssertionError("not within " + timeout + ": " + description.get());
    }
  }

  /** Waits until the condition holds; whether it did in time. */
  static boolean holdsWithin(BooleanSupplier condition, Duration timeout) {
    long endNs = System.nanoTime() + timeout.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - endNs >= 0) {
        return false;
      }
      LockSupport.parkNanos(STEP_NS);
    }
    return true;
  }

  /**
   * Lets time pass: for faults that last a while, never in the hope that something has happened.
   */
  static void pass(Duration time) {
    long endNs = System.nanoTime() + time.toNanos();
    for (long left = time.toNanos(); left > 0; left = endNs - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }
}

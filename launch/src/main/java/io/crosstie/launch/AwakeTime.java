// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.launch;

import java.time.Duration;

/**
 * Waits by small steps, each of which counts as one however long it took: where this process stands
 * still for a while, that is not time that others have had.
 */
final class AwakeTime {
  private static final int STEPS = 30;

  private AwakeTime() {}

  /** Waits for so long. */
  static void sleep(Duration time) throws InterruptedException {
    for (int step = 0; step < STEPS; step++) {
      Thread.sleep(time.dividedBy(STEPS));
    }
  }

  /** Whether the thread ends meanwhile. */
  static boolean join(Thread thread, Duration time) throws InterruptedException {
    for (int step = 0; step < STEPS; step++) {
      if (thread.join(time.dividedBy(STEPS))) {
        return true;
      }
    }
    return false;
  }
}

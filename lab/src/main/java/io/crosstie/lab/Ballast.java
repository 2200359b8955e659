// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.lab;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Live objects that make a full garbage collection take long. */
final class Ballast {
  private static final int STEP = 2_000_000;
  private static final int MOST = 120_000_000;

  private final List<@Nullable Object[]> chains = new ArrayList<>();

  /** Adds objects until a collection takes that long, and returns how long it took. */
  long growUntil(long targetNs) {
    long took = collect();
    for (int links = 0; took < targetNs && links < MOST; links += STEP) {
      @Nullable Object[] chain = new @Nullable Object[2];
      for (int i = 1; i < STEP; i++) {
        chain = new @Nullable Object[] {chain, null};
      }
      chains.add(chain);
      took = collect();
    }
    return took;
  }

  /** Collects and returns how long that took, in nanoseconds. */
  @SuppressWarnings("GarbageCollection")
  static long collect() {
    long begin = System.nanoTime();
    System.gc();
    return System.nanoTime() - begin;
  }
}

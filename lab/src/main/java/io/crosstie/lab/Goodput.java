// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.lab;

/** What a stretch of a receiver's time line says about how much arrived. */
final class Goodput {
  private static final double SLOT_S = Timeline.SLOT_NS / 1e9;

  private Goodput() {}

  /** Megabits a second from the first delivery to the last; 0 if there were not two. */
  static double megabits(Timeline.Stretch stretch) {
    int first = -1;
    int last = -1;
    long bytes = 0;
    for (int slot = 0; slot < stretch.bytes.length; slot++) {
      if (stretch.bytes[slot] > 0) {
        if (first < 0) {
          first = slot;
        } else {
          bytes += stretch.bytes[slot];
        }
        last = slot;
      }
    }
    return last > first ? bytes * 8 / 1e6 / ((last - first) * SLOT_S) : 0;
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo;

import java.util.ArrayDeque;

/** Times between deliveries at the receiver, the last few minutes of them. */
final class Pauses {
  private static final long KEEP_US = 300_000_000L;

  private record Pause(long fromUs, long toUs) {}

  private final ArrayDeque<Pause> pauses = new ArrayDeque<>();

  void add(long fromUs, long toUs) {
    pauses.addLast(new Pause(fromUs, toUs));
    while (!pauses.isEmpty() && pauses.peekFirst().toUs < toUs - KEEP_US) {
      pauses.removeFirst();
    }
  }

  /** The longest that has a moment in common with that span, in microseconds. */
  long longest(long fromUs, long toUs) {
    long longest = 0;
    for (Pause pause : pauses) {
      if (pause.toUs >= fromUs && pause.fromUs <= toUs) {
        longest = Math.max(longest, pause.toUs - pause.fromUs);
      }
    }
    return longest;
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo;

import java.util.ArrayDeque;

/** Times between heartbeats at the receiver, the last few minutes of them. */
final class Pauses {
  private static final long KEEP_US = 300_000_000L;

  /** From one delivery to the next. */
  record Pause(long fromUs, long toUs) {
    double ms() {
      return (toUs - fromUs) / 1e3;
    }
  }

  private final ArrayDeque<Pause> pauses = new ArrayDeque<>();

  void add(long fromUs, long toUs) {
    pauses.addLast(new Pause(fromUs, toUs));
    while (!pauses.isEmpty() && pauses.peekFirst().toUs < toUs - KEEP_US) {
      pauses.removeFirst();
    }
  }

  /** The longest that has a moment in common with that span; an empty one if there is none. */
  Pause longest(long fromUs, long toUs) {
    Pause longest = new Pause(fromUs, fromUs);
    for (Pause pause : pauses) {
      if (pause.toUs >= fromUs && pause.fromUs <= toUs && pause.ms() > longest.ms()) {
        longest = pause;
      }
    }
    return longest;
  }
}

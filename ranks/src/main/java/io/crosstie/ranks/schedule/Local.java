// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks.schedule;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** What a rank does by itself once the messages of a round have come; some bytes at a time. */
final class Local {
  private final MemorySegment left;
  private final MemorySegment right;
  private final @Nullable Combiner combiner;
  private final boolean intoLeft;
  private long at;

  private Local(
      MemorySegment left, MemorySegment right, @Nullable Combiner combiner, boolean intoLeft) {
    this.left = left;
    this.right = right;
    this.combiner = combiner;
    this.intoLeft = intoLeft;
  }

  /** Copies all of it. */
  static Local copy(MemorySegment from, MemorySegment to) {
    return new Local(from, to, null, false);
  }

  /**
   * Combines two parts.
   *
   * @param intoLeft where the result is to be; the other one is used up
   */
  static Local combine(
      Combiner combiner, MemorySegment left, MemorySegment right, boolean intoLeft) {
    return new Local(left, right, combiner, intoLeft);
  }

  boolean isForeign() {
    return combiner != null && combiner.isForeign();
  }

  /**
   * Does some bytes of it; all of it where the application's code does it, which may count on that.
   */
  boolean advance(long mostBytes) {
    long length = isForeign() ? right.byteSize() : Math.min(mostBytes, right.byteSize() - at);
    MemorySegment from = left.asSlice(at, length);
    MemorySegment to = right.asSlice(at, length);
    if (combiner == null) {
      MemorySegment.copy(from, 0, to, 0, length);
    } else {
      combiner.combine(from, to);
      if (intoLeft) {
        MemorySegment.copy(to, 0, from, 0, length);
      }
    }
    at += length;
    return at == right.byteSize();
  }
}

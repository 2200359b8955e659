// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks.schedule;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * Native memory for what is under way in collective operations, which the next ones use again: what
 * is fresh from the system costs more, a page at a time, than what is done with it. Content is what
 * the last user left. Any thread.
 *
 * <p>What is taken and never given back is freed once nobody refers to it.
 */
final class ScratchMemory {
  private static final long PAGE = 4096;

  private final long mostKept;
  private final Deque<MemorySegment> free = new ArrayDeque<>(); // the last used is the first
  private long kept;

  /**
   * None is there.
   *
   * @param mostKept bytes that are kept at most while nobody uses them
   */
  ScratchMemory(long mostKept) {
    this.mostKept = mostKept;
  }

  /**
   * Takes a piece.
   *
   * @return at least that many bytes, to be given back as it is
   */
  MemorySegment take(long bytes) {
    MemorySegment found = takeFree(bytes);
    return found != null
        ? found
        : Arena.ofAuto().allocate((bytes + PAGE - 1) / PAGE * PAGE, Long.BYTES);
  }

  /** The smallest that does; one of more than twice as many bytes is for somebody else. */
  private synchronized @Nullable MemorySegment takeFree(long bytes) {
    MemorySegment best = null;
    for (MemorySegment each : free) {
      long size = each.byteSize();
      if (size >= bytes
          && size / 2 <= Math.max(bytes, PAGE)
          && (best == null || size < best.byteSize())) {
        best = each;
      }
    }
    if (best != null) {
      boolean unused = free.remove(best);
      kept -= best.byteSize();
    }
    return best;
  }

  /** Gives a piece back that nobody reads or writes any more. */
  synchronized void giveBack(MemorySegment piece) {
    free.addFirst(piece);
    kept += piece.byteSize();
    Iterator<MemorySegment> oldest = free.descendingIterator();
    while (kept > mostKept) {
      kept -= oldest.next().byteSize();
      oldest.remove();
    }
  }

  /** Bytes that nobody uses. */
  synchronized long keptBytes() {
    return kept;
  }
}

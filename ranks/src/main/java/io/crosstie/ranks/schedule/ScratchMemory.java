// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks.schedule;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Native memory for what is under way in collective operations, which the next ones use again: what
 * is fresh from the system costs more, a page at a time, than what is done with it. Content is what
 * the last user left. Any thread.
 *
 * <p>What is taken and never given back is freed once nobody refers to it. What is kept counts
 * against the JVM's bound of direct memory, so it is little beside that, and goes first where an
 * operation would not find memory otherwise.
 */
final class ScratchMemory {
  private static final long PAGE = 4096;

  /** Pieces that are kept at most, each of which is looked at. */
  private static final int MOST_PIECES = 64;

  private final long mostKept;
  private final LongFunction<MemorySegment> system;
  private final Deque<MemorySegment> free = new ArrayDeque<>(); // the last used is the first
  private long kept;

  /**
   * None is there.
   *
   * @param mostKept bytes that are kept at most while nobody uses them
   */
  ScratchMemory(long mostKept) {
    this(mostKept, bytes -> Arena.ofAuto().allocate(bytes, Long.BYTES));
  }

  /** The same with fresh memory from there. */
  ScratchMemory(long mostKept, LongFunction<MemorySegment> system) {
    this.mostKept = mostKept;
    this.system = system;
  }

  /**
   * Takes a piece.
   *
   * @return at least that many bytes, to be given back as it is
   */
  MemorySegment take(long bytes) {
    MemorySegment found = takeFree(bytes);
    if (found != null) {
      return found;
    }
    long rounded = (bytes + PAGE - 1) / PAGE * PAGE;
    try {
      return system.apply(rounded);
    } catch (OutOfMemoryError e) {
      forget();
      return system.apply(rounded);
    }
  }

  private synchronized void forget() {
    free.clear();
    kept = 0;
  }

  /** The smallest that does; one of more than twice as many bytes is for somebody else. */
  private synchronized @Nullable MemorySegment takeFree(long bytes) {
    MemorySegment best = null;
    for (MemorySegment each : free) {
      long size = each.byteSize();
      if (size >= bytes && size / 2 <= bytes && (best == null || size < best.byteSize())) {
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
    if (piece.byteSize() > mostKept) {
      return;
    }
    free.addFirst(piece);
    kept += piece.byteSize();
    while (kept > mostKept || free.size() > MOST_PIECES) {
      kept -= free.removeLast().byteSize();
    }
  }

  /** Bytes that nobody uses. */
  synchronized long keptBytes() {
    return kept;
  }
}

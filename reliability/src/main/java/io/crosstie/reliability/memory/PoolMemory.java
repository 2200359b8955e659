// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.memory;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Where a {@link BufferPool} has its memory from. Gigabytes take seconds to be cleared, and some
 * tenths of one to be freed, for which all peers of a node would wait; so whatever takes long is
 * done elsewhere or in parts, and no method blocks (R37).
 *
 * <p>One thread calls, the engine's.
 */
public interface PoolMemory {

  /** Memory that was taken. */
  interface Piece {
    /** All of it; only to be touched between {@link #take} and {@link #free}. */
    MemorySegment segment();
  }

  /**
   * Takes native memory, aligned to 64 bytes; what is in it is nobody's business.
   *
   * @param bytes more than 0
   * @return null if there is none now: to be asked again for the same a little later, since it may
   *     be under way
   */
  @Nullable Piece take(long bytes);

  /**
   * Gives memory back to the system, or a part of it.
   *
   * @return whether all of it is back; if not, to be called again, in another duty cycle
   */
  boolean free(Piece piece);

  /**
   * Frees everything that was ever taken, now or soon. Whoever touches it afterwards gets an {@link
   * IllegalStateException}, or what was in it, but never a fault.
   */
  void close();
}

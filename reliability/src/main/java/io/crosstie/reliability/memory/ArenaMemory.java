// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.Set;

/**
 * Memory that is allocated and cleared by whoever asks: for pools that are small, or whose time
 * stands still meanwhile.
 */
final class ArenaMemory implements PoolMemory {
  private record Owned(Arena arena, MemorySegment segment) implements Piece {}

  private final Set<Owned> taken = new HashSet<>();

  @Override
  public Piece take(long bytes) {
    Arena arena = Arena.ofShared();
    try {
      Owned piece = new Owned(arena, arena.allocate(bytes, 64));
      taken.add(piece);
      return piece;
    } catch (Throwable e) {
      arena.close();
      throw e;
    }
  }

  @Override
  public boolean free(Piece piece) {
    if (piece instanceof Owned owned && taken.remove(owned)) {
      owned.arena.close();
    }
    return true;
  }

  /**
   * {@inheritDoc}
   *
   * @throws IllegalStateException if a native call of another thread still uses some of it; all
   *     other has been freed
   */
  @Override
  public void close() {
    IllegalStateException inUse = null;
    for (Owned piece : taken) {
      try {
        piece.arena.close();
      } catch (IllegalStateException e) {
        inUse = e;
      }
    }
    taken.clear();
    if (inUse != null) {
      throw inUse;
    }
  }
}

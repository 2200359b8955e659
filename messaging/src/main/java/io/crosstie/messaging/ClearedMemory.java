// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import io.crosstie.reliability.memory.PoolMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Memory as the JVM gives it where native calls are denied: cleared as a whole, which takes some
 * hundred microseconds for a MiB and seconds for a GiB, and counted against its limit on direct
 * memory, at which the JVM collects garbage before it refuses. So the {@link MemoryThread} does it,
 * one piece at a time, and the pool asks again.
 */
final class ClearedMemory implements PoolMemory {
  private record Allocated(Arena arena, MemorySegment segment) implements Piece {}

  /** One piece that is being made, or made and not wanted yet. */
  private static final class Order {
    final long bytes;
    final AtomicReference<@Nullable Allocated> made = new AtomicReference<>();
    volatile boolean over;

    Order(long bytes) {
      this.bytes = bytes;
    }

    void run() {
      Arena arena = Arena.ofShared();
      try {
        made.set(new Allocated(arena, arena.allocate(bytes, 64)));
      } catch (OutOfMemoryError e) { // the limit on direct memory: the pool asks again
        arena.close();
      } finally {
        over = true;
      }
    }
  }

  private final Set<Allocated> taken = new HashSet<>();
  private @Nullable Order order;

  @Override
  public @Nullable Piece take(long bytes) {
    Order current = order;
    if (current == null) {
      current = new Order(bytes);
      if (MemoryThread.run(current::run)) {
        order = current;
      }
      return null;
    }
    if (!current.over) {
      return null;
    }
    order = null;
    Allocated made = current.made.get();
    if (made == null) {
      return null;
    }
    if (current.bytes != bytes) {
      MemoryThread.close(made.arena); // for somebody who is gone
      return null;
    }
    taken.add(made);
    return made;
  }

  @Override
  public boolean free(Piece piece) {
    Allocated allocated = (Allocated) piece;
    taken.remove(allocated);
    MemoryThread.close(allocated.arena);
    return true;
  }

  @Override
  public void close() {
    for (Allocated piece : taken) {
      MemoryThread.close(piece.arena);
    }
    taken.clear();
    Order current = order;
    order = null;
    if (current != null) {
      boolean unused =
          MemoryThread.run( // behind the one that makes it
              () -> {
                Allocated made = current.made.get();
                if (made != null) {
                  MemoryThread.close(made.arena);
                }
              });
    }
  }
}

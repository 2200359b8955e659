// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.examples.ranks;

import io.crosstie.ranks.Communicator;
import io.crosstie.ranks.Data;
import io.crosstie.ranks.Reduction;
import io.crosstie.ranks.Request;
import io.crosstie.ranks.World;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Large messages go round: {@code LargeRing [BYTES [ROUNDS]]}. In each step a rank sends to the
 * next what it got from the one before, out of native memory straight into native memory; each
 * message must be that of the rank from which it came so many steps ago.
 */
public final class LargeRing {
  private static final int STEP = 1;
  private static final long BYTES = 64L << 20;

  private LargeRing() {}

  /** A word of a rank's message. */
  private static long word(int rank, long index) {
    return (rank + 1L) * 0x9e3779b97f4a7c15L + index * 0xbf58476d1ce4e5b9L;
  }

  private static boolean isOf(int rank, MemorySegment message) {
    for (long i = 0; i < message.byteSize() / Long.BYTES; i++) {
      if (message.getAtIndex(ValueLayout.JAVA_LONG, i) != word(rank, i)) {
        return false;
      }
    }
    return true;
  }

  /**
   * Whether all messages were right in all ranks.
   *
   * @param bytes of a message, a multiple of 8
   */
  public static boolean isRight(World world, long bytes, int rounds) {
    Communicator all = world.communicator();
    int size = all.size();
    int next = (all.rank() + 1) % size;
    int before = (all.rank() + size - 1) % size;
    int[] wrong = new int[1];
    try (Arena arena = Arena.ofShared()) {
      MemorySegment mine = arena.allocate(bytes, Long.BYTES);
      MemorySegment other = arena.allocate(bytes, Long.BYTES);
      for (long i = 0; i < bytes / Long.BYTES; i++) {
        mine.setAtIndex(ValueLayout.JAVA_LONG, i, word(all.rank(), i));
      }
      for (int step = 1; step <= rounds * size; step++) {
        Request.awaitAll(all.irecv(other, before, STEP), all.isend(mine, next, STEP));
        MemorySegment came = other;
        other = mine;
        mine = came;
        wrong[0] += isOf(Math.floorMod(all.rank() - step, size), mine) ? 0 : 1;
      }
    }
    all.allreduce(Data.of(wrong), Data.of(wrong), Reduction.SUM);
    return wrong[0] == 0;
  }

  /** Bytes of a message (64 MiB) and rounds (1). */
  public static void main(String[] args) {
    long bytes = args.length > 0 ? Long.parseLong(args[0]) : BYTES;
    int rounds = args.length > 1 ? Integer.parseInt(args[1]) : 1;
    Example.run("ring of messages of " + bytes + " bytes", world -> isRight(world, bytes, rounds));
  }
}

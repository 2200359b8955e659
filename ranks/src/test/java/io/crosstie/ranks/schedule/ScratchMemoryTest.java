// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks.schedule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Memory of collective operations that is used again. */
final class ScratchMemoryTest {
  private static final long BOUND = 100_000;

  private final ScratchMemory memory = new ScratchMemory(BOUND);

  @Test
  void whatIsGivenBackIsTakenAgain() {
    MemorySegment first = memory.take(10_000);
    assertTrue(first.byteSize() >= 10_000);
    MemorySegment second = memory.take(10_000);
    assertNotEquals(first.address(), second.address());
    memory.giveBack(first);
    assertEquals(first.byteSize(), memory.keptBytes());
    assertEquals(first.address(), memory.take(9_000).address());
    assertEquals(0, memory.keptBytes());
  }

  @Test
  void theSmallestThatDoesIsTaken() {
    MemorySegment large = memory.take(40_000);
    MemorySegment small = memory.take(30_000);
    memory.giveBack(small);
    memory.giveBack(large);
    assertEquals(small.address(), memory.take(25_000).address());
    assertEquals(large.address(), memory.take(25_000).address());
  }

  @Test
  void whatIsMuchTooLargeIsLeftForOthers() {
    MemorySegment large = memory.take(60_000);
    memory.giveBack(large);
    assertNotEquals(large.address(), memory.take(20_000).address());
    assertEquals(large.byteSize(), memory.keptBytes());
  }

  @Test
  void noMoreIsKeptThanTheBoundAndTheOldestGoes() {
    MemorySegment[] pieces = new MemorySegment[4];
    for (int i = 0; i < pieces.length; i++) {
      pieces[i] = memory.take(32_768);
    }
    for (MemorySegment piece : pieces) {
      memory.giveBack(piece);
      assertTrue(memory.keptBytes() <= BOUND);
    }
    assertEquals(3 * pieces[0].byteSize(), memory.keptBytes());
    for (int i = 0; i < 3; i++) {
      assertNotEquals(pieces[0].address(), memory.take(32_768).address());
    }
    memory.giveBack(pieces[1]);
    memory.giveBack(memory.take(2 * BOUND)); // more than may be kept costs nothing that is
    assertEquals(pieces[1].byteSize(), memory.keptBytes());
  }

  @Test
  void piecesAreFew() {
    ScratchMemory large = new ScratchMemory(1 << 30);
    List<MemorySegment> pieces = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      pieces.add(large.take(4096));
    }
    pieces.forEach(large::giveBack);
    assertEquals(64 * 4096, large.keptBytes());
  }

  @Test
  void whatIsKeptGoesBeforeAnOperationLacksMemory() {
    boolean[] isFull = new boolean[1];
    ScratchMemory small =
        new ScratchMemory(
            BOUND,
            bytes -> {
              if (isFull[0]) {
                isFull[0] = false; // the collector frees what nobody refers to
                throw new OutOfMemoryError("planted");
              }
              return MemorySegment.ofArray(new byte[(int) bytes]);
            });
    small.giveBack(small.take(8192));
    isFull[0] = true;
    assertEquals(40960, small.take(40_000).byteSize());
    assertEquals(0, small.keptBytes());
  }
}

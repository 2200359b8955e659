// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.reliability.memory.BufferPool;
import io.crosstie.reliability.memory.PoolMemory;
import io.crosstie.testkit.Facility;
import io.crosstie.transport.linux.Libc;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Memory of a node's pool, with and without native calls. */
@Tag("R37")
class PoolMemoryTest {
  private static final long GIB = 1L << 30;

  private static PagedMemory paged() {
    Facility.require(Libc.whyUnavailable() == null, Libc.whyUnavailable());
    return new PagedMemory();
  }

  @SuppressWarnings("ThreadPriorityCheck") // a yield only saves time; nothing relies on it
  private static void until(String what, BooleanSupplier condition) {
    for (long end = System.nanoTime() + 60_000_000_000L; !condition.getAsBoolean(); ) {
      assertTrue(System.nanoTime() < end, what);
      Thread.yield();
    }
  }

  private static long residentBytes() throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
      if (line.startsWith("VmRSS:")) {
        return Long.parseLong(line.replaceAll("[^0-9]", "")) << 10; // the file is in KiB
      }
    }
    throw new AssertionError("the system does not tell");
  }

  @Test
  void pagesAreThereWhenTheyAreTouchedAndNotBefore() throws IOException {
    PagedMemory memory = paged();
    long before = residentBytes();
    PoolMemory.Piece piece = memory.take(4 * GIB);
    assertNotNull(piece);
    MemorySegment segment = piece.segment();
    segment.set(JAVA_BYTE, 4 * GIB - 1, (byte) 1);
    assertEquals(0, segment.get(JAVA_BYTE, 3 * GIB));
    assertTrue(residentBytes() - before < GIB, "nobody cleared four gigabytes");
    memory.close();
    until("unmapped", () -> !segment.scope().isAlive());
  }

  @Test
  void goesBackInPartsAndWhatIsStillLookedAtReadsZeros() {
    PagedMemory memory = paged();
    long bytes = 4 * PagedMemory.PART_BYTES;
    PoolMemory.Piece piece = memory.take(bytes);
    assertNotNull(piece);
    MemorySegment segment = piece.segment();
    segment.fill((byte) 7);
    int calls = 1;
    while (!memory.free(piece)) {
      calls++;
    }
    assertEquals(4, calls);
    assertEquals(-1, segment.mismatch(MemorySegment.ofArray(new byte[(int) bytes])));
    PoolMemory.Piece again = memory.take(bytes);
    assertSame(piece, again, "addresses are used again");
    memory.close();
    until("unmapped", () -> !segment.scope().isAlive());
    assertThrows(IllegalStateException.class, () -> segment.get(JAVA_BYTE, 0));
  }

  @Test
  void clearedMemoryIsMadeElsewhere() {
    ClearedMemory memory = new ClearedMemory();
    assertNull(memory.take(1 << 20), "not on this thread");
    PoolMemory.Piece[] piece = new PoolMemory.Piece[1];
    until("made", () -> (piece[0] = memory.take(1 << 20)) != null);
    assertNull(memory.take(1 << 20));
    until("not for this size", () -> memory.take(1 << 21) != null);
    MemorySegment segment = piece[0].segment();
    assertTrue(memory.free(piece[0]));
    until("freed", () -> !segment.scope().isAlive());
    memory.close();
  }

  @Test
  void whatTheJvmRefusesIsNoErrorOfTheEngine() {
    ClearedMemory memory = new ClearedMemory();
    for (int i = 0; i < 3; i++) {
      assertNull(memory.take(1L << 45)); // more than any limit on direct memory
    }
    memory.close();
  }

  @Test
  void aPoolLivesWithPagedMemory() {
    live(paged());
  }

  @Test
  void aPoolLivesWithClearedMemory() {
    live(new ClearedMemory());
  }

  private static void live(PoolMemory memory) {
    BufferPool pool = new BufferPool(1 << 20, memory);
    BufferPool.PooledBuffer[] buffer = new BufferPool.PooledBuffer[1];
    until("taken", () -> (buffer[0] = pool.take(1 << 20)) != null);
    pool.give(buffer[0]);
    until("another class", () -> (buffer[0] = pool.take(1 << 17)) != null);
    assertEquals(1 << 17, pool.usedBytes());
    MemorySegment segment = buffer[0].segment();
    pool.close();
    until("freed", () -> !segment.scope().isAlive());
    assertFalse(pool.canTake(1));
  }
}

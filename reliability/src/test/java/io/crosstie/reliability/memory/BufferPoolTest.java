// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.memory;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.reliability.memory.BufferPool.PooledBuffer;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("R24")
class BufferPoolTest {
  private static final long BLOCK = BufferPool.MIN_BUFFER_BYTES;

  private final BufferPool pool = new BufferPool(8 * BLOCK);

  @AfterEach
  void close() {
    pool.close();
  }

  private PooledBuffer take(long length) {
    PooledBuffer buffer = pool.take(length);
    assertNotNull(buffer);
    return buffer;
  }

  @Test
  void takesNothingUntilAsked() {
    assertEquals(0, pool.usedBytes());
    assertEquals(0, pool.retainedBytes());
    assertEquals(8 * BLOCK, pool.capacityBytes());
  }

  @Test
  void roundsUpToAPowerOfTwoOfBlocks() {
    assertEquals(BLOCK, take(0).capacity());
    assertEquals(BLOCK, take(BLOCK).capacity());
    assertEquals(2 * BLOCK, take(BLOCK + 1).capacity());
    assertEquals(4 * BLOCK, take(3 * BLOCK).capacity());
    assertEquals(8 * BLOCK, pool.usedBytes());
    assertEquals(4 * BLOCK, BufferPool.chargeBytes(3 * BLOCK));
  }

  @Test
  void refusesBeyondTheBound() {
    PooledBuffer large = take(4 * BLOCK);
    take(4 * BLOCK);
    assertFalse(pool.canTake(1));
    assertNull(pool.take(1));
    assertEquals(8 * BLOCK, pool.usedBytes());
    pool.give(large);
    assertTrue(pool.canTake(1));
    assertEquals(BLOCK, take(1).capacity(), "the retained buffer made room");
  }

  @Test
  void refusesWhatExceedsTheLargestClass() {
    try (BufferPool small = new BufferPool(100 * BLOCK, 3 * BLOCK)) {
      assertTrue(small.canTake(4 * BLOCK), "rounded up to a class");
      assertFalse(small.canTake(4 * BLOCK + 1));
      assertNull(small.take(4 * BLOCK + 1));
    }
    assertFalse(pool.canTake(8 * BLOCK + 1));
  }

  @Test
  void reusesWithoutClearing() {
    PooledBuffer buffer = take(BLOCK);
    buffer.segment().set(JAVA_BYTE, 17, (byte) 42);
    pool.give(buffer);
    assertEquals(0, pool.usedBytes());
    assertEquals(BLOCK, pool.retainedBytes());
    PooledBuffer again = take(5);
    assertSame(buffer, again);
    assertEquals(42, again.segment().get(JAVA_BYTE, 17));
    assertEquals(0, pool.retainedBytes());
  }

  @Test
  void freesRetainedBuffersForOtherClasses() {
    PooledBuffer large = take(4 * BLOCK);
    PooledBuffer middle = take(2 * BLOCK);
    pool.give(large);
    pool.give(middle);
    assertEquals(6 * BLOCK, pool.retainedBytes());
    List<PooledBuffer> buffers = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      buffers.add(take(BLOCK));
    }
    assertEquals(2 * BLOCK, pool.retainedBytes(), "the largest went first");
    assertFalse(large.segment().scope().isAlive(), "its memory was returned");
    assertTrue(middle.segment().scope().isAlive());
    assertSame(middle, take(2 * BLOCK));
    buffers.forEach(pool::give);
    assertEquals(2 * BLOCK, pool.usedBytes());
  }

  @Test
  void detectsABufferGivenTwiceOrToAnotherPool() {
    PooledBuffer buffer = take(1);
    pool.give(buffer);
    assertThrows(IllegalStateException.class, () -> pool.give(buffer));
    try (BufferPool other = new BufferPool(BLOCK)) {
      PooledBuffer foreign = other.take(1);
      assertNotNull(foreign);
      assertThrows(IllegalArgumentException.class, () -> pool.give(foreign));
    }
  }

  @Test
  void closeFreesAllEvenWhatIsLent() {
    PooledBuffer lent = take(1);
    PooledBuffer given = take(1);
    pool.give(given);
    pool.close();
    assertFalse(lent.segment().scope().isAlive());
    assertFalse(given.segment().scope().isAlive());
    assertThrows(IllegalStateException.class, () -> lent.segment().get(JAVA_BYTE, 0));
    assertEquals(0, pool.usedBytes());
    assertEquals(0, pool.retainedBytes());
    assertFalse(pool.canTake(1));
    assertNull(pool.take(1));
    pool.give(lent);
    pool.close();
    assertEquals(0, pool.usedBytes());
  }

  /** Memory that is there, and goes back, after so many questions. */
  private static final class SlowMemory implements PoolMemory {
    private record Slow(MemorySegment segment) implements Piece {}

    int refusals;
    int parts;
    int closed;

    @Override
    public Piece take(long bytes) {
      return refusals-- > 0 ? null : new Slow(Arena.ofAuto().allocate(bytes, 64));
    }

    @Override
    public boolean free(Piece piece) {
      return parts-- <= 0;
    }

    @Override
    public void close() {
      closed++;
    }
  }

  @Test
  @Tag("R37")
  void isAskedAgainUntilThereIsMemory() {
    SlowMemory memory = new SlowMemory();
    try (BufferPool slow = new BufferPool(4 * BLOCK, memory)) {
      memory.refusals = 3;
      for (int i = 0; i < 3; i++) {
        assertTrue(slow.canTake(BLOCK));
        assertNull(slow.take(BLOCK));
        assertEquals(0, slow.usedBytes());
      }
      assertNotNull(slow.take(BLOCK));
      assertEquals(BLOCK, slow.usedBytes());
    }
    assertEquals(1, memory.closed, "at once, not buffer by buffer");
  }

  @Test
  @Tag("R37")
  void whatGoesBackInPartsCountsUntilItIsBack() {
    SlowMemory memory = new SlowMemory();
    try (BufferPool slow = new BufferPool(4 * BLOCK, memory)) {
      PooledBuffer large = slow.take(4 * BLOCK);
      assertNotNull(large);
      slow.give(large);
      memory.parts = 3;
      for (int i = 0; i < 3; i++) {
        assertNull(slow.take(BLOCK));
        assertTrue(slow.isFreeing());
        assertEquals(4 * BLOCK, slow.retainedBytes());
      }
      assertNotNull(slow.take(BLOCK));
      assertFalse(slow.isFreeing());
      assertEquals(0, slow.retainedBytes());
      assertNull(slow.take(4 * BLOCK), "the bound holds");
    }
  }

  @Test
  void aPoolWithoutCapacityLendsNothing() {
    try (BufferPool none = new BufferPool(0)) {
      assertFalse(none.canTake(0));
      assertNull(none.take(0));
    }
  }

  @Test
  void refusesNonsense() {
    assertThrows(IllegalArgumentException.class, () -> new BufferPool(-1));
    assertThrows(IllegalArgumentException.class, () -> new BufferPool(1, 0));
    assertThrows(IllegalArgumentException.class, () -> pool.canTake(-1));
  }

  @Test
  @Tag("R12")
  void neverExceedsItsBoundWhateverIsAsked() {
    for (int seed = 0; seed < 20; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      try (BufferPool tested = new BufferPool(20 * BLOCK + 5, 16 * BLOCK)) {
        List<PooledBuffer> lent = new ArrayList<>();
        long used = 0;
        for (int step = 0; step < 300; step++) {
          if (lent.isEmpty() || random.nextInt(5) < 3) {
            long length = random.nextLong(1, 1L << random.nextInt(10, 22));
            boolean can = tested.canTake(length);
            PooledBuffer buffer = tested.take(length);
            assertEquals(can, buffer != null, "seed " + seed + " step " + step);
            if (buffer != null) {
              assertTrue(buffer.capacity() >= length);
              lent.add(buffer);
              used += buffer.capacity();
            }
          } else {
            PooledBuffer buffer = lent.remove(random.nextInt(lent.size()));
            used -= buffer.capacity();
            tested.give(buffer);
          }
          assertEquals(used, tested.usedBytes());
          assertTrue(tested.usedBytes() + tested.retainedBytes() <= tested.capacityBytes());
        }
      }
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.BitSet;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("R10")
class IntervalSetTest {
  private static final int MOST = 4096;

  private final IntervalSet set = new IntervalSet(MOST);

  @Test
  void emptySet() {
    assertTrue(set.isComplete(0), "an empty message is complete");
    assertFalse(set.isComplete(1));
    assertTrue(set.covers(5, 5));
    assertFalse(set.intersects(5, 5));
    assertEquals(3, set.nextMissing(3, 9));
    assertEquals(9, set.missingEnd(3, 9));
  }

  @Test
  void appendsInOneInterval() {
    for (int i = 0; i < 1000; i++) {
      assertEquals(1376, set.add(i * 1376L, (i + 1) * 1376L));
    }
    assertEquals(1, set.intervals());
    assertTrue(set.isComplete(1_376_000));
    assertFalse(set.isComplete(1_376_001));
  }

  @Test
  void countsOnlyNewBytes() {
    assertEquals(10, set.add(10, 20));
    assertEquals(0, set.add(12, 18));
    assertEquals(5, set.add(5, 15));
    assertEquals(10, set.add(30, 40));
    assertEquals(20, set.add(0, 45), "over two intervals and their holes");
    assertEquals(1, set.intervals());
    assertEquals(45, set.nextMissing(0, 50));
  }

  @Test
  void joinsNeighbours() {
    set.add(0, 10);
    set.add(20, 30);
    assertEquals(2, set.intervals());
    assertEquals(10, set.add(10, 20));
    assertEquals(1, set.intervals());
    set.add(40, 50);
    assertEquals(5, set.add(35, 40));
    assertEquals(2, set.intervals());
  }

  @Test
  void walksTheHoles() {
    set.add(10, 20);
    set.add(30, 40);
    StringBuilder holes = new StringBuilder();
    long end = 50;
    for (long at = set.nextMissing(0, end); at < end; ) {
      long stop = set.missingEnd(at, end);
      holes.append(at).append('-').append(stop).append(' ');
      at = set.nextMissing(stop, end);
    }
    assertEquals("0-10 20-30 40-50 ", holes.toString());
    assertEquals(15, set.nextMissing(12, 15), "none in there");
  }

  @Test
  @Tag("R24")
  void atTheBoundNothingChanges() {
    IntervalSet small = new IntervalSet(3);
    small.add(0, 1);
    small.add(10, 11);
    small.add(20, 21);
    assertEquals(-1, small.add(30, 31));
    assertEquals(-1, small.add(5, 6));
    assertEquals(3, small.intervals());
    assertFalse(small.intersects(30, 31));
    assertFalse(small.intersects(5, 6));
    assertEquals(1, small.add(21, 22), "what joins another is no interval more");
    assertEquals(8, small.add(2 - 1, 9), "so is what lengthens one");
    assertEquals(1, small.add(9, 10), "and what closes a hole");
    assertEquals(1, small.add(5_000, 5_001), "which makes room");
    assertEquals(3, small.intervals());
  }

  @Test
  void growsUpToTheBoundAndIsReused() {
    for (int round = 0; round < 2; round++) {
      for (long i = 0; i < MOST; i++) {
        assertEquals(1, set.add(2 * i, 2 * i + 1));
      }
      assertEquals(-1, set.add(1_000_000, 1_000_001));
      assertEquals(MOST, set.intervals());
      set.clear();
      assertEquals(0, set.intervals());
    }
  }

  @Test
  void worksAtTheEndOfTheRange() {
    assertEquals(5, set.add(Long.MAX_VALUE - 5, Long.MAX_VALUE));
    assertTrue(set.covers(Long.MAX_VALUE - 5, Long.MAX_VALUE));
    assertEquals(0, set.nextMissing(0, Long.MAX_VALUE));
    assertEquals(Long.MAX_VALUE - 5, set.missingEnd(0, Long.MAX_VALUE));
  }

  @Test
  void refusesWhatIsNoRange() {
    assertThrows(IllegalArgumentException.class, () -> set.add(-1, 5));
    assertThrows(IllegalArgumentException.class, () -> set.add(5, 4));
    assertThrows(IllegalArgumentException.class, () -> set.covers(5, 4));
    assertThrows(IllegalArgumentException.class, () -> new IntervalSet(0));
  }

  @Test
  void behavesAsABitSet() {
    for (int seed = 0; seed < 300; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      int bound = 1 + random.nextInt(20);
      IntervalSet tested = new IntervalSet(bound);
      BitSet reference = new BitSet();
      for (int step = 0; step < 200; step++) {
        int start = random.nextInt(300);
        int end = start + random.nextInt(12);
        String where = "seed " + seed + " step " + step + " [" + start + ", " + end + ")";
        BitSet after = (BitSet) reference.clone();
        after.set(start, end);
        BitSet part = reference.get(start, end);
        assertEquals(part.cardinality() == end - start, tested.covers(start, end), where);
        assertEquals(!part.isEmpty(), tested.intersects(start, end), where);
        boolean fits = intervals(after) <= bound;
        long added = tested.add(start, end);
        assertEquals(fits ? after.cardinality() - reference.cardinality() : -1L, added, where);
        reference = fits ? after : reference;
        assertEquals(intervals(reference), tested.intervals(), where);
        int from = random.nextInt(300);
        int missing = Math.min(reference.nextClearBit(from), 310);
        assertEquals(missing, tested.nextMissing(from, 310), where);
        int covered = reference.nextSetBit(missing);
        assertEquals(covered < 0 ? 310 : covered, tested.missingEnd(missing, 310), where);
      }
    }
  }

  private static int intervals(BitSet bits) {
    int n = 0;
    for (int at = bits.nextSetBit(0); at >= 0; at = bits.nextSetBit(bits.nextClearBit(at))) {
      n++;
    }
    return n;
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("R24")
class GrowingRingTest {
  private record Stretch(MemorySegment memory, long offset, int length, byte fill) {}

  @Test
  void stretchesNeverOverlapAndTheBoundHolds() {
    Random random = new Random(42);
    GrowingRing ring = new GrowingRing(256, 1 << 14);
    List<Stretch> live = new ArrayList<>();
    int refused = 0;
    for (int step = 0; step < 20_000; step++) {
      if (random.nextInt(100) < 52) {
        int length = random.nextInt(400);
        long at = ring.claim(length);
        if (at < 0) {
          refused++;
          live.forEach(GrowingRingTest::verify);
          // room comes back in any order
          while (!live.isEmpty()) {
            Stretch s = live.remove(random.nextInt(live.size()));
            ring.release(s.memory, s.offset);
          }
          assertEquals(0, ring.usedBytes());
          continue;
        }
        assertEquals(0, at % 8);
        Stretch s = new Stretch(ring.memory(), at, length, (byte) step);
        s.memory.asSlice(at, length).fill(s.fill);
        live.add(s);
      } else if (!live.isEmpty()) {
        Stretch s = live.remove(random.nextInt(live.size()));
        verify(s);
        ring.release(s.memory, s.offset);
      }
    }
    live.forEach(GrowingRingTest::verify);
    assertTrue(ring.capacity() <= 1 << 14);
    assertTrue(refused > 0, "the bound was never met, so it was not tested");
  }

  private static void verify(Stretch s) {
    for (int i = 0; i < s.length; i++) {
      assertEquals(s.fill, s.memory.get(ValueLayout.JAVA_BYTE, s.offset + i));
    }
  }

  @Test
  void givingBackTwiceIsNoticed() {
    GrowingRing ring = new GrowingRing(256, 256);
    long first = ring.claim(8);
    long second = ring.claim(8);
    ring.release(ring.memory(), second);
    assertThrows(IllegalStateException.class, () -> ring.release(ring.memory(), second));
    ring.release(ring.memory(), first);
    assertEquals(0, ring.usedBytes());
  }
}

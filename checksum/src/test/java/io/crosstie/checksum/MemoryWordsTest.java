// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.checksum;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.api.Test;

class MemoryWordsTest {
  private static final List<MemorySegment> MEMORIES =
      List.of(Arena.ofAuto().allocate(64, 8), MemorySegment.ofArray(new long[8]));

  @Test
  void everyAccessMeetsTheSegmentsBytes() {
    for (MemorySegment segment : MEMORIES) {
      MemoryWords words = MemoryWords.of(segment);
      assertSame(segment, words.segment());
      words.set(0, 1);
      words.set(16, 2);
      words.setRelease(24, 3);
      words.setOpaque(56, 4);
      assertEquals(1, segment.get(ValueLayout.JAVA_LONG, 0));
      assertEquals(2, segment.get(ValueLayout.JAVA_LONG, 16));
      assertEquals(3, segment.get(ValueLayout.JAVA_LONG, 24));
      assertEquals(4, segment.get(ValueLayout.JAVA_LONG, 56));
      assertEquals(2, words.get(16));
      assertEquals(3, words.getAcquire(24));
      assertEquals(4, words.getOpaque(56));
    }
  }

  @Test
  void whatLiesOutsideIsFoundOutByAssertions() {
    for (MemorySegment segment : MEMORIES) {
      MemoryWords words = MemoryWords.of(segment);
      assertThrows(AssertionError.class, () -> words.get(64));
      assertThrows(AssertionError.class, () -> words.set(-8, 0));
      assertThrows(AssertionError.class, () -> words.get(4));
    }
  }
}

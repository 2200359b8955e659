// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.link;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Sums of what timed runs receive. */
final class SumCheckerTest {
  private static final int SLOTS = 4;

  /** Fewer words than the vectorised loop is for, and more. */
  private static final List<Integer> SIZES = List.of(8, 32, 56, 128, 136, 1000);

  /** Slots with a word before them; in native memory, in bytes and in another array. */
  private static List<MemorySegment> kinds(int size) {
    int bytes = 8 + SLOTS * size;
    List<MemorySegment> kinds =
        List.of(
            Arena.ofAuto().allocate(bytes),
            MemorySegment.ofArray(new byte[bytes]),
            MemorySegment.ofArray(new byte[bytes + 16]).asSlice(16),
            MemorySegment.ofArray(new long[bytes / 8]));
    for (MemorySegment memory : kinds) {
      for (int slot = 0; slot < SLOTS; slot++) {
        Content.fill(memory, 8 + (long) slot * size, size, slot);
      }
    }
    return kinds;
  }

  @Test
  void takesSlotsInTurnInAnyPieces() {
    for (int size : SIZES) {
      for (MemorySegment memory : kinds(size)) {
        for (int piece = 8; piece <= SLOTS * size; piece += 8) {
          SumChecker checker = new SumChecker(size, SLOTS, true);
          for (int turn = 0; turn < 2; turn++) {
            for (int at = 0; at < SLOTS * size; at += piece) {
              checker.onData(memory, 8 + at, Math.min(piece, SLOTS * size - at));
            }
          }
        }
      }
    }
  }

  @Test
  void findsEverySingleWrongByte() {
    for (int size : SIZES) {
      for (MemorySegment memory : kinds(size)) {
        for (int at = 8; at < 8 + 2 * size; at++) {
          byte good = memory.get(ValueLayout.JAVA_BYTE, at);
          memory.set(ValueLayout.JAVA_BYTE, at, (byte) (good ^ 0x80));
          SumChecker checker = new SumChecker(size, SLOTS, true);
          assertThrows(
              LinkException.class, () -> checker.onData(memory, 8, 2L * size), "byte " + at);
          memory.set(ValueLayout.JAVA_BYTE, at, good);
        }
      }
    }
  }

  @Test
  void lostMessageIsFaultOfReliableSubjectOnly() {
    MemorySegment memory = kinds(32).getFirst();
    SumChecker strict = new SumChecker(32, SLOTS, true);
    assertThrows(LinkException.class, () -> strict.onData(memory, 8 + 32, 32));
    SumChecker lenient = new SumChecker(32, SLOTS, false);
    lenient.onData(memory, 8 + 2 * 32, 32);
    lenient.onData(memory, 8 + 16, 16); // the second piece of a message of which the first is lost
    assertDoesNotThrow(() -> lenient.onData(memory, 8 + 3 * 32, 8));
  }

  @Test
  void lossDoesNotHideWrongWord() {
    MemorySegment memory = kinds(32).getFirst();
    memory.set(ValueLayout.JAVA_LONG_UNALIGNED, 8, 1);
    SumChecker first = new SumChecker(32, SLOTS, false);
    assertThrows(LinkException.class, () -> first.onData(memory, 8, 32));
    memory.set(ValueLayout.JAVA_LONG_UNALIGNED, 8, Content.word(0, 0));
    memory.set(ValueLayout.JAVA_LONG_UNALIGNED, 16, 1);
    SumChecker second = new SumChecker(32, SLOTS, false);
    assertThrows(LinkException.class, () -> second.onData(memory, 8, 32));
    assertThrows(LinkException.class, () -> second.onData(memory, 8, 12));
  }

  @Test
  void readsNothingBeyondTheSegment() {
    MemorySegment memory = Arena.ofAuto().allocate(64);
    assertThrows(IndexOutOfBoundsException.class, () -> WordSum.of(memory, 8, 8));
    assertThrows(IndexOutOfBoundsException.class, () -> WordSum.of(memory, -8, 1));
    assertEquals(0, WordSum.of(memory, 0, 8));
  }
}

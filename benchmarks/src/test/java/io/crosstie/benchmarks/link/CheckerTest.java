// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

final class CheckerTest {
  private static final int SIZE = 64;

  private final MemorySegment memory = Arena.ofAuto().allocate(4 * SIZE);

  private void fill(int... messages) {
    for (int i = 0; i < messages.length; i++) {
      Content.fill(memory, (long) i * SIZE, SIZE, messages[i]);
    }
  }

  @Test
  void contentTellsItsMessage() {
    fill(7, 1 << 30);
    assertEquals(7, Content.messageAt(memory, 0));
    assertEquals(7, Content.messageAt(memory, SIZE - 8));
    assertEquals(7, Content.indexAt(memory, SIZE - 8));
    assertEquals(1 << 30, Content.messageAt(memory, SIZE));
    assertEquals(0, Content.indexAt(memory, SIZE));
  }

  @Test
  void takesMessagesInOrderInAnyPieces() {
    fill(0, 1, 2, 3);
    Checker checker = new Checker(SIZE, true);
    checker.onData(memory, 0, SIZE + 24); // a message and a part of the next
    checker.onData(memory, SIZE + 24, 3 * SIZE - 24);
    assertEquals(0, checker.lostBytes());
  }

  @Test
  void findsEverySingleWrongByte() {
    for (int at = 0; at < 2 * SIZE; at++) {
      fill(0, 1);
      byte good = memory.get(ValueLayout.JAVA_BYTE, at);
      memory.set(ValueLayout.JAVA_BYTE, at, (byte) (good ^ 1));
      Checker checker = new Checker(SIZE, true);
      assertThrows(LinkException.class, () -> checker.onData(memory, 0, 2 * SIZE), "byte " + at);
    }
  }

  @Test
  void gapIsFaultOfReliableSubjectOnly() {
    fill(0, 2);
    Checker strict = new Checker(SIZE, true);
    LinkException e =
        assertThrows(
            LinkException.class,
            () -> {
              strict.onData(memory, 0, SIZE);
              strict.onData(memory, SIZE, SIZE);
            });
    assertTrue(String.valueOf(e.getMessage()).contains("message 1 of 64 bytes"), e.getMessage());
    Checker lenient = new Checker(SIZE, false);
    lenient.onData(memory, 0, SIZE);
    lenient.onData(memory, SIZE, SIZE);
    assertEquals(SIZE, lenient.lostBytes());
  }

  @Test
  void repeatIsAlwaysFault() {
    fill(0, 1);
    Checker checker = new Checker(SIZE, false);
    checker.onData(memory, 0, 2 * SIZE);
    assertThrows(LinkException.class, () -> checker.onData(memory, SIZE, SIZE));
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.testkit.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

final class StreamVerifierTest {
  private static final long SESSION = 0x1234_5678_9ABCL;
  private static final int BYTES = 128;

  private final StreamVerifier judge = new StreamVerifier(0, 1);

  private static MemorySegment message(long session, long index) {
    MemorySegment message = MemorySegment.ofArray(new long[BYTES / Long.BYTES]);
    NumberedMessage.write(message, session, index, 0);
    return message;
  }

  private StreamVerifier.Account take(long... indices) {
    for (long index : indices) {
      judge.take(message(SESSION, index), 0, BYTES);
    }
    return judge.account();
  }

  @Test
  void goodStream() {
    StreamVerifier.Account report = take(1, 2, 3);
    assertTrue(report.isClean());
    assertEquals(3, report.delivered());
    assertEquals(3 * BYTES, report.bytes());
    assertEquals(SESSION, judge.stream());
  }

  @Test
  void whatIsPassedOverIsLostUntilItComes() {
    StreamVerifier.Account report = take(1, 4);
    assertEquals(2, report.lost());
    assertTrue(report.first().contains("message 4 came when 2 was due"), report::first);
    report = take(3);
    assertEquals(1, report.lost());
    assertEquals(1, report.outOfOrder());
    assertFalse(report.isClean());
  }

  @Test
  void repeats() {
    StreamVerifier.Account report = take(1, 2, 2);
    assertEquals(1, report.duplicated());
    assertEquals(0, report.lost());
  }

  @Test
  void everyDamagedByteIsSeen() {
    MemorySegment sound = message(SESSION, 1);
    for (int at = 0; at < BYTES; at++) {
      MemorySegment damaged = MemorySegment.ofArray(sound.toArray(ValueLayout.JAVA_BYTE));
      damaged.set(
          ValueLayout.JAVA_BYTE, at, (byte) (damaged.get(ValueLayout.JAVA_BYTE, at) ^ 0x10));
      assertFalse(NumberedMessage.isSound(damaged, 0, BYTES), "byte " + at);
    }
    assertFalse(NumberedMessage.isSound(sound, 0, BYTES - 8));
    judge.take(sound.asSlice(0, 16), 0, 16);
    assertEquals(1, judge.account().corrupt());
  }

  @Test
  void messagesOfAnEarlierLife() {
    take(1);
    judge.take(message(SESSION + 1, 2), 0, BYTES);
    assertEquals(1, judge.account().corrupt());
  }

  @Test
  void whatIsDueAtTheEndIsLost() {
    StreamVerifier.Account account = take(1, 2);
    assertTrue(account.isClean());
    assertEquals(3, judge.account(5).lost());
    assertFalse(judge.account(5).isClean());
  }

  /**
   * Far behind the header, at the borders of the pattern's blocks, and where blocks change places.
   */
  @Test
  void everyPartOfALargeMessageCounts() {
    int length = (1 << 20) + 24;
    MemorySegment sound = MemorySegment.ofArray(new byte[length]);
    NumberedMessage.write(sound, SESSION, 1, 0);
    assertTrue(NumberedMessage.isSound(sound, 0, length));
    for (int at : new int[] {24, 262_167, 262_168, 524_311, 524_312, 1_000_000, length - 1}) {
      MemorySegment damaged = MemorySegment.ofArray(sound.toArray(ValueLayout.JAVA_BYTE));
      damaged.set(ValueLayout.JAVA_BYTE, at, (byte) ~damaged.get(ValueLayout.JAVA_BYTE, at));
      assertFalse(NumberedMessage.isSound(damaged, 0, length), "byte " + at);
    }
    MemorySegment exchanged = MemorySegment.ofArray(sound.toArray(ValueLayout.JAVA_BYTE));
    MemorySegment.copy(sound, 24, exchanged, 24 + 65_536, 65_536);
    MemorySegment.copy(sound, 24 + 65_536, exchanged, 24, 65_536);
    assertFalse(NumberedMessage.isSound(exchanged, 0, length));
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

final class StreamJudgeTest {
  private static final long SESSION = 0x1234_5678_9ABCL;
  private static final int BYTES = 128;

  private final StreamJudge judge = new StreamJudge("test");

  private static MemorySegment message(long session, long index) {
    MemorySegment message = MemorySegment.ofArray(new long[BYTES / Long.BYTES]);
    LiveMessage.write(message, session, index, false);
    return message;
  }

  private Report.Stream take(long... indices) {
    for (long index : indices) {
      judge.take(message(SESSION, index), 0, BYTES);
    }
    return judge.report();
  }

  @Test
  void goodStream() {
    Report.Stream report = take(1, 2, 3);
    assertTrue(report.isClean());
    assertEquals(3, report.delivered());
    assertEquals(3 * BYTES, report.bytes());
    assertEquals(SESSION, judge.session());
  }

  @Test
  void whatIsPassedOverIsLostUntilItComes() {
    Report.Stream report = take(1, 4);
    assertEquals(2, report.lost());
    assertTrue(report.firstFault().contains("message 4 came when 2 was due"), report::firstFault);
    report = take(3);
    assertEquals(1, report.lost());
    assertEquals(1, report.outOfOrder());
    assertFalse(report.isClean());
  }

  @Test
  void repeats() {
    Report.Stream report = take(1, 2, 2);
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
      assertFalse(LiveMessage.isSound(damaged, 0, BYTES), "byte " + at);
    }
    assertFalse(LiveMessage.isSound(sound, 0, BYTES - 8));
    judge.take(sound.asSlice(0, 16), 0, 16);
    assertEquals(1, judge.report().corrupt());
  }

  @Test
  void messagesOfAnEarlierLife() {
    take(1);
    judge.take(message(SESSION + 1, 2), 0, BYTES);
    assertEquals(1, judge.report().corrupt());
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("R24")
class SendLogTest {
  private record Stretch(MemorySegment memory, long offset, int length, byte fill) {}

  /** Against a model: what is in use is never touched, and the bound holds. */
  @Test
  void stretchesNeverOverlap() {
    for (long seed = 1; seed <= 20; seed++) {
      Random random = new Random(seed);
      SendLog log = new SendLog(256, 1 << 12);
      assertTrue(log.grow(1, 0));
      ArrayDeque<Stretch> live = new ArrayDeque<>();
      int refused = 0;
      for (int step = 0; step < 5_000; step++) {
        int act = random.nextInt(100);
        if (act < 75) {
          int length =
              random.nextInt(5) == 0 ? 0 : random.nextInt(300); // or more than the ring has
          long at = log.claim(length);
          if (at < 0 && random.nextInt(4) == 0 && log.grow(length, 0)) {
            at = log.claim(length);
            assertTrue(at >= 0, "a larger ring is empty");
          }
          if (at < 0) {
            refused++;
            continue;
          }
          assertEquals(0, at % 8);
          Stretch s = new Stretch(log.memory(), at, length, (byte) step);
          s.memory.asSlice(at, length).fill(s.fill);
          if (random.nextInt(10) == 0) {
            log.unclaim(at);
          } else {
            live.addLast(s);
          }
        } else if (!live.isEmpty()) { // several at once, by the last of them
          Stretch last = live.peekFirst();
          for (int n = 1 + random.nextInt(3); n > 0 && !live.isEmpty(); n--) {
            last = live.removeFirst();
            verify(last);
          }
          log.release(last.memory, last.offset, last.length);
        }
      }
      live.forEach(SendLogTest::verify);
      assertTrue(log.capacity() <= 1 << 12);
      assertTrue(refused > 0, "the bound was never met, so it was not tested");
    }
  }

  private static void verify(Stretch s) {
    for (int i = 0; i < s.length; i++) {
      assertEquals(s.fill, s.memory.get(ValueLayout.JAVA_BYTE, s.offset + i));
    }
  }

  @Test
  void everythingGivenBackIsRoomAgain() {
    SendLog log = new SendLog(256, 256);
    assertTrue(log.grow(1, 0));
    for (int round = 0; round < 1000; round++) {
      int length = 8 * (round % 15);
      long first = log.claim(length);
      long second = log.claim(100);
      assertTrue(first >= 0 && second >= 0, "round " + round);
      log.release(log.memory(), second, 100);
    }
    assertFalse(log.grow(1, 0), "beyond the bound");
  }

  @Test
  void whatLiesInAnOldRingNeedsNothing() {
    SendLog log = new SendLog(256, 1024);
    assertTrue(log.grow(1, 0));
    long old = log.claim(200);
    MemorySegment before = log.memory();
    assertEquals(-1, log.claim(200));
    assertTrue(log.grow(200, 0));
    long at = log.claim(200);
    log.release(before, old, 200);
    log.memory().asSlice(at, 200).fill((byte) 7);
    assertEquals(200, log.claim(200));
  }

  /** A stretch that did not fit before the ring's end leaves room out; taken back, that is free. */
  @Test
  void whatWasLeftOutBeforeAStretchComesBackWithIt() {
    SendLog log = new SendLog(256, 256);
    assertTrue(log.grow(1, 0));
    assertEquals(0, log.claim(96));
    assertEquals(96, log.claim(96));
    log.release(log.memory(), 0, 96);
    assertEquals(0, log.claim(72), "behind the end, which has room for 64");
    log.unclaim(0);
    assertEquals(192, log.claim(64));
    log.unclaim(192);
    assertEquals(192, log.claim(64));
    assertEquals(0, log.claim(72));
    log.release(log.memory(), 192, 64);
    assertEquals(72, log.claim(96));
    log.unclaim(72);
    assertEquals(72, log.claim(96), "what was claimed before it stays");
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.thread;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class PacketRingTest {
  private static final int PACKETS = 200_000;

  private static void fill(PacketRing ring, long at, int length, int number) {
    for (int i = 0; i < length; i++) {
      ring.memory().set(ValueLayout.JAVA_BYTE, at + i, (byte) (number + i));
    }
  }

  private static void check(PacketRing ring, int length, int number) {
    assertEquals(length, ring.length());
    assertEquals(number, ring.tag());
    assertEquals(~(long) number, ring.key());
    for (int i = 0; i < length; i++) {
      assertEquals(
          (byte) (number + i), ring.memory().get(ValueLayout.JAVA_BYTE, ring.offset() + i));
    }
  }

  @Test
  void aFullRingRefusesAndTakesAgainWhatIsReleased() {
    PacketRing ring = new PacketRing(1024);
    int written = 0;
    for (long at = ring.claim(48); at >= 0; at = ring.claim(48)) {
      fill(ring, at, 48, written);
      ring.commit(48, written, ~(long) written);
      written++;
    }
    assertEquals(16, written);
    assertEquals(0, ring.room());
    assertTrue(ring.hasNext());
    check(ring, 48, 0);
    ring.release();
    assertEquals(64, ring.room());
    assertEquals(-1, ring.claim(49), "one byte more than was released");
    assertTrue(ring.claim(48) >= 0);
    ring.commit(1, 16, ~16L);
    for (int i = 1; i < 16; i++) {
      assertTrue(ring.hasNext());
      check(ring, 48, i);
      ring.release();
    }
    assertTrue(ring.hasNext());
    assertEquals(1, ring.length());
    ring.release();
    assertFalse(ring.hasNext());
  }

  /** A packet that did not fit before the end, and was not written after all, takes nothing. */
  @Test
  void aClaimThatIsNotCommittedTakesNothing() {
    PacketRing ring = new PacketRing(1024);
    assertTrue(ring.claim(600) >= 0);
    ring.commit(600, 0, 0);
    assertTrue(ring.hasNext());
    ring.release();
    assertEquals(1024, ring.room());
    assertTrue(ring.claim(500) >= 0, "behind the end");
    assertEquals(1024, ring.room());
    assertFalse(ring.hasNext());
    assertTrue(ring.claim(600) >= 0, "as much as before");
    ring.commit(600, 1, ~1L);
    assertTrue(ring.hasNext());
    assertEquals(600, ring.length());
    ring.release();
    assertFalse(ring.hasNext());
  }

  @Test
  void theSizeIsAPowerOfTwo() {
    assertThrows(IllegalArgumentException.class, () -> new PacketRing(1000));
  }

  /** Packets of every length, some given back or made shorter, around the ring a thousand times. */
  @Test
  @Timeout(120)
  @SuppressWarnings("ThreadPriorityCheck") // a hint only: there may be one processor
  void everyPacketArrivesOnceInOrderAndWhole() throws InterruptedException {
    PacketRing ring = new PacketRing(1 << 14);
    AtomicReference<Throwable> failure = new AtomicReference<>();
    Thread writer =
        new Thread(
            () -> {
              SplittableRandom random = new SplittableRandom(5);
              for (int number = 0; number < PACKETS && failure.get() == null; ) {
                int length = 1 + random.nextInt(300);
                long at = ring.claim(length + random.nextInt(20));
                if (at < 0) {
                  Thread.yield();
                } else if (random.nextInt(10) > 0) { // else it is given back
                  length = 1 + number % 300;
                  at = ring.claim(length);
                  if (at >= 0) {
                    fill(ring, at, length, number);
                    ring.commit(length, number, ~(long) number);
                    number++;
                  }
                }
              }
            });
    writer.setUncaughtExceptionHandler((thread, e) -> failure.set(e));
    writer.start();
    try {
      for (int number = 0; number < PACKETS; ) {
        if (ring.hasNext()) {
          check(ring, 1 + number % 300, number);
          ring.release();
          number++;
        } else {
          assertTrue(writer.isAlive() || ring.hasNext(), "the writer ended at " + number);
          Thread.yield();
        }
      }
    } catch (AssertionError e) {
      failure.set(e);
      throw e;
    } finally {
      writer.join();
    }
    assertFalse(ring.hasNext());
    assertEquals(null, failure.get());
  }
}

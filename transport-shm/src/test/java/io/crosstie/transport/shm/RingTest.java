// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.shm;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.transport.PortCounter;
import io.crosstie.transport.Rail;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Packets through the ring of two ports in one process. */
class RingTest {
  @TempDir Path base;
  private End a;
  private End b;
  private ShmRail rail;

  @BeforeEach
  void open() throws Exception {
    a = new End(base, "a", "size=16KiB");
    b = new End(base, "b", "size=16KiB");
    rail = End.connect(a, b);
  }

  @AfterEach
  void close() {
    a.close();
    b.close();
  }

  @Test
  void aSmallPacketAndItsCommitWordAreOneCacheLine() {
    assertEquals(64, SegmentLayout.recordBytes(56));
    assertEquals(64, SegmentLayout.recordBytes(1));
    assertEquals(128, SegmentLayout.recordBytes(57));
    assertEquals(65_528, SegmentLayout.maxPacketLength(SegmentLayout.MAX_RING_BYTES));
    assertEquals(65_528, SegmentLayout.maxPacketLength(ShmOptions.DEFAULT_RING_BYTES));
    assertEquals(4_088, rail.maxPacketLength());
    assertEquals(8, rail.claim(56) & 63);
    rail.abort();
  }

  /**
   * Random sizes and batches over many laps. What was claimed is first filled with words that would
   * be good records wherever a record may come next: none of them may ever be taken for one.
   */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void whatIsCommittedArrivesInOrder(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    Deque<byte[]> expected = new ArrayDeque<>();
    long committed = 0;
    long position = 0; // of the writer, as this test works it out
    for (int turn = 0; turn < 20_000; turn++) {
      int claimed = 1 + random.nextInt(random.nextBoolean() ? 56 : rail.maxPacketLength());
      prefetch(random);
      long offset = rail.claim(claimed);
      if (offset == Rail.WOULD_BLOCK) {
        b.poll();
        check(expected);
        continue;
      }
      long start = nextStart(position, claimed);
      fillWithForgedWords(rail.txMemory(), offset, claimed, start);
      if (random.nextInt(8) == 0) {
        rail.abort();
        continue;
      }
      int length = random.nextInt(4) == 0 ? 1 + random.nextInt(claimed) : claimed;
      byte[] packet = new byte[length];
      random.nextBytes(packet);
      MemorySegment.copy(packet, 0, rail.txMemory(), JAVA_BYTE, offset, length);
      prefetch(random);
      rail.commit(length);
      prefetch(random);
      position = start + SegmentLayout.recordBytes(length);
      expected.add(packet);
      committed++;
      if (random.nextInt(3) == 0) {
        rail.flush();
        assertTrue(rail.consumed() <= committed);
        b.port.poll(b.nowNs, 1 + random.nextInt(4));
        check(expected);
      }
    }
    rail.flush();
    End.until("all came", () -> b.received == rail.consumed() && b.poll() == 0, b);
    check(expected);
    assertTrue(expected.isEmpty());
    assertEquals(committed, rail.consumed());
    assertEquals(committed, b.port.counters().get(PortCounter.PACKETS_IN));
    assertEquals(committed, a.port.counters().get(PortCounter.PACKETS_OUT));
    assertEquals(
        a.port.counters().get(PortCounter.BYTES_OUT), b.port.counters().get(PortCounter.BYTES_IN));
    assertTrue(position > 20 * (16 << 10), "wrapped too seldom: " + position);
  }

  /** Changes nothing, wherever it comes. */
  private void prefetch(SplittableRandom random) {
    if (random.nextInt(4) == 0) {
      rail.prefetch();
    }
  }

  private static long nextStart(long position, int length) {
    long toEnd = (16 << 10) - (position & ((16 << 10) - 1));
    return SegmentLayout.recordBytes(length) <= toEnd ? position : position + toEnd;
  }

  private static void fillWithForgedWords(
      MemorySegment memory, long offset, int length, long start) {
    for (int i = 56; i + 8 <= length; i += 64) {
      memory.set(
          JAVA_LONG,
          offset + i,
          SegmentLayout.commitWord(start + i + 8, SegmentLayout.KIND_PACKET, 8));
    }
  }

  private void check(Deque<byte[]> expected) {
    while (!b.packets.isEmpty()) {
      assertArrayEquals(expected.remove(), b.packets.remove());
    }
  }

  @Test
  void aFullRingRefusesUntilThePeerHasConsumed() {
    long sent = 0;
    while (rail.claim(1000) >= 0) {
      rail.commit(1000);
      sent++;
    }
    rail.flush();
    assertEquals(15, sent); // 16 would leave no room for the word behind the last one
    assertEquals(1, a.port.counters().get(PortCounter.CLAIMS_REFUSED));
    assertEquals(0, rail.consumed());
    assertEquals(15, b.poll());
    assertEquals(15, rail.consumed());
    assertTrue(rail.claim(1000) >= 0);
    rail.abort();
    assertTrue(rail.isOpen());
  }

  @Test
  void repliesAreNotCounted() throws Exception {
    b.onPacket =
        (end, memory, offset, length) -> {
          end.port.reply(memory, offset, length);
          assertEquals(a.port.localAddress(), end.port.sourceAddress());
        };
    for (int i = 0; i < 500; i++) {
      End.send(rail, new byte[] {(byte) i});
      b.poll();
      a.poll();
      assertEquals((byte) i, a.packets.remove()[0]);
      assertEquals(rail.remoteKey(), a.source);
    }
    Rail back = b.accepted;
    assertEquals(0, back.consumed());
    End.send(back, new byte[10]);
    a.poll();
    assertEquals(1, back.consumed());
    assertEquals(500, rail.consumed());
    assertEquals(0, b.port.counters().get(PortCounter.DROPPED_OUT));
  }

  @Test
  void aHandlerThatThrowsGetsThePacketAgain() {
    int[] calls = {0};
    b.onPacket =
        (end, memory, offset, length) -> {
          if (calls[0]++ == 1) {
            throw new IllegalStateException("not now");
          }
        };
    End.send(rail, new byte[] {1});
    End.send(rail, new byte[] {2});
    assertThrows(IllegalStateException.class, b::poll);
    assertEquals(1, rail.consumed());
    assertEquals(1, b.poll());
    assertEquals(2, rail.consumed());
    assertEquals(3, b.packets.size());
  }

  @Test
  void misuseIsToldToTheCaller() {
    assertThrows(IllegalArgumentException.class, () -> rail.claim(0));
    assertThrows(IllegalArgumentException.class, () -> rail.claim(rail.maxPacketLength() + 1));
    assertThrows(IllegalStateException.class, () -> rail.commit(1));
    long unused = rail.claim(8);
    assertThrows(IllegalStateException.class, () -> rail.claim(8));
    assertThrows(IllegalArgumentException.class, () -> rail.commit(9));
    rail.commit(8);
    assertThrows(IllegalStateException.class, a.port::accept);
    assertThrows(IllegalStateException.class, a.port::sourceAddress);
  }

  @Test
  void thePollLimitHolds() {
    for (int i = 0; i < 10; i++) {
      End.send(rail, new byte[8]);
    }
    assertEquals(0, b.port.poll(b.nowNs, 0));
    assertEquals(3, b.port.poll(b.nowNs, 3));
    assertEquals(7, b.port.poll(b.nowNs, 100));
    assertEquals(0, b.port.poll(b.nowNs, 100));
  }
}

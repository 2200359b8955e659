// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.datagram;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.checksum.Checksum;
import io.crosstie.checksum.ChecksumKind;
import io.crosstie.reliability.channel.FragmentSource;
import io.crosstie.reliability.channel.Pieces;
import io.crosstie.reliability.channel.Status;
import io.crosstie.reliability.memory.MemoryBudget;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DatagramQueuesTest {
  private static final int LARGE = 1 << 30;

  private final Checksum crc = Checksum.of(ChecksumKind.CRC32C);
  private final MemoryBudget budget = new MemoryBudget(LARGE);

  private static Pieces pieces(byte[] bytes) {
    Pieces pieces = new Pieces();
    pieces.add(MemorySegment.ofArray(bytes), 0, bytes.length);
    return pieces;
  }

  private static byte[] bytes(int number, int length) {
    byte[] bytes = new byte[length];
    new Random(number).nextBytes(bytes);
    return bytes;
  }

  private static FragmentSource source(byte[] bytes) {
    return (into, at, length, algorithm) -> {
      MemorySegment.copy(bytes, 0, into, JAVA_BYTE, at, length);
      return Integer.toUnsignedLong(algorithm.compute(bytes, 0, length));
    };
  }

  private int add(IncomingDatagrams to, byte[] bytes) {
    return to.add(0, bytes.length, crc.compute(bytes, 0, bytes.length), crc, source(bytes));
  }

  @Test
  void whatIsOfferedIsTakenInOrderAndAgainIfItDoesNotLeave() {
    OutgoingDatagrams out = new OutgoingDatagrams(budget.account());
    assertEquals(Status.CONNECTING, out.offer(pieces(new byte[1])));
    out.connect(true);
    assertEquals(Status.CONNECTING, out.offer(pieces(new byte[1]))); // no rail yet
    out.setLongest(1000);
    assertEquals(Status.TOO_LARGE, out.offer(pieces(new byte[1001])));
    Random random = new Random(1);
    List<byte[]> waits = new ArrayList<>();
    int offered = 0;
    for (int round = 0; round < 20_000; round++) {
      byte[] bytes = bytes(round, random.nextInt(1001));
      if (random.nextInt(2) == 0 && out.offer(pieces(bytes)) > 0) {
        waits.add(bytes);
        offered++;
      }
      int wanted = random.nextInt(3);
      int taken = 0;
      while (taken < wanted && out.hasMore()) {
        byte[] next = waits.get(taken++);
        assertEquals(next.length, out.nextLength());
        MemorySegment there = out.memory().asSlice(out.nextAt(), next.length);
        assertEquals(-1, there.mismatch(MemorySegment.ofArray(next)));
        out.take();
      }
      if (random.nextInt(4) == 0) {
        out.takeBack();
      } else {
        out.left();
        waits.subList(0, taken).clear();
      }
    }
    assertTrue(offered > 5000);
    out.refuse(Status.CLOSED);
    assertEquals(Status.CLOSED, out.offer(pieces(new byte[1])));
    assertEquals(waits.size(), out.end());
    assertEquals(0, budget.usedBytes());
    assertFalse(out.hasMore());
  }

  @Test
  void aPeerWithoutDatagramsIsTold() {
    OutgoingDatagrams out = new OutgoingDatagrams(budget.account());
    out.connect(false);
    out.setLongest(1000);
    assertEquals(Status.UNSUPPORTED, out.offer(pieces(new byte[1])));
    assertEquals(0, out.longest());
    assertEquals("UNSUPPORTED", Status.name(Status.UNSUPPORTED));
  }

  /** Where memory is short the queue is shorter, or there is none. */
  @Test
  void queuesAreChargedBeforeTheyAreTaken() {
    MemoryBudget small = new MemoryBudget(100 << 10);
    OutgoingDatagrams out = new OutgoingDatagrams(small.account());
    out.connect(true);
    out.setLongest(1000);
    assertTrue(out.offer(pieces(new byte[1000])) > 0);
    assertEquals(64 << 10, small.usedBytes());
    IncomingDatagrams in = new IncomingDatagrams(small.account());
    assertEquals(IncomingDatagrams.DROPPED, add(in, new byte[10]));
    assertEquals(64 << 10, small.usedBytes());
    assertEquals(1, out.end());
    assertEquals(0, small.usedBytes());
    assertEquals(IncomingDatagrams.KEPT, add(in, new byte[10]));
    assertEquals(in.bytes(), small.usedBytes());
    assertEquals(1, in.end());
    assertEquals(0, small.usedBytes());
    assertEquals(IncomingDatagrams.DROPPED, add(in, new byte[10]));
  }

  @Test
  void theOldestGiveWayAndTheRestIsToldInOrder() {
    IncomingDatagrams in = new IncomingDatagrams(budget.account());
    Random random = new Random(7);
    List<byte[]> kept = new ArrayList<>();
    int dropped = 0;
    for (int i = 0; i < 20_000; i++) {
      byte[] bytes = bytes(i, random.nextInt(2000));
      assertEquals(IncomingDatagrams.KEPT, add(in, bytes));
      int gone = in.takeGaveWay();
      dropped += gone;
      kept.subList(0, gone).clear();
      kept.add(bytes);
      if (random.nextInt(500) == 0) {
        int limit = random.nextInt(100);
        int told =
            in.poll(
                (segment, header, offset, length) ->
                    assertEquals(
                        -1,
                        segment
                            .asSlice(offset, length)
                            .mismatch(MemorySegment.ofArray(kept.removeFirst()))),
                limit);
        assertTrue(told <= limit);
      }
    }
    assertTrue(dropped > 1000);
    assertEquals(kept.size(), in.poll((segment, header, offset, length) -> {}, 1 << 20));
    assertTrue(in.isEmpty());
  }

  @Test
  void whatIsDamagedIsNotKept() {
    IncomingDatagrams in = new IncomingDatagrams(budget.account());
    byte[] bytes = bytes(1, 100);
    int sum = crc.compute(bytes, 0, 100);
    bytes[50]++;
    assertEquals(IncomingDatagrams.CORRUPT, in.add(0, 100, sum, crc, source(bytes)));
    assertEquals(
        IncomingDatagrams.CORRUPT,
        in.add(0, 100, sum, crc, (into, at, length, algorithm) -> FragmentSource.FAILED));
    assertTrue(in.isEmpty());
  }

  /** What cannot be read is not offered, and the next one is. */
  @Test
  void memoryThatIsClosedIsRefused() {
    OutgoingDatagrams out = new OutgoingDatagrams(budget.account());
    out.connect(true);
    out.setLongest(1000);
    Arena arena = Arena.ofShared();
    Pieces pieces = new Pieces();
    pieces.add(arena.allocate(10), 0, 10);
    arena.close();
    assertThrows(IllegalStateException.class, () -> out.offer(pieces));
    assertFalse(out.hasMore());
    assertEquals(1, out.offer(pieces(new byte[5])));
    assertEquals(5, out.nextLength());
  }

  /**
   * One thread adds, so that the oldest are dropped, while another polls. In the second row each
   * takes a quarter of the ring, so that it is full and empty all the time: who adds must not drop
   * what it saw there after who polls has taken it.
   */
  @ParameterizedTest
  @CsvSource({"268435456, 8, 890, 100000", "81920, 16376, 3, 100000"})
  void whatIsToldWasNeverWrittenOver(int memory, int shortest, int spread, int most)
      throws InterruptedException {
    IncomingDatagrams in = new IncomingDatagrams(new MemoryBudget(memory).account());
    AtomicInteger added = new AtomicInteger();
    Checksum none = Checksum.of(ChecksumKind.NONE);
    Thread adds =
        Thread.ofPlatform()
            .start(
                () -> {
                  for (int i = 0; i < most; i++) {
                    int number = i;
                    int length = shortest + i % spread;
                    FragmentSource numbers =
                        (into, at, bytes, algorithm) -> {
                          for (int k = 0; k + 4 <= bytes; k += 4) {
                            into.set(JAVA_INT_UNALIGNED, at + k, number);
                          }
                          return 0;
                        };
                    assertEquals(0, in.add(0, length, 0, none, numbers));
                    added.incrementAndGet();
                  }
                });
    int[] last = {-1};
    int told = 0;
    while (adds.isAlive() || !in.isEmpty()) {
      told +=
          in.poll(
              (segment, header, offset, length) -> {
                int number = segment.get(JAVA_INT_UNALIGNED, offset);
                assertTrue(number > last[0], "told " + number + " after " + last[0]);
                assertEquals(shortest + number % spread, length);
                for (int at = 0; at + 4 <= length; at += 4) {
                  assertEquals(number, segment.get(JAVA_INT_UNALIGNED, offset + at));
                }
                last[0] = number;
              },
              10);
    }
    adds.join();
    assertEquals(most, added.get());
    assertEquals(most - 1, last[0]);
    assertEquals(most, told + in.takeGaveWay());
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.reliability.memory.MemoryBudget;
import io.crosstie.reliability.memory.PathBytes;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

@SuppressWarnings("ThreadPriorityCheck") // two cores: whoever waits must yield
class SendQueueTest {
  private static SendQueue queue(int smallLimit, long logBytes, long largeBytes) {
    return new SendQueue(
        smallLimit,
        logBytes,
        largeBytes,
        new MemoryBudget(1 << 30).account(),
        new MemoryBudget(1 << 30).account(),
        new PathBytes());
  }

  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

  private static MemorySegment message(long value, int length) {
    MemorySegment m = Arena.ofAuto().allocate(Math.max(8, length));
    for (int i = 0; i < length; i++) {
      m.set(ValueLayout.JAVA_BYTE, i, (byte) (value + i));
    }
    return m;
  }

  private static void assertMessage(SendQueue q, long seq, int length) {
    assertEquals(length, q.length(seq));
    for (int i = 0; i < length; i++) {
      assertEquals((byte) (seq + i), q.source(seq).get(ValueLayout.JAVA_BYTE, q.offset(seq) + i));
    }
  }

  @Test
  void whatWasOfferedStaysReadableUntilAccepted() {
    Random random = new Random(7);
    SendQueue q = queue(1000, 1 << 14, 1 << 16);
    List<Integer> lengths = new ArrayList<>();
    lengths.add(0);
    long accepted = 0;
    int refused = 0;
    while (lengths.size() < 20_000) {
      int length = random.nextInt(20) == 0 ? 1000 + random.nextInt(8000) : random.nextInt(300);
      long seq = q.offer(message(lengths.size(), length), 0, length);
      if (seq == Status.BACK_PRESSURED) {
        refused++;
        long until = Math.min(q.tail(), accepted + 1 + random.nextInt(60));
        for (long s = accepted + 1; s <= until; s++) {
          assertMessage(q, s, lengths.get((int) s));
        }
        accepted = until;
        q.accepted(accepted);
      } else {
        assertEquals(lengths.size(), seq);
        lengths.add(length);
      }
    }
    assertTrue(refused > 10, "the bound was never met");
  }

  @Test
  void aClaimIsWrittenInPlaceAndCanBeGivenBack() {
    SendQueue q = queue(1000, 1 << 14, 1 << 16);
    assertEquals(1, q.claim(16));
    assertEquals(Status.BACK_PRESSURED, q.offer(message(0, 8), 0, 8));
    q.claimSegment().set(LONG, q.claimOffset(), 77L);
    q.endClaim(true);
    assertEquals(1, q.tail());
    assertEquals(77L, q.source(1).get(LONG, q.offset(1)));
    assertEquals(2, q.claim(16));
    q.endClaim(false);
    assertEquals(1, q.tail());
    assertEquals(2, q.offer(message(2, 8), 0, 8));
  }

  /** What passes for one piece of memory is what the messages are one after the other. */
  @Test
  void aRowIsOnePieceWithNothingBetween() {
    Random random = new Random(11);
    SendQueue q = queue(100, 1 << 11, 1 << 16);
    int rows = 0;
    int others = 0;
    for (int round = 0; round < 5_000; round++) {
      long first = q.tail() + 1;
      boolean even = random.nextBoolean();
      int wanted = 1 + random.nextInt(6);
      for (int n = 0; n < wanted; n++) {
        int length = even ? 8 * random.nextInt(4) : random.nextInt(12);
        MemorySegment m = message(q.tail() + 1, length);
        long unused =
            random.nextInt(8) == 0
                ? q.send(m, 0, length, (sequence, error) -> {})
                : q.offer(m, 0, length);
      }
      long last = q.tail();
      long bytes = 0;
      for (long seq = first; seq <= last; seq++) {
        assertMessage(q, seq, (int) q.length(seq));
        bytes += q.length(seq);
      }
      if (first <= last && q.isRow(first, last, bytes)) {
        rows++;
        long at = q.offset(first);
        for (long seq = first; seq <= last; seq++) {
          for (int i = 0; i < q.length(seq); i++) {
            assertEquals((byte) (seq + i), q.source(first).get(ValueLayout.JAVA_BYTE, at++));
          }
        }
      } else {
        others++;
      }
      if (random.nextInt(4) == 0) {
        q.accepted(last);
        int unused = q.reportCompletions(100, null);
      }
    }
    assertTrue(rows > 1000 && others > 500, rows + " rows, " + others + " others");
  }

  /** A lent message as long as the padding before it: the sum alone would tell nothing. */
  @Test
  void aLentMessageBetweenIsNoRow() {
    SendQueue q = queue(100, 1 << 11, 1 << 16);
    assertEquals(1, q.offer(message(1, 5), 0, 5));
    assertEquals(2, q.send(message(2, 3), 0, 3, (sequence, error) -> {}));
    assertEquals(3, q.offer(message(3, 8), 0, 8));
    assertFalse(q.isRow(1, 3, 16));
    assertEquals(4, q.offer(message(4, 8), 0, 8));
    assertTrue(q.isRow(3, 4, 16));
  }

  @Test
  void whileOneLargeMessageIsOnItsWayTheNextIsLetIn() {
    SendQueue q = queue(1000, 1 << 14, 1 << 16);
    int length = 1 << 20; // each alone is beyond the bound
    assertEquals(1, q.offer(message(1, length), 0, length));
    assertEquals(2, q.offer(message(2, length), 0, length));
    assertEquals(Status.BACK_PRESSURED, q.offer(message(3, length), 0, length));
    q.accepted(1);
    assertEquals(3, q.offer(message(3, length), 0, length));
    assertEquals(Status.BACK_PRESSURED, q.offer(message(4, length), 0, length));
    assertEquals(-1, q.source(2).mismatch(message(2, length)));
    assertEquals(-1, q.source(3).mismatch(message(3, length)));
  }

  @Test
  void completionsAreToldOnceAndInOrder() {
    SendQueue q = queue(1000, 1 << 14, 1 << 16);
    List<String> told = new ArrayList<>();
    for (int i = 1; i <= 5; i++) {
      q.send(message(i, 8), 0, 8, (seq, error) -> told.add(seq + ":" + error));
    }
    assertEquals(0, q.reportCompletions(10, null));
    q.fail(2, "arena closed");
    q.accepted(3);
    assertEquals(2, q.reportCompletions(2, null));
    assertEquals(1, q.reportCompletions(10, null));
    assertEquals(List.of("1:null", "2:arena closed", "3:null"), told);
    assertEquals(2, q.reportCompletions(10, "PEER_LOST"));
    assertEquals("5:PEER_LOST", told.get(4));
    assertEquals(0, q.reportCompletions(10, "PEER_LOST"));
  }

  @Test
  void anyThreadMayOfferAndEachThreadsOrderHolds() throws InterruptedException {
    SendQueue q = queue(1000, 1 << 14, 1 << 16);
    int threads = 3;
    int each = 5_000;
    AtomicReference<Throwable> failure = new AtomicReference<>();
    List<Thread> started = new ArrayList<>();
    for (int t = 0; t < threads; t++) {
      long id = t;
      started.add(
          Thread.ofPlatform()
              .start(
                  () -> {
                    try (Arena arena = Arena.ofConfined()) {
                      MemorySegment m = arena.allocate(16);
                      for (long n = 0; n < each; ) {
                        m.set(LONG, 0, id);
                        m.set(LONG, 8, n);
                        if (q.offer(m, 0, 16) > 0) {
                          n++;
                        } else {
                          Thread.yield();
                        }
                      }
                    } catch (RuntimeException | Error e) {
                      failure.set(e);
                    }
                  }));
    }
    long[] next = new long[threads];
    for (long seq = 1; seq <= (long) threads * each; seq++) {
      while (q.tail() < seq) {
        assertNull(failure.get());
        Thread.yield();
      }
      MemorySegment source = q.source(seq);
      int from = (int) source.get(LONG, q.offset(seq));
      assertEquals(next[from]++, source.get(LONG, q.offset(seq) + 8));
      q.accepted(seq);
    }
    for (Thread t : started) {
      t.join();
    }
    assertNull(failure.get());
  }
}

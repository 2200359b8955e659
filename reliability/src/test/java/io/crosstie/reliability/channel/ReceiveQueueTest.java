// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.checksum.Checksum;
import io.crosstie.checksum.ChecksumKind;
import io.crosstie.reliability.memory.BufferPool;
import io.crosstie.reliability.memory.ChunkPool;
import io.crosstie.reliability.memory.MemoryBudget;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class ReceiveQueueTest {
  private static final int EAGER = 64 << 10;

  private final Checksum crc = Checksum.of(ChecksumKind.CRC32C);
  private final BufferPool pool = new BufferPool(1 << 22);
  private final MemoryBudget budget = new MemoryBudget(1 << 26);
  private final ChunkPool chunks = new ChunkPool(1 << 26);
  private final ReceiveQueue q =
      new ReceiveQueue(EAGER, 1 << 18, 1 << 18, pool, chunks, budget.account());
  private final List<String> delivered = new ArrayList<>();

  private static MemorySegment bytes(long seed, int length) {
    byte[] b = new byte[length];
    new Random(seed).nextBytes(b);
    MemorySegment m = Arena.ofAuto().allocate(Math.max(1, length));
    MemorySegment.copy(b, 0, m, ValueLayout.JAVA_BYTE, 0, length);
    return m;
  }

  /** Bytes of a packet of which nothing was copied before. */
  private static PacketBytes at(MemorySegment packet, int offset) {
    PacketBytes bytes = new PacketBytes();
    bytes.of(new byte[0], 0, packet, 0);
    return bytes.at(offset);
  }

  private int whole(long seq, int length) {
    MemorySegment m = bytes(seq, length);
    return q.onEager(seq, 1, n -> length, length, crc.compute(m, 0, length), crc, at(m, 0));
  }

  private int fragment(long seq, int messageLength, int from, int length) {
    MemorySegment m = bytes(seq, messageLength);
    return q.onFragment(
        seq, messageLength, from, length, crc.compute(m, from, length), crc, at(m, from));
  }

  /** What could not be had from elsewhere leaves room for the same bytes in a packet. */
  @Test
  @Tag("R25")
  void aSourceThatFailsOrLiesIsRefusedAndLeavesNothingBehind() {
    assertTrue(q.grant(1, 100_000));
    MemorySegment m = bytes(1, 100_000);
    int right = crc.compute(m, 0, 60_000);
    FragmentSource fails =
        (into, at, length, algorithm) -> {
          into.fill((byte) 1);
          return FragmentSource.FAILED;
        };
    FragmentSource lies = (into, at, length, algorithm) -> Integer.toUnsignedLong(~right);
    assertEquals(FragmentVerdict.CORRUPT, q.onFragment(1, 100_000, 0, 60_000, right, crc, fails));
    assertEquals(FragmentVerdict.CORRUPT, q.onFragment(1, 100_000, 0, 60_000, -1, crc, fails));
    assertEquals(FragmentVerdict.CORRUPT, q.onFragment(1, 100_000, 0, 60_000, right, crc, lies));
    FragmentSource elsewhere =
        (into, at, length, algorithm) ->
            Integer.toUnsignedLong(algorithm.copy(m, 0, into, at, length));
    assertEquals(
        FragmentVerdict.ACCEPTED, q.onFragment(1, 100_000, 0, 60_000, right, crc, elsewhere));
    assertEquals(FragmentVerdict.DUPLICATE, q.onFragment(1, 100_000, 0, 60_000, right, crc, fails));
    assertEquals(FragmentVerdict.ACCEPTED, fragment(1, 100_000, 60_000, 40_000));
    assertEquals(1, poll(1));
  }

  private int poll(int limit) {
    int n =
        q.poll(
            (segment, offset, length, seq) -> {
              assertTrue(segment.isReadOnly());
              assertEquals(
                  -1,
                  bytes(seq, (int) length)
                      .asSlice(0, length)
                      .mismatch(segment.asSlice(offset, length)));
              delivered.add(seq + ":" + length);
              return MessageHandler.Action.CONTINUE;
            },
            limit);
    q.release();
    return n;
  }

  @Test
  @Tag("R10")
  void repeatsAreFilteredBeforeTheCopyAndOrderHolds() {
    assertEquals(FragmentVerdict.ACCEPTED, whole(2, 10));
    assertEquals(0, q.accepted());
    assertEquals(FragmentVerdict.DUPLICATE, whole(2, 10));
    assertEquals(FragmentVerdict.ACCEPTED, whole(1, 0));
    assertEquals(2, q.accepted());
    assertEquals(FragmentVerdict.DUPLICATE, whole(1, 0));
    assertEquals(2, poll(10));
    assertEquals(FragmentVerdict.DUPLICATE, whole(1, 0));
    assertEquals(FragmentVerdict.DUPLICATE, whole(2, 10));
    assertEquals(List.of("1:0", "2:10"), delivered);
  }

  @Test
  @Tag("R10")
  void aCorruptRepeatCannotRewriteAcceptedBytes() {
    fragment(1, 1000, 0, 500);
    PacketBytes garbage = at(bytes(99, 1000), 0);
    int right = crc.compute(bytes(1, 1000), 0, 500);
    assertEquals(FragmentVerdict.DUPLICATE, q.onFragment(1, 1000, 0, 500, right, crc, garbage));
    assertEquals(FragmentVerdict.CORRUPT, q.onFragment(1, 1000, 400, 600, right, crc, garbage));
    assertEquals(FragmentVerdict.ACCEPTED, fragment(1, 1000, 500, 500));
    assertEquals(1, poll(1));
  }

  @Test
  @Tag("R21")
  void aCorruptPayloadIsRefusedAndLeavesNothingBehind() {
    MemorySegment m = bytes(1, 100);
    assertEquals(
        FragmentVerdict.CORRUPT,
        q.onEager(1, 1, n -> 100, 100, crc.compute(m, 0, 100) ^ 1, crc, at(m, 0)));
    assertEquals(0, q.accepted());
    assertEquals(FragmentVerdict.ACCEPTED, whole(1, 100));
    assertEquals(1, poll(1));
  }

  @Test
  @Tag("R2")
  void fragmentsOfAnyCutAndOrderMakeTheMessage() {
    Random random = new Random(5);
    for (int round = 1; round <= 200; round++) {
      int length = 1 + random.nextInt(30_000);
      List<int[]> cuts = new ArrayList<>();
      for (int packetSize : new int[] {1376, 4000, 9000}) {
        for (int from = 0; from < length; from += packetSize) {
          if (packetSize == 1376 || random.nextBoolean()) {
            cuts.add(new int[] {from, Math.min(packetSize, length - from)});
          }
        }
      }
      Collections.shuffle(cuts, random);
      for (int[] cut : cuts) {
        fragment(round, length, cut[0], cut[1]);
      }
      assertEquals(round, q.accepted());
      assertEquals(1, poll(1));
      assertEquals(round + ":" + length, delivered.getLast());
    }
  }

  @Test
  @Tag("R12")
  void aLargeMessageNeedsItsGrantAndGetsItWholeOrNotAtAll() {
    int large = 1 << 20;
    assertEquals(FragmentVerdict.REFUSED, fragment(1, large, 0, 1000));
    assertFalse(q.grant(1, 1 << 23), "larger than the pool");
    assertTrue(q.grant(1, large));
    assertEquals(FragmentVerdict.SENSELESS, fragment(1, large + 1, 0, 1000));
    for (int from = 0; from < large; from += 1 << 16) {
      assertEquals(FragmentVerdict.ACCEPTED, fragment(1, large, from, 1 << 16));
    }
    assertTrue(pool.usedBytes() >= large);
    assertEquals(1, poll(1));
    assertEquals(0, pool.usedBytes());
  }

  @Test
  @Tag("R24")
  void atTheEndOnlyWhatCanStillBeDeliveredKeepsItsMemory() {
    int large = 1 << 17;
    for (int seq = 1; seq <= 4; seq++) {
      assertTrue(q.grant(seq, large));
    }
    for (int seq : new int[] {1, 2, 4}) {
      for (int from = 0; from < large; from += 1 << 16) {
        assertEquals(FragmentVerdict.ACCEPTED, fragment(seq, large, from, 1 << 16));
      }
    }
    assertEquals(FragmentVerdict.ACCEPTED, fragment(3, large, 0, 1 << 16));
    assertEquals(4L * large, pool.usedBytes());
    q.dispose(); // the third has a gap, and the fourth stands behind it
    assertEquals(2L * large, pool.usedBytes());
    assertEquals(2, poll(5));
    assertEquals(0, pool.usedBytes());
  }

  @Test
  @Tag("R12")
  @Tag("R13")
  void emptyMessagesAreBoundedByTheirFixedCost() {
    long credit = q.creditLimit();
    long seq = 0;
    long cost = 0;
    while (cost + ReceiveQueue.cost(0, EAGER) <= credit) {
      assertEquals(FragmentVerdict.ACCEPTED, whole(++seq, 0));
      cost += ReceiveQueue.cost(0, EAGER);
    }
    long beyond = seq * 3;
    assertEquals(FragmentVerdict.SENSELESS, whole(beyond, 0));
    assertEquals(credit, q.creditLimit());
    assertEquals(seq, poll(Integer.MAX_VALUE));
    assertEquals(credit + cost, q.creditLimit());
  }

  @Test
  @Tag("R13")
  void aSenderThatIgnoresTheWindowIsRefusedNotStored() {
    int refused = 0;
    for (long seq = 1; seq < 100; seq++) {
      refused += whole(seq, 60_000) == FragmentVerdict.REFUSED ? 1 : 0;
    }
    assertTrue(refused > 50, "only " + refused + " refused");
  }

  /** No table grows by a number that a packet names: what is beyond the credit changes nothing. */
  @Test
  @Tag("R13")
  @Tag("R31")
  void aNumberBeyondTheCreditIsSenselessWhateverNamesIt() {
    long last = q.creditLimit() / ChannelLimits.MESSAGE_COST;
    for (long seq : new long[] {last + 1, 131_000, 1L << 40, Long.MAX_VALUE - 1000}) {
      assertEquals(FragmentVerdict.SENSELESS, whole(seq, 0));
      assertEquals(FragmentVerdict.SENSELESS, fragment(seq, 10, 0, 5));
      assertEquals(FragmentVerdict.SENSELESS, q.skip(seq));
      assertTrue(q.isBeyondCredit(seq));
      assertFalse(q.grant(seq + ReceiveQueue.ANNOUNCED_AHEAD, 1 << 17));
      assertTrue(q.isBeyondAnnouncing(seq + ReceiveQueue.ANNOUNCED_AHEAD));
    }
    assertEquals(0, pool.usedBytes());
    assertFalse(q.isBeyondCredit(last));
    assertEquals(FragmentVerdict.ACCEPTED, whole(last, 0));
    assertFalse(q.isBeyondAnnouncing(last + ReceiveQueue.ANNOUNCED_AHEAD));
    assertTrue(q.grant(last + ReceiveQueue.ANNOUNCED_AHEAD, 1 << 17));
  }

  @Test
  @Tag("R12")
  void aWholeMessageAboveTheEagerLimitNeedsAGrantToo() {
    assertEquals(FragmentVerdict.SENSELESS, whole(1, EAGER + 1));
    assertEquals(FragmentVerdict.ACCEPTED, whole(1, EAGER));
  }

  /** What is held is charged, never more than it, and nothing is left when all is consumed. */
  @Test
  @Tag("R24")
  @Tag("R31")
  void everythingHeldIsChargedAndGivenBack() {
    assertEquals(0, budget.usedBytes());
    Random random = new Random(11);
    long seq = 0;
    for (int round = 0; round < 300; round++) {
      int n = 1 + random.nextInt(20);
      List<Long> order = new ArrayList<>();
      for (int i = 1; i <= n; i++) {
        order.add(seq + i);
      }
      Collections.shuffle(order, random);
      for (long s : order) {
        int length = (int) (s * 31 % 9000);
        if (s % 3 == 0 && length > 2) {
          assertEquals(
              FragmentVerdict.ACCEPTED, fragment(s, length, length / 2, length - length / 2));
          assertEquals(FragmentVerdict.ACCEPTED, fragment(s, length, 0, length / 2));
        } else {
          assertEquals(FragmentVerdict.ACCEPTED, whole(s, length));
        }
        assertTrue(q.chargedBytes() >= chunks.lentBytes());
        assertEquals(budget.usedBytes(), q.chargedBytes());
      }
      seq += n;
      assertEquals(n, poll(100));
    }
    assertEquals(0, q.heldBytes());
    q.trim();
    assertEquals(0, budget.usedBytes());
    assertEquals(0, chunks.lentBytes());
    assertTrue(chunks.allocatedBytes() <= 16 * ChunkPool.CHUNK_BYTES, "chunks go round");
  }

  /** What came early can never keep what comes in order from its place, however little there is. */
  @Test
  @Tag("R31")
  void theNextMessageAlwaysFindsRoomWhateverCameEarly() {
    for (long seed = 1; seed <= 200; seed++) {
      Random random = new Random(seed);
      MemoryBudget little =
          new MemoryBudget((3 + random.nextInt(4)) * (long) ChunkPool.CHUNK_BYTES);
      ChunkPool its = new ChunkPool(little.boundBytes());
      ReceiveQueue tight = new ReceiveQueue(EAGER, 1 << 18, 1 << 18, pool, its, little.account());
      MemorySegment m = bytes(seed, EAGER);
      long[] upTo = new long[107];
      for (int i = 1; i < upTo.length; i++) {
        upTo[i] = upTo[i - 1] + ReceiveQueue.cost(i * 7919L % EAGER, EAGER);
      }
      int tries = 0;
      while (tight.consumed() < 100) {
        long seq = tight.accepted() + 1 + (random.nextInt(3) == 0 ? 0 : random.nextInt(6));
        int length = (int) (seq * 7919 % EAGER);
        if (seq <= 100 && upTo[(int) seq] <= tight.creditLimit()) {
          if (length > 1 && random.nextBoolean()) { // in halves, one of which comes again later
            int half = random.nextBoolean() ? 0 : length / 2;
            int n = half == 0 ? length / 2 : length - length / 2;
            int unused =
                tight.onFragment(seq, length, half, n, crc.compute(m, half, n), crc, at(m, half));
          } else {
            int unused =
                tight.onEager(
                    seq, 1, n -> length, length, crc.compute(m, 0, length), crc, at(m, 0));
          }
        }
        assertTrue(little.usedBytes() <= little.boundBytes());
        assertTrue(its.lentBytes() <= little.usedBytes());
        if (random.nextInt(4) == 0) {
          int unused = tight.poll((s, o, l, n) -> MessageHandler.Action.CONTINUE, 1);
          tight.release();
        }
        assertTrue(++tries < 100_000, "seed " + seed + " hangs at " + tight.accepted());
      }
      tight.trim();
      assertEquals(0, little.usedBytes());
    }
  }

  /** A repeat that brings one new message takes no more room than that one. */
  @Test
  @Tag("R31")
  void anOverlappingBatchTakesNoMoreThanItsNewMessages() {
    int[] lengths = new int[200];
    java.util.Arrays.fill(lengths, 200);
    MemorySegment all = Arena.ofAuto().allocate(200 * 200);
    int sum = crc.compute(all, 0, 200 * 200);
    for (int first = 2; first <= 300; first++) { // each time one more; the first never comes
      int verdict = q.onEager(first, 200, n -> lengths[n], 200 * 200, sum, crc, at(all, 0));
      assertEquals(FragmentVerdict.ACCEPTED, verdict, "first " + first);
    }
    assertTrue(chunks.lentBytes() <= 4L * ChunkPool.CHUNK_BYTES, "" + chunks.lentBytes());
  }

  /** Many tiny fragments with holes between them take no more than a part of the message. */
  @Test
  @Tag("R31")
  void holesAreBoundedByTheLengthOfTheMessage() {
    int refused = 0;
    for (int from = 0; from < 8000; from += 2) {
      refused += fragment(1, 8000, from, 1) == FragmentVerdict.REFUSED ? 1 : 0;
    }
    assertTrue(refused >= 4000 - IntervalSet.mostOf(8000), "refused " + refused);
    for (int from = 0; from < 8000; from += 100) { // in order they are filled all the same
      int unused = fragment(1, 8000, from, 100);
    }
    assertEquals(1, q.accepted());
    assertEquals(1, poll(1));
  }

  /** A window grows when the sender says that it waits, and no further than can be charged. */
  @Test
  @Tag("R12")
  @Tag("R31")
  void windowsGrowWithConsumptionAndTheBudget() {
    MemoryBudget little = new MemoryBudget(1 << 22);
    ChunkPool its = new ChunkPool(1 << 22);
    ReceiveQueue grows = new ReceiveQueue(EAGER, 1 << 17, 1 << 22, pool, its, little.account());
    assertEquals(1 << 17, grows.creditLimit());
    MemorySegment m = bytes(1, 30_000);
    int sum = crc.compute(m, 0, 30_000);
    long seq = 0;
    long before = grows.creditLimit();
    for (int i = 0; i < 200; i++) {
      while (grows.onEager(seq + 1, 1, n -> 30_000, 30_000, sum, crc, at(m, 0))
          == FragmentVerdict.ACCEPTED) {
        seq++;
      }
      grows.onSenderWaits(seq + 1);
      if (i == 0) {
        assertEquals(before, grows.creditLimit(), "nothing is consumed");
      }
      int unused = grows.poll((s, o, l, n) -> MessageHandler.Action.CONTINUE, Integer.MAX_VALUE);
      grows.release();
      assertTrue(little.usedBytes() <= little.boundBytes());
    }
    assertTrue(grows.windowBytes() >= 1 << 18, "it grew to " + grows.windowBytes());
    assertTrue(grows.windowBytes() < 1 << 21, "and no further than it can be charged");
    grows.trim();
    assertEquals(0, little.usedBytes());
  }

  /** On another rail, or since what was sent has to be sent again. */
  @Test
  @Tag("R12")
  void thatTheSenderWaitsMayOvertakeWhatItSent() {
    MemoryBudget budget = new MemoryBudget(1 << 22);
    ReceiveQueue queue =
        new ReceiveQueue(EAGER, 1 << 17, 1 << 22, pool, new ChunkPool(1 << 22), budget.account());
    long before = queue.creditLimit();
    queue.onSenderWaits(2);
    assertEquals(before, queue.creditLimit(), "the first is under way");
    MemorySegment m = bytes(1, 1000);
    int sum = crc.compute(m, 0, 1000);
    assertEquals(
        FragmentVerdict.ACCEPTED, queue.onEager(1, 1, n -> 1000, 1000, sum, crc, at(m, 0)));
    int unused = queue.poll((s, o, l, n) -> MessageHandler.Action.CONTINUE, Integer.MAX_VALUE);
    queue.release();
    assertTrue(queue.creditLimit() > 2 * before - (1 << 12), "it is consumed");
    queue.trim();
    assertEquals(0, budget.usedBytes());
  }

  /** Said once more, or late, it is no other wait; and nothing is consumed of what came since. */
  @Test
  @Tag("R12")
  void thatTheSenderWaitsMayBeToldTwice() {
    MemoryBudget budget = new MemoryBudget(1 << 22);
    ReceiveQueue queue =
        new ReceiveQueue(EAGER, 1 << 10, 1 << 22, pool, new ChunkPool(1 << 22), budget.account());
    queue.onSenderWaits(1);
    long first = queue.creditLimit();
    assertTrue(first > 1 << 17, "the least window");
    queue.onSenderWaits(1);
    assertEquals(first, queue.creditLimit(), "a repeat");
    MemorySegment m = bytes(1, 1000);
    int sum = crc.compute(m, 0, 1000);
    int seq = 1;
    while (queue.onEager(seq, 1, n -> 1000, 1000, sum, crc, at(m, 0)) == FragmentVerdict.ACCEPTED) {
      queue.onSenderWaits(1);
      seq++;
    }
    assertEquals(first, queue.creditLimit(), "late");
    queue.onSenderWaits(seq);
    assertEquals(first, queue.creditLimit(), "nothing is consumed");
    int unused = queue.poll((s, o, l, n) -> MessageHandler.Action.CONTINUE, Integer.MAX_VALUE);
    queue.release();
    assertTrue(queue.creditLimit() > 2 * first, "it is consumed");
    queue.trim();
    queue.rest();
    assertEquals(0, budget.usedBytes());
  }

  /** They are bounded by the pool, and take next to nothing of the window. */
  @Test
  @Tag("R12")
  void largeMessagesThatNobodyPollsKeepNoWindowSmall() {
    MemoryBudget large = new MemoryBudget(1 << 26);
    BufferPool its = new BufferPool(1 << 24);
    ReceiveQueue left =
        new ReceiveQueue(EAGER, 1 << 18, 1 << 22, its, new ChunkPool(1 << 26), large.account());
    MemorySegment m = bytes(1, 100_000);
    int sum = crc.compute(m, 0, 100_000);
    for (int seq = 1; seq <= 60; seq++) {
      assertTrue(left.grant(seq, 100_000));
      assertEquals(
          FragmentVerdict.ACCEPTED, left.onFragment(seq, 100_000, 0, 100_000, sum, crc, at(m, 0)));
    }
    long before = left.creditLimit();
    left.onSenderWaits(61);
    assertEquals(2 * before, left.creditLimit());
    left.dispose();
    assertTrue(left.drop((first, last) -> assertEquals(60, last)));
    assertEquals(0, large.usedBytes());
    assertEquals(0, its.usedBytes());
  }

  /** After the end of its connection. */
  @Test
  @Tag("R24")
  void whatNobodyPollsStaysUntilItIsDropped() {
    MemoryBudget little = new MemoryBudget(1 << 22);
    ChunkPool its = new ChunkPool(1 << 22);
    ReceiveQueue left = new ReceiveQueue(EAGER, 1 << 18, 1 << 18, pool, its, little.account());
    MemorySegment m = bytes(1, 1 << 17);
    for (int seq = 1; seq <= 5; seq++) {
      if (seq == 2) {
        assertEquals(FragmentVerdict.ACCEPTED, left.skip(seq));
      } else if (seq == 4) {
        assertTrue(left.grant(seq, 1 << 17));
        int sum = crc.compute(m, 0, 1 << 17);
        assertEquals(
            FragmentVerdict.ACCEPTED,
            left.onFragment(seq, 1 << 17, 0, 1 << 17, sum, crc, at(m, 0)));
      } else {
        int sum = crc.compute(m, 0, 5000);
        assertEquals(
            FragmentVerdict.ACCEPTED, left.onEager(seq, 1, n -> 5000, 5000, sum, crc, at(m, 0)));
      }
    }
    List<String> dropped = new ArrayList<>();
    assertFalse(left.drop((first, last) -> dropped.add("alive")), "its connection lives");
    left.dispose();
    assertEquals(5, left.unpolled());
    assertTrue(little.usedBytes() >= 15_000 && pool.usedBytes() > 0);
    assertTrue(left.drop((first, last) -> dropped.add(first + "-" + last)));
    assertEquals(List.of("1-1", "3-5"), dropped, "the second was given up by its sender");
    assertEquals(0, left.unpolled());
    assertEquals(0, little.usedBytes());
    assertEquals(0, its.lentBytes());
    assertEquals(0, pool.usedBytes());
    assertEquals(0, left.poll((s, o, l, n) -> MessageHandler.Action.CONTINUE, 10));
    assertTrue(left.drop((first, last) -> dropped.add("again")));
    assertEquals(2, dropped.size());
  }

  @Test
  void batchesMayOverlapWithWhatIsThere() {
    whole(2, 5);
    MemorySegment all = Arena.ofAuto().allocate(30);
    int[] lengths = {7, 5, 9};
    long at = 0;
    for (int n = 0; n < 3; n++) {
      MemorySegment.copy(bytes(n + 1, lengths[n]), 0, all, at, lengths[n]);
      at += lengths[n];
    }
    assertEquals(
        FragmentVerdict.ACCEPTED,
        q.onEager(1, 3, n -> lengths[n], 21, crc.compute(all, 0, 21), crc, at(all, 0)));
    assertEquals(3, poll(10));
    assertEquals(List.of("1:7", "2:5", "3:9"), delivered);
  }

  @Test
  void aSkippedMessageIsNeverDelivered() {
    fragment(1, 5000, 0, 1000);
    q.skip(1);
    whole(2, 1);
    assertEquals(2, q.accepted());
    poll(10);
    assertEquals(List.of("2:1"), delivered);
    assertEquals(2, q.consumed());
  }

  @Test
  void aHandlerThatThrowsHasConsumedTheMessage() {
    whole(1, 1);
    whole(2, 1);
    assertThrows(
        IllegalStateException.class,
        () ->
            q.poll(
                (segment, offset, length, seq) -> {
                  throw new IllegalStateException("no");
                },
                10));
    assertEquals(1, q.consumed());
    assertEquals(1, poll(10));
    assertEquals(List.of("2:1"), delivered);
  }

  @Test
  void retryLaterKeepsTheMessage() {
    whole(1, 1);
    assertEquals(0, q.poll((s, o, l, n) -> MessageHandler.Action.RETRY_LATER, 10));
    assertEquals(1, poll(10));
  }

  /** As if nothing of it had come; what comes late under the old grant is as good as any. */
  @Test
  @Tag("R32")
  void whatIsRevokedIsGrantedAnewAndHasToComeWhole() {
    assertTrue(q.grant(1, 100_000));
    assertTrue(q.grant(2, 80_000));
    assertEquals(FragmentVerdict.ACCEPTED, fragment(1, 100_000, 0, 60_000));
    assertEquals(FragmentVerdict.ACCEPTED, fragment(2, 80_000, 0, 80_000)); // behind a gap
    long pooled = q.pooledBytes();
    assertEquals(pooled, q.grantedBytes());
    assertEquals(1, q.revoke());
    assertEquals(0, q.pooledBytes());
    assertEquals(0, pool.usedBytes());
    assertEquals(0, q.revoke(), "there is nothing left");
    assertEquals(FragmentVerdict.DUPLICATE, fragment(1, 100_000, 60_000, 40_000), "ignored");
    assertFalse(q.isGranted(1));
    assertTrue(q.grant(1, 100_000));
    assertEquals(FragmentVerdict.ACCEPTED, fragment(1, 100_000, 60_000, 40_000));
    assertEquals(0, q.accepted(), "what had come before counts no more");
    assertEquals(FragmentVerdict.ACCEPTED, fragment(1, 100_000, 0, 60_000));
    assertEquals(1, q.accepted());
    assertEquals(0, q.revoke(), "what was accepted stays");
    assertTrue(q.grant(2, 80_000));
    assertEquals(FragmentVerdict.ACCEPTED, fragment(2, 80_000, 0, 80_000));
    assertEquals(2, poll(10));
    assertEquals(List.of("1:100000", "2:80000"), delivered);
    assertEquals(0, pool.usedBytes());
  }

  @Test
  @Tag("R32")
  void whatAFormerLifeLeftIsNotDroppedWhileAHandlerHasIt() {
    for (int seq = 1; seq <= 3; seq++) {
      assertTrue(q.grant(seq, 70_000));
      assertEquals(FragmentVerdict.ACCEPTED, fragment(seq, 70_000, 0, 70_000));
    }
    assertEquals(FragmentVerdict.ACCEPTED, whole(4, 10));
    q.dispose();
    List<String> dropped = new ArrayList<>();
    int polled =
        q.poll(
            (segment, offset, length, seq) -> { // the engine asks meanwhile, on its thread
              assertFalse(q.drop((first, last) -> dropped.add(first + "-" + last)));
              delivered.add(seq + ":" + length);
              return seq == 1
                  ? MessageHandler.Action.CONTINUE
                  : MessageHandler.Action.RETRY_LATER; // and leaves it
            },
            10);
    assertEquals(1, polled);
    assertEquals(List.of("1:70000", "2:70000"), delivered);
    assertTrue(q.drop((first, last) -> dropped.add(first + "-" + last)));
    assertEquals(List.of("2-4"), dropped);
    assertEquals(0, pool.usedBytes());
    assertEquals(0, budget.usedBytes());
    assertEquals(0, poll(10));
  }
}

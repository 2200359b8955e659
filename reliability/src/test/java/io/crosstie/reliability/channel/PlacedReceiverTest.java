// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.checksum.Checksum;
import io.crosstie.checksum.ChecksumKind;
import io.crosstie.reliability.memory.BufferPool;
import io.crosstie.reliability.memory.ChunkPool;
import io.crosstie.reliability.memory.MemoryBudget;
import io.crosstie.reliability.wire.MessageRefusedFrame;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What has no place costs next to nothing until its sender has given it up. */
final class PlacedReceiverTest {
  private static final long HUGE = 16L << 20;
  private static final int WINDOW = 1 << 18;
  private static final Checksum NONE = Checksum.of(ChecksumKind.NONE);

  /** Has one region, of key 1, until it is closed. */
  private static final class Target implements PlacementTarget {
    boolean closed;
    int rooms;

    @Override
    public int judge(long key, long offset, long length) {
      return key == 1 && !closed ? 0 : MessageRefusedFrame.NO_REGION;
    }

    @Override
    public boolean write(MemorySegment from, long fromOffset, long offset, long length) {
      return true;
    }

    @Override
    public boolean reserve() {
      rooms++;
      return true;
    }

    @Override
    public void release() {
      rooms--;
    }

    @Override
    public void tell(long offset, long length, MemorySegment bytes, long at, int count) {
      rooms--;
    }
  }

  private final MemoryBudget budget = new MemoryBudget(1 << 26);
  private final ReceiveQueue queue =
      new ReceiveQueue(
          -1, WINDOW, WINDOW, new BufferPool(1 << 20), new ChunkPool(1 << 20), budget.account());
  private final PlacedReceiver receiver = queue.placed();
  private final Target target = new Target();

  private int part(long seq, long key, long messageLength, int headerLength, long from) {
    assertNotNull(receiver);
    return receiver.onPart(
        seq,
        messageLength,
        headerLength,
        from,
        8 + headerLength,
        0,
        NONE,
        (into, at, length, algorithm) -> 0,
        key,
        0,
        target);
  }

  private List<Long> taken() {
    List<Long> all = new ArrayList<>();
    while (receiver.isRefusalDue()) {
      all.add(receiver.takeRefusal());
    }
    return all;
  }

  @Test
  void eachRefusalIsDueOnceUntilItIsGivenUp() {
    List<Long> numbers = new ArrayList<>();
    for (long seq = 1; seq <= 1000; seq++) {
      numbers.add(seq);
    }
    Collections.shuffle(numbers, new Random(1));
    for (long seq : numbers) {
      assertEquals(FragmentVerdict.UNWANTED, part(seq, 2, HUGE, 0, 0));
      assertEquals(FragmentVerdict.UNWANTED, part(seq, 2, HUGE, 0, 8), "again, told once");
    }
    for (long seq = 500; seq <= 600; seq++) {
      assertEquals(FragmentVerdict.ACCEPTED, queue.skip(seq));
      assertEquals(0, receiver.refusalReason(seq));
    }
    numbers.removeIf(seq -> seq >= 500 && seq <= 600);
    assertEquals(numbers, taken());
    for (long seq : numbers) {
      assertEquals(MessageRefusedFrame.NO_REGION, receiver.refusalReason(seq));
    }
    receiver.refuseAgain(550);
    receiver.refuseAgain(2000);
    assertFalse(receiver.isRefusalDue());
    receiver.refuseAgain(7);
    receiver.refuseAgain(7);
    assertEquals(List.of(7L), taken());
    for (long seq : numbers) {
      assertEquals(FragmentVerdict.ACCEPTED, queue.skip(seq));
    }
    assertEquals(1000, queue.accepted());
    assertTrue(queue.release());
    assertEquals(0, queue.heldBytes());
  }

  /** What a claimed length would need to be told apart in its parts is not charged. */
  @Test
  void whatIsRefusedIsChargedLittleWhateverItsLength() {
    for (long seq = 1; seq <= 1000; seq++) {
      assertEquals(FragmentVerdict.UNWANTED, part(seq, 2, HUGE, 0, 0));
    }
    assertTrue(queue.heldBytes() <= 256_000, () -> queue.heldBytes() + " B");
    assertFalse(queue.takeWantsMemory());
  }

  /** The same of what had begun when its region was closed. */
  @Test
  void whatItsRegionTakesAlongGivesItsMemoryBack() {
    assertEquals(FragmentVerdict.ACCEPTED, part(1, 1, HUGE, 4, 0));
    long begun = queue.heldBytes();
    assertTrue(begun > 60_000, () -> begun + " B");
    assertEquals(1, target.rooms);
    target.closed = true;
    assertEquals(FragmentVerdict.UNWANTED, part(1, 1, HUGE, 4, 100));
    assertEquals(0, target.rooms);
    assertEquals(256, queue.heldBytes());
    assertEquals(FragmentVerdict.ACCEPTED, queue.skip(1));
    assertEquals(0, queue.heldBytes());
    assertEquals(FragmentVerdict.DUPLICATE, part(1, 1, HUGE, 4, 100));
  }
}

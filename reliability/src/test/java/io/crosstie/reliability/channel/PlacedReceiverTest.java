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
import io.crosstie.reliability.wire.PlacedKind;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
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
    boolean isFull;
    int rooms;
    final List<String> executed = new ArrayList<>();

    @Override
    public int judge(int kind, long key, long offset, long length) {
      return key == 1 && !closed ? 0 : MessageRefusedFrame.NO_REGION;
    }

    @Override
    public boolean write(MemorySegment from, long fromOffset, long offset, long length) {
      return true;
    }

    @Override
    public boolean write(byte[] from, int fromOffset, long offset, int length) {
      return true;
    }

    @Override
    public boolean reserve(int kind) {
      if (isFull) {
        return false;
      }
      rooms++;
      return true;
    }

    @Override
    public void release(int kind) {
      rooms--;
    }

    @Override
    public void execute(int kind, long key, long offset, MemorySegment request, long at) {
      rooms--;
      executed.add(kind + " " + offset + " " + PlacedKind.number(request, at, 1));
    }

    @Override
    public void tell(long offset, long length, MemorySegment bytes, long at, int count) {
      rooms--;
    }

    @Override
    public void tell(long offset, long length, byte[] bytes, int count) {
      rooms--;
    }
  }

  private final MemoryBudget budget = new MemoryBudget(1 << 26);
  private final ReceiveQueue queue = queue(WINDOW);
  private final PlacedReceiver receiver = queue.placed();
  private final Target target = new Target();

  /** Of a placement channel, with a window that long. */
  private ReceiveQueue queue(long window) {
    return new ReceiveQueue(
        -1, window, WINDOW, new BufferPool(1 << 20), new ChunkPool(1 << 20), budget.account());
  }

  private static ChannelReceiver told(ReceiveQueue in) {
    ChannelReceiver told = new ChannelReceiver(in, true);
    told.connect();
    return told;
  }

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
        PlacedKind.PUT,
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

  private int add(long seq, long addend) {
    assertNotNull(receiver);
    FragmentSource source =
        (into, at, length, algorithm) -> {
          byte[] request = new byte[length];
          PlacedKind.encodeRequest(request, 1, addend, 0);
          MemorySegment.copy(request, 0, into, ValueLayout.JAVA_BYTE, at, length);
          return 0;
        };
    return receiver.onPart(seq, 16, 16, 0, 16, 0, NONE, source, 1, 8, PlacedKind.FETCH_ADD, target);
  }

  /** Requests are done once each, in the order of their numbers, whatever comes early or again. */
  @Test
  void requestsAreDoneOnceAndInOrder() {
    int count = 300;
    List<Long> numbers = new ArrayList<>();
    for (long seq = 1; seq <= count; seq++) {
      numbers.add(seq);
      numbers.add(seq);
    }
    Collections.shuffle(numbers, new Random(2));
    List<String> expected = new ArrayList<>();
    for (long seq = 1; seq <= count; seq++) {
      expected.add("2 8 " + seq);
    }
    int accepted = 0;
    for (long seq : numbers) {
      accepted += add(seq, seq) == FragmentVerdict.ACCEPTED ? 1 : 0;
      assertEquals(expected.subList(0, (int) queue.accepted()), target.executed);
      boolean unused = queue.release();
    }
    assertEquals(count, accepted);
    assertEquals(expected, target.executed);
    assertEquals(0, target.rooms);
    assertEquals(0, queue.heldBytes());
  }

  /** Without room for its answer a request is not accepted, so that it is sent again. */
  @Test
  void aRequestWithoutRoomForItsAnswerComesAgain() {
    target.isFull = true;
    assertEquals(FragmentVerdict.REFUSED, add(1, 5));
    assertEquals(FragmentVerdict.REFUSED, add(2, 6));
    target.isFull = false;
    assertEquals(FragmentVerdict.ACCEPTED, add(2, 6));
    assertEquals(List.of(), target.executed);
    assertEquals(FragmentVerdict.ACCEPTED, add(1, 5));
    assertEquals(List.of("2 8 5", "2 8 6"), target.executed);
  }

  /** What waits for its turn when the connection ends is not done, and its room comes back. */
  @Test
  void whatWaitsForItsTurnIsNotDoneAfterTheEnd() {
    assertEquals(FragmentVerdict.ACCEPTED, add(2, 6));
    assertEquals(1, target.rooms);
    queue.dispose();
    assertEquals(0, target.rooms);
    assertEquals(List.of(), target.executed);
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

  /** Who puts as much waits to have the memory back, and not for the time that an ACK may take. */
  @Test
  void aPutOfSixteenKibibytesIsToldAtOnce() {
    ReceiveQueue in = queue(WINDOW);
    ChannelReceiver told = told(in);
    assertTrue(in.hasPlaceFor(1));
    in.placedWhole(1, (16 << 10) - 1);
    assertTrue(in.release());
    assertTrue(told.isStateDirty());
    assertFalse(told.isStateUrgent());
    told.stateSent(in.accepted(), in.consumed(), in.creditLimit());
    assertTrue(in.hasPlaceFor(2));
    in.placedWhole(2, 16 << 10);
    assertTrue(in.release());
    assertTrue(told.isStateUrgent());
  }

  /** A question may come before what it asks for: that is told at once when it has come. */
  @Test
  void whatWasAskedForIsToldOnceItIsThere() {
    ReceiveQueue in = queue(WINDOW);
    ChannelReceiver told = told(in);
    told.onAsked(2);
    assertFalse(told.isStateUrgent());
    for (int seq = 1; seq <= 3; seq++) {
      assertTrue(in.hasPlaceFor(seq));
      in.placedWhole(seq, 8);
      assertTrue(in.release());
      assertEquals(seq == 2, told.isStateUrgent(), "put " + seq);
      if (seq == 2) {
        told.stateSent(in.accepted(), in.consumed(), in.creditLimit());
      }
    }
  }

  /** Of short puts, a small window is told by halves, not one put in eight by itself. */
  @Test
  void creditForShortPutsIsToldByHalfOfASmallWindow() {
    ReceiveQueue small = queue(64 * ChannelLimits.MESSAGE_COST);
    ChannelReceiver told = told(small);
    for (int seq = 1; seq < 64; seq++) {
      assertEquals(seq > 32, told.isStateUrgent(), "before put " + seq);
      assertTrue(small.hasPlaceFor(seq));
      small.placedWhole(seq, 8);
      assertTrue(small.release());
      assertTrue(told.isStateDirty());
    }
  }
}

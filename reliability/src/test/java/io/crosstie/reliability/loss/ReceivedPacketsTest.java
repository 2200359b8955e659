// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.loss;

import static io.crosstie.reliability.loss.ReceivedPackets.DUPLICATE;
import static io.crosstie.reliability.loss.ReceivedPackets.MAX_RANGES;
import static io.crosstie.reliability.loss.ReceivedPackets.NEW;
import static io.crosstie.reliability.loss.ReceivedPackets.TOO_OLD;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.reliability.wire.AckFrame;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("R3")
@Tag("R9")
class ReceivedPacketsTest {
  private static final long MS = 1_000_000;
  private static final int OFFSET = 3; // unaligned on purpose

  private final ReceivedPackets received = new ReceivedPackets(MS);
  private final byte[] memory = new byte[AckFrame.MAX_LENGTH + OFFSET];

  private void receive(long... numbers) {
    for (long n : numbers) {
      assertEquals(NEW, received.onPacket(n, true, 0), "packet " + n);
    }
  }

  /** The runs of an ACK, as "first-last" from the highest. */
  private String ack(int room) {
    int length = received.writeAck(memory, OFFSET, room, 7, 0);
    if (length == 0) {
      return "";
    }
    assertEquals(AckFrame.length(memory, OFFSET), length);
    assertTrue(length <= room);
    assertEquals(7, AckFrame.rail(memory, OFFSET));
    StringBuilder text = new StringBuilder();
    long last = AckFrame.largest(memory, OFFSET);
    for (int i = 0; i < AckFrame.runCount(memory, OFFSET); i++) {
      last -= AckFrame.gap(memory, OFFSET, i);
      long first = last - AckFrame.run(memory, OFFSET, i) + 1;
      text.append(i == 0 ? "" : " ").append(first).append('-').append(last);
      last = first - 1;
    }
    return text.toString();
  }

  private String ack() {
    return ack(AckFrame.MAX_LENGTH);
  }

  @Test
  void nothingReceived() {
    assertEquals(-1, received.largest());
    assertFalse(received.hasAckToSend());
    assertFalse(received.isAckDue(Long.MAX_VALUE));
    assertEquals(Long.MAX_VALUE, received.ackDeadlineNs());
    assertEquals("", ack());
  }

  @Test
  void namesRangesFromTheHighest() {
    receive(0, 1, 2, 5, 9, 8);
    assertEquals(9, received.largest());
    assertEquals("8-9 5-5 0-2", ack());
    receive(3, 4);
    assertEquals("8-9 0-5", ack());
    receive(7, 6);
    assertEquals("0-9", ack());
  }

  @Test
  void tellsRepeatsApart() {
    receive(0, 1, 2, 5);
    for (long n : new long[] {0, 2, 5}) {
      assertEquals(DUPLICATE, received.onPacket(n, true, 0));
    }
    assertEquals(NEW, received.onPacket(3, true, 0));
    assertEquals(DUPLICATE, received.onPacket(3, true, 0));
  }

  @Test
  void namesNoMoreThanFits() {
    receive(0, 2, 4, 6);
    assertEquals("6-6 4-4", ack(AckFrame.length(2) + 7));
    assertEquals("6-6", ack(AckFrame.length(1)));
    assertEquals("", ack(AckFrame.length(1) - 1));
    assertEquals("", ack(-1));
  }

  @Test
  void reportsHowLongTheLargestWaited() {
    received.onPacket(0, true, 1000);
    received.onPacket(4, true, 5_000);
    received.onPacket(2, true, 90_000);
    received.writeAck(memory, OFFSET, AckFrame.MAX_LENGTH, 0, 255_999);
    assertEquals(250, AckFrame.delayMicros(memory, OFFSET));
    received.writeAck(memory, OFFSET, AckFrame.MAX_LENGTH, 0, Long.MAX_VALUE);
    assertEquals(0xffff_ffffL, AckFrame.delayMicros(memory, OFFSET), "what does not fit is cut");
  }

  @Test
  @Tag("R24")
  void dropsTheLowestRangeBeyondTheBound() {
    for (int i = 0; i <= MAX_RANGES; i++) {
      receive(2L * i);
    }
    assertEquals(TOO_OLD, received.onPacket(0, true, 0), "known once, but forgotten");
    assertEquals(NEW, received.onPacket(1, true, 0), "joins the range above");
    assertEquals(DUPLICATE, received.onPacket(2, true, 0));
    assertEquals(MAX_RANGES, ack().split(" ").length);
  }

  @Test
  @Tag("R24")
  void doesNotDropAHigherRangeForALowerOne() {
    for (int i = 1; i <= MAX_RANGES; i++) {
      receive(10L * i);
    }
    assertEquals(TOO_OLD, received.onPacket(3, true, 0));
    assertEquals(NEW, received.onPacket(25, true, 0), "above the lowest: that one goes");
    assertEquals(TOO_OLD, received.onPacket(10, true, 0));
    assertTrue(ack().endsWith(" 25-25 20-20"), ack());
  }

  @Test
  void distrustsTheWire() {
    assertEquals(TOO_OLD, received.onPacket(-1, true, 0));
    assertEquals(TOO_OLD, received.onPacket(Long.MIN_VALUE, true, 0));
    assertEquals(TOO_OLD, received.onPacket(Long.MAX_VALUE, true, 0));
    assertFalse(received.hasAckToSend());
    receive(5, Long.MAX_VALUE - 1);
    assertEquals(TOO_OLD, received.onPacket(Long.MAX_VALUE, true, 0));
    long top = Long.MAX_VALUE - 1;
    assertEquals(top + "-" + top, ack(), "a gap beyond 32 bits cannot be told");
  }

  @Test
  void anAckIsDueAfterSoManyPackets() {
    for (int i = 0; i < ReceivedPackets.DEFAULT_PACKETS_PER_ACK - 1; i++) {
      received.onPacket(i, true, 10);
    }
    assertTrue(received.hasAckToSend());
    assertFalse(received.isAckDue(10));
    received.onPacket(63, true, 10);
    assertTrue(received.isAckDue(10));
    received.onAckSent(10);
    assertFalse(received.hasAckToSend());
    assertFalse(received.isAckDue(10 + 5 * MS));
    received.setPacketsPerAck(2);
    received.onPacket(64, true, 20);
    assertFalse(received.isAckDue(20));
    received.onPacket(65, true, 20);
    assertTrue(received.isAckDue(20));
  }

  @Test
  void anAckIsDueAfterTheDelay() {
    received.onPacket(0, true, 10);
    received.onPacket(1, true, 500_000);
    assertEquals(10 + MS, received.ackDeadlineNs(), "counted from the first");
    assertFalse(received.isAckDue(9 + MS));
    assertTrue(received.isAckDue(10 + MS));
  }

  @Test
  void anAckIsDueAtOnceOnAGapALatePacketOrARepeat() {
    received.onPacket(0, true, 10);
    received.onPacket(2, true, 20);
    assertTrue(received.isAckDue(20), "gap");
    received.onAckSent(20);
    received.onPacket(3, true, 30);
    assertFalse(received.isAckDue(30), "the old gap is no news");
    received.onPacket(1, true, 40);
    assertTrue(received.isAckDue(40), "late");
    received.onAckSent(40);
    received.onPacket(1, true, 50);
    assertTrue(received.isAckDue(50), "repeat");
    received.onAckSent(50);
    assertEquals(Long.MAX_VALUE, received.ackDeadlineNs());
  }

  @Test
  void acksAreNotAnsweredByAcks() {
    received.onPacket(0, false, 0);
    received.onPacket(5, false, 0);
    received.onPacket(5, false, 0);
    received.onPacket(3, false, 0);
    assertFalse(received.hasAckToSend());
    assertFalse(received.isAckDue(10 * MS));
    received.onPacket(6, true, 0);
    assertEquals("5-6 3-3 0-0", ack(), "but they are named along with others");
  }

  @Test
  void whatThePeerKnowsIsNotNamedAgain() {
    receive(0, 1, 5, 6, 9);
    assertEquals("9-9 5-6 0-1", ack());
    received.onAckDelivered(6);
    assertEquals("9-9", ack());
    receive(10, 20);
    assertEquals("20-20 9-10", ack());
    assertEquals(DUPLICATE, received.onPacket(5, true, 0), "but it is remembered");
    assertEquals("20-20 9-10 5-6", ack(), "and named again, for the peer seems not to know");
  }

  @Test
  void aLateArrivalIsNamedUntilALaterAckWasDelivered() {
    receive(0, 1, 5, 6);
    assertEquals("5-6 0-1", ack());
    receive(3); // after that ACK was written
    received.onAckDelivered(6); // which says nothing about packet 3
    assertEquals("5-6 3-3", ack());
    receive(7);
    assertEquals("5-7 3-3", ack());
    received.onAckDelivered(7);
    assertEquals("5-7", ack());
    receive(9);
    assertEquals("9-9", ack());
  }

  @Test
  void anAckCutShortTellsNothingAboutTheRest() {
    receive(0, 2, 4, 6);
    assertEquals("6-6 4-4", ack(AckFrame.length(2)));
    received.onAckDelivered(6);
    assertEquals("6-6 4-4 2-2 0-0", ack());
  }

  @Test
  void aRefusedPacketIsAsIfItHadNotArrived() {
    receive(0, 1, 2, 3);
    received.onAckSent(0);
    for (long refused : new long[] {4, 9}) {
      assertEquals(NEW, received.onPacket(refused, true, 77));
      received.undo(refused);
      assertEquals("0-3", ack());
      assertEquals(3, received.largest());
      assertFalse(received.hasAckToSend());
      assertEquals(Long.MAX_VALUE, received.ackDeadlineNs());
    }
    assertEquals(NEW, received.onPacket(4, true, 80), "it may come again");
    assertEquals("0-4", ack());
  }

  @Test
  void aRefusedPacketLeavesItsHole() {
    receive(0, 1, 3, 5, 6);
    receive(2);
    received.undo(2);
    assertEquals("5-6 3-3 0-1", ack());
    receive(4);
    received.undo(4);
    assertEquals("5-6 3-3 0-1", ack());
    received.undo(4);
    received.undo(100);
    assertEquals(TOO_OLD, received.onPacket(-1, true, 0));
    received.undo(-1);
    assertEquals("5-6 3-3 0-1", ack(), "nothing to undo");
  }

  @Test
  void aRefusedFirstPacket() {
    receive(0);
    received.undo(0);
    assertEquals(-1, received.largest());
    assertEquals("", ack());
    receive(0);
    assertEquals("0-0", ack());
  }

  @Test
  void aRefusedPacketKeepsTheDelayOfTheOneBefore() {
    received.onPacket(0, true, 0);
    received.onPacket(1, true, 50_000);
    received.undo(1);
    received.writeAck(memory, OFFSET, AckFrame.MAX_LENGTH, 0, 90_000);
    assertEquals(90, AckFrame.delayMicros(memory, OFFSET));
  }

  @Test
  void refusesNonsense() {
    assertThrows(IllegalArgumentException.class, () -> new ReceivedPackets(-1));
    assertThrows(IllegalArgumentException.class, () -> received.setPacketsPerAck(0));
  }

  /** Loss, reordering, repeats, refusals; ACKs that are lost, late, or cut short. */
  @Test
  void inTheEndThePeerKnowsExactlyWhatArrived() {
    for (int seed = 0; seed < 300; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      ReceivedPackets tested = new ReceivedPackets(MS);
      BitSet arrived = new BitSet();
      BitSet peerKnows = new BitSet();
      ArrayDeque<Integer> deliveries = new ArrayDeque<>();
      int spread = 1 + random.nextInt(60); // fewer ranges than the bound at any time
      int next = 0;
      for (int step = 0; step < 1500; step++) {
        String where = "seed " + seed + " step " + step;
        int number = Math.max(0, next + random.nextInt(2) - random.nextInt(spread));
        next = Math.max(next, number + 1);
        int expected = arrived.get(number) ? DUPLICATE : NEW;
        int result = tested.onPacket(number, true, step);
        if (result == TOO_OLD) {
          assertTrue(number < next - MAX_RANGES, where);
        } else {
          assertEquals(expected, result, where);
          arrived.set(number);
        }
        if (result == NEW && random.nextInt(20) == 0) {
          tested.undo(number);
          arrived.clear(number);
        } else if (random.nextInt(3) == 0 && tested.hasAckToSend()) {
          int room = random.nextInt(4) == 0 ? AckFrame.length(1 + random.nextInt(4)) : 600;
          assertTrue(tested.writeAck(memory, OFFSET, room, 0, step) > 0, where);
          tested.onAckSent(step);
          if (random.nextInt(3) > 0) { // not lost
            BitSet named = named(memory);
            BitSet wrong = (BitSet) named.clone();
            wrong.andNot(arrived);
            assertTrue(wrong.isEmpty(), where + " names " + wrong);
            peerKnows.or(named);
            deliveries.add((int) AckFrame.largest(memory, OFFSET));
          }
        }
        while (deliveries.size() > 5 || (!deliveries.isEmpty() && random.nextInt(6) == 0)) {
          tested.onAckDelivered(deliveries.remove());
        }
      }
      tested.writeAck(memory, OFFSET, AckFrame.MAX_LENGTH, 0, 0);
      peerKnows.or(named(memory));
      assertEquals(arrived, peerKnows, "seed " + seed);
    }
  }

  private static BitSet named(byte[] frame) {
    BitSet numbers = new BitSet();
    int last = (int) AckFrame.largest(frame, OFFSET);
    for (int i = 0; i < AckFrame.runCount(frame, OFFSET); i++) {
      last -= (int) AckFrame.gap(frame, OFFSET, i);
      int first = last - (int) AckFrame.run(frame, OFFSET, i) + 1;
      numbers.set(first, last + 1);
      last = first - 1;
    }
    return numbers;
  }
}

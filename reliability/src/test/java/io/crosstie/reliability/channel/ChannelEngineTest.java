// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.reliability.memory.BufferPool;
import io.crosstie.reliability.memory.NodeMemory;
import io.crosstie.reliability.memory.PathBytes;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class ChannelEngineTest {
  private static final int MIB = 1 << 20;
  private static final int LARGE = 5 * MIB;

  private final NodeMemory memory = new NodeMemory(64 * MIB, new BufferPool(64 * MIB));
  private final PathBytes path = new PathBytes();
  private final ChannelCore core =
      new ChannelCore(
          3,
          Priority.NORMAL,
          new ChannelLimits(64 * MIB, 64 << 10, MIB, MIB, MIB, 64 * MIB),
          memory.share(path));
  private final ChannelEngine engine = core.engine();
  private final MemorySegment message = Arena.ofAuto().allocate(LARGE);

  private void connect() {
    engine.connect(MIB, 64 * MIB);
    engine.sender().setUse(0);
  }

  @Test
  void theBacklogCountsTheMessageBehindOnceItMayLeave() {
    connect();
    offer(LARGE);
    offer(LARGE);
    assertTrue(engine.sender().announceNext());
    assertTrue(engine.sender().onGrant(1, 0));
    engine.sender().takeBytes(LARGE - 100);
    assertEquals(100 + MIB, engine.sender().backlogBytes(), "it may have to wait for its grant");
    assertTrue(engine.sender().onGrant(2, 0));
    assertEquals(100 + LARGE, engine.sender().backlogBytes(), "it is granted");
    offer(1000);
    offer(1000);
    assertEquals(
        100 + LARGE + 2 * MIB, engine.sender().backlogBytes(), "others are taken to be like it");
    engine.sender().takeBytes(100);
    assertEquals(LARGE + 2 * 1000, engine.sender().backlogBytes());
    engine.sender().takeBytes(LARGE);
    assertEquals(2 * 1000, engine.sender().backlogBytes());
    engine.sender().takeEager(1000);
    assertEquals(1000, engine.sender().backlogBytes());
  }

  /**
   * An application thread may offer, or close, between the engine's look for what there is to say
   * and its look for what may leave: what has no use yet would leave as one of a former use, and be
   * dropped by the peer for ever.
   */
  @Test
  void nothingLeavesBeforeItsNumbersAreKnown() {
    engine.connect(MIB, 64 * MIB);
    assertFalse(engine.sender().needsUse(), "nothing to say");
    offer(100);
    assertEquals(ChannelSender.IDLE, engine.sender().sendState());
    assertFalse(engine.sender().hasMore());
    assertEquals(-1, engine.sender().nextEager(MIB));
    offer(LARGE);
    assertTrue(engine.sender().announceNext());
    core.closeSending();
    assertFalse(engine.sender().isRtsDue());
    assertTrue(engine.sender().needsUse(), "which the engine sees when it looks again");
    engine.sender().setUse(7L << 32);
    assertEquals(ChannelSender.READY, engine.sender().sendState());
    assertEquals(100, engine.sender().nextEager(MIB));
    assertTrue(engine.sender().isRtsDue());
    assertEquals((7L << 32) + 1, engine.sender().onWire(1));
  }

  @Test
  void noEndIsToldBeforeItsNumberIsKnown() {
    engine.connect(MIB, 64 * MIB);
    core.closeSending();
    assertFalse(engine.sender().isFinDue());
    engine.sender().setUse(7L << 32);
    assertTrue(engine.sender().isFinDue());
  }

  /** The peer takes nothing on the channel: others may have the memory of what waited there. */
  @Test
  void whatIsRefusedGivesItsMemoryBack() {
    connect();
    offer(LARGE);
    offer(100);
    assertEquals(3, core.send(message, 0, 10, (seq, error) -> {}));
    offer(60_000);
    offer(LARGE);
    assertTrue(memory.sent().usedBytes() > 60_000);
    assertTrue(memory.largeSent().usedBytes() >= 2 * LARGE);
    assertEquals(1, engine.refuse());
    assertEquals(1, core.poll((m, offset, length, seq) -> MessageHandler.Action.CONTINUE, 10));
    assertEquals(0, memory.sent().usedBytes());
    assertEquals(0, memory.largeSent().usedBytes());
    assertEquals(0, core.acceptedSequence());
    assertEquals(Status.CHANNEL_REFUSED, core.offer(message, 0, 1));
  }

  /** Lost, repeated, overtaken: REVOKE, RTS and CTS are of a round, and older ones void. */
  @Test
  @Tag("R32")
  void whatIsRevokedIsAnnouncedAgainAndLeavesAgainWhole() {
    connect();
    offer(LARGE);
    offer(LARGE);
    assertTrue(engine.sender().announceNext());
    engine.sender().announceSent(2);
    assertTrue(engine.sender().onGrant(2, 0));
    engine.sender().takeBytes(LARGE);
    engine.sender().takeBytes(100);
    assertEquals(0, engine.sender().takeRevoked());
    assertTrue(engine.sender().onRevoke(1, 1));
    assertFalse(engine.sender().onRevoke(1, 1), "a repeat");
    assertEquals(ChannelSender.NEEDS_GRANT, engine.sender().sendState());
    assertTrue(engine.sender().isRtsDue());
    assertEquals(2, engine.sender().announcements());
    assertEquals(1, engine.sender().announcement(0));
    assertEquals(1, engine.sender().round());
    assertFalse(engine.sender().onGrant(1, 0), "of the round before");
    assertTrue(engine.sender().isUngranted(1));
    assertTrue(engine.sender().onGrant(1, 1));
    assertEquals(1, engine.sender().takeRevoked());
    assertEquals(0, engine.sender().takeRevoked());
    assertFalse(engine.sender().isUngranted(1));
    assertEquals(
        ChannelSender.NEEDS_GRANT, engine.sender().sendState(), "the second is not granted yet");
    assertTrue(engine.sender().onGrant(2, 1));
    assertEquals(2, engine.sender().takeRevoked());
    assertEquals(ChannelSender.READY, engine.sender().sendState());
    assertEquals(100, engine.sender().nextOffset(), "the rest of it is still new");
    assertEquals(1, engine.sender().onPeerState(1, 0, 0));
    assertTrue(engine.sender().onRevoke(1, 3), "two revocations, of which the first was lost");
    assertEquals(1, engine.sender().announcements());
    assertEquals(2, engine.sender().announcement(0), "the first was accepted meanwhile");
    assertFalse(engine.sender().onRevoke(1, 2), "overtaken");
  }

  /** On a long path more is announced, over several packets; what was lost leaves again. */
  @Test
  @Tag("R32")
  void asMuchIsAnnouncedAsThePathHoldsAndEachNamesTheOneBefore() {
    connect();
    for (int i = 0; i < 12; i++) {
      offer(100_000);
    }
    assertTrue(engine.sender().announceNext());
    assertEquals(4, engine.sender().announcements(), "nothing is known of the path");
    path.measured(400_000, 1);
    assertTrue(engine.sender().announceNext());
    assertEquals(8, engine.sender().announcements());
    assertEquals(0, engine.sender().announcedBehind(0), "nothing before it waits");
    assertEquals(1, engine.sender().announcedBehind(1));
    engine.sender().announceSent(5);
    assertTrue(engine.sender().isRtsDue(), "a packet had no more room");
    assertEquals(3, engine.sender().announcements());
    assertEquals(6, engine.sender().announcement(0));
    assertEquals(1, engine.sender().announcedBehind(0));
    engine.sender().announceSent(3);
    assertFalse(engine.sender().isRtsDue());
    engine.sender().retransmitRts(6);
    assertEquals(3, engine.sender().announcements(), "those behind it too");
    engine.sender().announceSent(3);
    assertTrue(engine.sender().onGrant(6, 0));
    assertEquals(4, engine.sender().announcements(), "as much more as was answered");
    assertEquals(9, engine.sender().announcement(0));
    path.measured(0, 1);
    assertTrue(engine.sender().onGrant(8, 0));
    assertEquals(4, engine.sender().announcements(), "those that were announced stay so");
  }

  /** That it waits is lost, or could not leave; meanwhile it has credit: nothing is to be said. */
  @Test
  @Tag("R12")
  void whoGotCreditDoesNotSayThatItWaits() {
    engine.connect(1000, 64 * MIB);
    engine.sender().setUse(0);
    offer(500);
    offer(600);
    offer(600);
    engine.sender().takeEager(500);
    assertEquals(ChannelSender.NEEDS_CREDIT, engine.sender().sendState());
    assertTrue(engine.sender().onCreditStall());
    assertFalse(engine.sender().onCreditStall(), "once for each credit");
    assertTrue(engine.sender().isRtsDue());
    engine.sender().announceSent(1);
    engine.sender().retransmitRts(2);
    assertTrue(engine.sender().isRtsDue(), "it was lost");
    assertEquals(1, engine.sender().onPeerState(0, 0, 1500));
    assertFalse(engine.sender().isRtsDue(), "it has credit");
    assertEquals(ChannelSender.READY, engine.sender().sendState());
    engine.sender().retransmitRts(2);
    assertFalse(engine.sender().isRtsDue(), "lost once more, and still nothing to say");
    engine.sender().takeEager(600);
    assertEquals(ChannelSender.NEEDS_CREDIT, engine.sender().sendState());
    assertTrue(engine.sender().onCreditStall());
    assertTrue(engine.sender().isRtsDue(), "another wait");
    assertEquals(3, engine.sender().announcement(0));
  }

  private void offer(int length) {
    assertTrue(core.offer(message, 0, length) > 0);
  }
}

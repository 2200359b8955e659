// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.multirail.connection.Connection;
import io.crosstie.multirail.connection.ConnectionCounter;
import io.crosstie.multirail.path.RailCounter;
import io.crosstie.transport.RailException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Short messages over shared memory: sent before anything else, taken in as expected. */
class InlineSendTest {
  private static final long PATIENCE_NS = 2_000_000_000L;
  private static final int MESSAGES = 2000;

  private static long out(Pair pair, ConnectionCounter counter) {
    return pair.connection().counters().get(counter);
  }

  private static long in(Pair pair, ConnectionCounter counter) {
    return pair.right.connections.getLast().counters().get(counter);
  }

  /** One at a time; all bytes are compared where they arrive. */
  private static void exchange(Pair pair, int messages, int longest) {
    for (int i = 0; i < messages; i++) {
      long before = pair.delivered;
      assertTrue(pair.send(i % (longest + 1)) > 0);
      assertTrue(pair.run(PATIENCE_NS, () -> pair.delivered == before + 1), pair::describe);
    }
  }

  private static void assertBooksClose(Pair pair, int rail) {
    pair.run(50_000_000L);
    assertEquals(
        pair.counter(pair.left, rail, RailCounter.PACKETS_OUT),
        pair.counter(pair.right, rail, RailCounter.PACKETS_IN),
        pair::describe);
    assertEquals(
        pair.counter(pair.left, rail, RailCounter.BYTES_OUT),
        pair.counter(pair.right, rail, RailCounter.BYTES_IN),
        pair::describe);
    assertEquals(pair.delivered, out(pair, ConnectionCounter.MESSAGES_OUT));
    assertEquals(pair.delivered, in(pair, ConnectionCounter.MESSAGES_IN));
    assertEquals(pair.delivered, out(pair, ConnectionCounter.MESSAGES_ACCEPTED));
    assertEquals(
        out(pair, ConnectionCounter.BYTES_OUT),
        pair.counter(pair.right, rail, RailCounter.PAYLOAD_IN));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void nearlyAllGoThisWayAndEveryPacketIsCounted(boolean oneThread) throws RailException {
    Pair pair = Pair.shared(0, oneThread);
    exchange(pair, MESSAGES, 64);
    assertTrue(out(pair, ConnectionCounter.INLINE_SENDS) > MESSAGES / 2, pair::describe);
    assertTrue(in(pair, ConnectionCounter.PREDICTED_PACKETS) > MESSAGES / 2, pair::describe);
    assertBooksClose(pair, 0);
  }

  /** The short cuts decide when something happens, and never what. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void withoutTheShortcutsAllGoTheGeneralWayWithTheSameResult(boolean oneThread)
      throws RailException {
    Pair pair = Pair.sharedWithoutShortcuts(oneThread);
    exchange(pair, MESSAGES, 64);
    assertEquals(0, out(pair, ConnectionCounter.INLINE_SENDS));
    assertEquals(0, in(pair, ConnectionCounter.PREDICTED_PACKETS));
    assertBooksClose(pair, 0);
    Pair with = Pair.shared(0, oneThread);
    exchange(with, MESSAGES, 64);
    assertBooksClose(with, 0);
    for (ConnectionCounter same :
        List.of(
            ConnectionCounter.MESSAGES_OUT,
            ConnectionCounter.BYTES_OUT,
            ConnectionCounter.MESSAGES_ACCEPTED,
            ConnectionCounter.PROTOCOL_ERRORS)) {
      assertEquals(out(with, same), out(pair, same), same::toString);
    }
    assertEquals(with.delivered, pair.delivered);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void longerOnesGoTheGeneralWay(boolean oneThread) throws RailException {
    Pair pair = Pair.shared(0, oneThread);
    for (int i = 0; i < 100; i++) {
      assertTrue(pair.send(65 + i) > 0);
      pair.run(200_000L);
    }
    assertEquals(100, pair.delivered);
    assertEquals(0, out(pair, ConnectionCounter.INLINE_SENDS));
    assertEquals(0, in(pair, ConnectionCounter.PREDICTED_PACKETS));
    assertBooksClose(pair, 0);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void severalThatWaitShareAPacket(boolean oneThread) throws RailException {
    Pair pair = Pair.shared(0, oneThread);
    exchange(pair, 10, 8);
    long sent = out(pair, ConnectionCounter.INLINE_SENDS);
    for (int round = 0; round < 50; round++) {
      for (int i = 0; i < 3; i++) {
        assertTrue(pair.send(8) > 0);
      }
      pair.run(200_000L);
    }
    assertEquals(160, pair.delivered);
    if (!oneThread) { // else the first of them leaves where it is offered
      assertEquals(sent, out(pair, ConnectionCounter.INLINE_SENDS));
    }
    assertTrue(
        pair.counter(pair.left, 0, RailCounter.PACKETS_OUT) < 10 + 2 * 50 + 20, pair::describe);
    assertBooksClose(pair, 0);
  }

  /** R21: what does not match its checksum is asked for again, and never delivered. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aDamagedPayloadIsSentAgain(boolean oneThread) throws RailException {
    Pair pair = Pair.shared(0, oneThread);
    exchange(pair, 100, 64);
    for (int i = 0; i < 20; i++) {
      long before = pair.delivered;
      pair.net.ports.get("mem://ring-shared0.right").corruptNext = true;
      assertTrue(pair.send(1 + i) > 0);
      assertTrue(pair.run(PATIENCE_NS, () -> pair.delivered == before + 1), pair::describe);
      exchange(pair, 19, 64);
    }
    assertEquals(500, pair.delivered);
    assertEquals(20, pair.counter(pair.right, 0, RailCounter.CRC_FAILURES), pair::describe);
    assertEquals(0, pair.counter(pair.left, 0, RailCounter.FAILOVERS));
  }

  /** The fast way is the reliable way: what left it and was not consumed leaves again elsewhere. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whatARailThatEndsTookAlongArrivesByAnother(boolean oneThread) throws RailException {
    Pair pair = Pair.shared(1, oneThread);
    exchange(pair, 200, 64);
    assertTrue(out(pair, ConnectionCounter.INLINE_SENDS) > 0, pair::describe);
    pair.net.blackHole("mem://ring-shared0.right", true);
    long before = pair.delivered;
    long sent = out(pair, ConnectionCounter.INLINE_SENDS);
    for (int i = 0; i < 5; i++) {
      assertTrue(pair.send(8) > 0);
      int unused = pair.left.endpoint.poll(pair.net.nowNs); // each is a packet of its own
    }
    assertTrue(out(pair, ConnectionCounter.INLINE_SENDS) > sent, pair::describe);
    assertFalse(pair.delivered > before);
    pair.net.ports.get("mem://ring-shared0.left").failing = true;
    assertTrue(pair.run(PATIENCE_NS, () -> pair.delivered == before + 5), pair::describe);
    pair.net.blackHole("mem://ring-shared0.right", false);
    exchange(pair, 100, 64);
    assertEquals(before + 105, pair.delivered);
  }

  /**
   * R10: a receiver that stood still finds a message twice, first the copy that was sent again over
   * the network, then the original in the ring, which is just the packet that was expected there.
   * It is delivered once, and the next one too.
   */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void theOriginalOfAMessageThatCameByAnotherRailIsARepeat(boolean oneThread) throws RailException {
    Pair pair = Pair.sharedLast(1, oneThread);
    for (int round = 0; round < 5; round++) {
      exchange(pair, 50, 64);
      long expected = in(pair, ConnectionCounter.PREDICTED_PACKETS);
      assertTrue(expected > 0, pair::describe);
      long before = pair.delivered;
      long repeats = pair.counter(pair.right, 1, RailCounter.DUPLICATE_FRAGMENTS);
      long again = pair.counter(pair.left, 0, RailCounter.PAYLOAD_AGAIN_OUT);
      pair.rightRuns = false;
      assertTrue(pair.send(8) > 0);
      assertTrue(
          pair.run(
              PATIENCE_NS, () -> pair.counter(pair.left, 0, RailCounter.PAYLOAD_AGAIN_OUT) > again),
          pair::describe);
      pair.run(1_000_000L);
      pair.rightRuns = true;
      assertTrue(pair.run(PATIENCE_NS, () -> pair.delivered == before + 1), pair::describe);
      pair.run(1_000_000L);
      assertEquals(before + 1, pair.delivered);
      assertTrue(
          pair.counter(pair.right, 1, RailCounter.DUPLICATE_FRAGMENTS) > repeats, pair::describe);
      pair.run(100_000_000L); // the rail is well again
    }
    exchange(pair, 50, 64);
  }

  /** Where all calls come from one thread, the message is on its way when the offer returns. */
  @Test
  void leavesWhereItIsOfferedAndIsNotedWithTheNextTick() throws RailException {
    Pair pair = Pair.shared(1, true);
    exchange(pair, 10, 8);
    boolean left = false;
    long sent = 0;
    long packets = 0;
    for (int tries = 0;
        tries < 100 && !left;
        tries++) { // now and then something else is to be said
      sent = out(pair, ConnectionCounter.INLINE_SENDS);
      packets = pair.counter(pair.left, 0, RailCounter.PACKETS_OUT);
      long before = pair.delivered;
      assertTrue(pair.send(8) > 0);
      pair.leftRuns = false; // not one duty cycle more on this side
      left = pair.run(1_000_000L, () -> pair.delivered == before + 1);
      pair.leftRuns = !left;
      assertTrue(left || pair.run(PATIENCE_NS, () -> pair.delivered == before + 1), pair::describe);
    }
    assertTrue(left, pair::describe);
    assertEquals(packets, pair.counter(pair.left, 0, RailCounter.PACKETS_OUT));
    long delivered = pair.delivered;
    assertTrue(pair.send(8) > 0); // the second one waits for the duty cycle
    pair.run(1_000_000L);
    assertEquals(delivered, pair.delivered);
    pair.left.endpoint.removePort(0, pair.net.nowNs); // the first is noted before its rail goes
    assertEquals(sent + 1, out(pair, ConnectionCounter.INLINE_SENDS));
    assertEquals(packets + 1, pair.counter(pair.left, 0, RailCounter.PACKETS_OUT));
    pair.leftRuns = true;
    assertTrue(pair.run(PATIENCE_NS, () -> pair.delivered == delivered + 1), pair::describe);
    assertTrue(
        pair.run(
            PATIENCE_NS, () -> out(pair, ConnectionCounter.MESSAGES_ACCEPTED) == pair.delivered),
        pair::describe);
  }

  /** Who has sent one polls for the answer in the same cycle, and not for long. */
  @Test
  void anAnswerIsPolledForAFewTimes() throws RailException {
    Pair pair = Pair.shared(0, true);
    exchange(pair, 10, 8);
    assertEquals(1 + 8, pollsAfterInlineSend(pair));
    pair.run(1_000_000L);
    assertEquals(1 + 8, pollsAfterInlineSend(pair));
  }

  /** In the duty cycle in which a message had left by itself, whose answer is not there yet. */
  private static long pollsAfterInlineSend(Pair pair) {
    for (int tries = 0; tries < 100; tries++) {
      long sent = out(pair, ConnectionCounter.INLINE_SENDS);
      assertTrue(pair.send(8) > 0);
      long polls = polls(pair, pair.left);
      if (out(pair, ConnectionCounter.INLINE_SENDS) > sent) {
        return polls;
      }
      pair.run(1_000_000L);
    }
    throw new AssertionError("none left by itself\n" + pair.describe());
  }

  /** What the last cycle brought may be delivered after this one, and waits no longer than that. */
  @Test
  void whoHasSomethingToDeliverIsNotKeptWaiting() throws RailException {
    Pair pair = Pair.shared(0, true);
    exchange(pair, 10, 8);
    pair.run(100_000_000L); // nothing is left to be said
    long before = pair.delivered;
    assertTrue(pair.send(8) > 0);
    pair.rightRuns = false;
    pair.run(1_000_000L);
    assertTrue(pair.right.endpoint.poll(pair.net.nowNs) > 0);
    assertEquals(1, polls(pair, pair.right));
    assertEquals(before, pair.delivered);
    pair.rightRuns = true;
    assertTrue(pair.run(PATIENCE_NS, () -> pair.delivered == before + 1), pair::describe);
    pair.run(100_000_000L);
    assertTrue(polls(pair, pair.right) > 1);
  }

  /** In one duty cycle. */
  private static long polls(Pair pair, Pair.Side side) {
    String name = side == pair.left ? "mem://ring-shared0.left" : "mem://ring-shared0.right";
    long before = pair.net.ports.get(name).polls;
    side.endpoint.poll(pair.net.nowNs);
    return pair.net.ports.get(name).polls - before;
  }

  /** What closes meanwhile is closed, and what has left is noted all the same. */
  @Test
  void aConnectionThatClosesHasNotedWhatLeft() throws RailException {
    Pair pair = Pair.shared(0, true);
    exchange(pair, 10, 8);
    pair.run(1_000_000L);
    long sent = out(pair, ConnectionCounter.INLINE_SENDS);
    assertTrue(pair.send(8) > 0);
    Connection connection = pair.connection();
    connection.close(PATIENCE_NS, pair.net.nowNs);
    assertTrue(pair.run(PATIENCE_NS, () -> connection.state().isOver()), pair::describe);
    assertEquals(11, pair.delivered);
    assertEquals(sent + 1, connection.counters().get(ConnectionCounter.INLINE_SENDS));
    assertEquals(11, connection.counters().get(ConnectionCounter.MESSAGES_ACCEPTED));
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.multirail.config.EndpointConfig;
import io.crosstie.multirail.connection.Connection;
import io.crosstie.multirail.connection.ConnectionCounter;
import io.crosstie.multirail.event.EndpointCounter;
import io.crosstie.multirail.event.NodeEvent;
import io.crosstie.reliability.channel.ChannelCore;
import io.crosstie.reliability.channel.MessageHandler;
import io.crosstie.reliability.channel.Priority;
import io.crosstie.reliability.channel.Status;
import io.crosstie.transport.RailAddress;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** However a connection ends, each message that an offer took is accepted, or named once. */
@Timeout(120)
class HonestEndTest {
  private static final long MS = 1_000_000;
  private static final int ROUNDS = 60;
  private static final int BYTES = 1 << 20;

  private static List<NodeEvent.Unknown> named(List<NodeEvent> events) {
    List<NodeEvent.Unknown> all = new ArrayList<>();
    for (NodeEvent event : events) {
      if (event instanceof NodeEvent.PeerLost lost) {
        all.addAll(lost.unknown());
      } else if (event instanceof NodeEvent.PeerRestarted restarted) {
        all.addAll(restarted.unknown());
      }
    }
    return all;
  }

  private static long offer(Pair pair, int number) {
    Connection c = pair.connection();
    ChannelCore channel = c.channel(number, Priority.NORMAL);
    long sequence = channel.offer(MemorySegment.ofArray(new byte[100]), 0, 100);
    boolean unused = pair.left.endpoint.offered(c, channel);
    return sequence;
  }

  /** An application's thread that offers until it is refused for ever. */
  private static final class Offering extends Thread {
    private final ChannelCore channel;
    private final MemorySegment message = Arena.ofAuto().allocate(BYTES);
    private final CountDownLatch begun = new CountDownLatch(1);
    private volatile long last;
    private volatile long status;

    Offering(ChannelCore channel) {
      this.channel = channel;
      setDaemon(true);
      start();
    }

    @Override
    public void run() {
      while (status == 0) {
        long result = channel.offer(message, 0, BYTES);
        if (result > 0) {
          last = result;
        } else if (result != Status.BACK_PRESSURED && result != Status.CONNECTING) {
          status = result;
        }
        begun.countDown();
      }
    }
  }

  /** The engine ends the connection while a message is being copied into the log. */
  @Test
  void whatIsOfferedWhileAPeerDiesIsNamed() throws Exception {
    Pair pair = new Pair(1);
    for (int round = 0; round < ROUNDS; round++) {
      Connection c = pair.left.endpoint.connect("none-" + round, seeds(), pair.net.nowNs);
      ChannelCore channel = c.channel(3, Priority.NORMAL);
      List<NodeEvent> events = pair.left.events;
      events.clear();
      Offering thread = new Offering(channel);
      thread.begun.await();
      for (int i = 0; i < (round % 8) << 10; i++) {
        Thread.onSpinWait(); // at another place of the copy each time
      }
      c.onLost("a test", pair.net.nowNs);
      thread.join();
      assertEquals(Status.PEER_LOST, thread.status);
      pair.run(1000 * MS, () -> !c.isEnding());
      assertEquals(
          List.of(new NodeEvent.Unknown(3, 1, thread.last)), named(events), "round " + round);
    }
  }

  private static List<RailAddress> seeds() {
    return List.of(new RailAddress("mem://nobody"));
  }

  /** The same where nobody polls the endpoint any more. */
  @Test
  void whatIsOfferedWhileAnEndpointClosesIsNamedOrRefused() throws Exception {
    Pair pair = new Pair(1);
    Connection c = pair.connection();
    ChannelCore channel = c.channel(3, Priority.NORMAL);
    Offering thread = new Offering(channel);
    thread.begun.await();
    c.close(0, pair.net.nowNs);
    pair.rightRuns = false;
    assertTrue(pair.run(2000 * MS, () -> c.state().isOver() && !c.isEnding()));
    thread.join();
    pair.left.endpoint.close();
    assertEquals(List.of(new NodeEvent.Unknown(3, 1, thread.last)), named(pair.left.events));
  }

  /**
   * The clock slips between the call that closes and the only duty cycle that follows, as where a
   * node ends that was asleep: what is not drained is given up, and the peer told, all the same.
   */
  @Test
  @Tag("R19")
  void aPeerIsToldOfAnEndThatFollowsAPause() throws Exception {
    Pair pair = new Pair(2);
    pair.rightRuns = false;
    assertTrue(offer(pair, 3) > 0);
    pair.run(MS);
    pair.net.nowNs += 3_000 * MS;
    pair.connection().close(0, pair.net.nowNs);
    pair.left.endpoint.poll(pair.net.nowNs);
    assertTrue(pair.left.endpoint.counters().get(EndpointCounter.SELF_PAUSES) > 0);
    pair.left.endpoint.close();
    assertEquals(List.of(new NodeEvent.Unknown(3, 1, 1)), named(pair.left.events));
    pair.leftRuns = false;
    pair.rightRuns = true;
    assertTrue(
        pair.run(100 * MS, () -> pair.right.connections.getLast().state().isOver()),
        pair::describe);
    assertEquals(Connection.State.CLOSED, pair.right.connections.getLast().state());
    assertTrue(pair.right.saw(NodeEvent.PeerClosed.class));
  }

  /** Closed before the peer was there: what was offered waits for it. */
  @Test
  void whatWasOfferedToAPeerThatComesWithinTheLingerArrives() throws Exception {
    Pair pair = new Pair(1);
    Connection c =
        pair.left.endpoint.connect(
            "late", List.of(new RailAddress("mem://0.late")), pair.net.nowNs);
    offerTo(pair, c, 7);
    pair.left.endpoint.refuseNew();
    c.close(2000 * MS, pair.net.nowNs);
    assertEquals(
        Status.CLOSED,
        c.channel(7, Priority.NORMAL).offer(MemorySegment.ofArray(new byte[1]), 0, 1));
    pair.run(500 * MS);
    assertFalse(c.state().isOver());
    Pair.Side late = new Pair.Side(EndpointConfig.defaults("late", -1, 3), 3);
    late.endpoint.addPort(pair.net.opener("mem://0.late"), pair.net.nowNs);
    List<Long> lengths = new ArrayList<>();
    boolean over =
        pair.run(
            2000 * MS,
            () -> {
              late.endpoint.poll(pair.net.nowNs);
              for (Connection from : late.connections) {
                ChannelCore channel = from.existingChannel(7);
                if (channel != null && poll(channel, lengths) > 0) {
                  boolean unused = late.endpoint.signal(from, channel);
                }
              }
              return c.state().isOver() && !lengths.isEmpty();
            });
    assertTrue(over, () -> c.state() + " " + lengths);
    assertEquals(List.of(100L), lengths);
    assertEquals(Connection.State.CLOSED, c.state());
    assertEquals(List.of(), named(pair.left.events));
    assertTrue(late.saw(NodeEvent.PeerClosed.class));
  }

  /** And no longer than that; with nothing to wait for not at all. */
  @Test
  void whatWasOfferedToAPeerThatNeverComesIsNamedAfterTheLinger() throws Exception {
    Pair pair = new Pair(1);
    Connection c = pair.left.endpoint.connect("none", seeds(), pair.net.nowNs);
    offerTo(pair, c, 3);
    long beganNs = pair.net.nowNs;
    c.close(300 * MS, beganNs);
    assertTrue(pair.run(1000 * MS, () -> c.state().isOver()));
    assertTrue(pair.net.nowNs - beganNs >= 300 * MS);
    assertTrue(pair.net.nowNs - beganNs <= 302 * MS);
    pair.run(1000 * MS, () -> !c.isEnding());
    assertEquals(List.of(new NodeEvent.Unknown(3, 1, 1)), named(pair.left.events));
    Connection idle = pair.left.endpoint.connect("none-2", seeds(), pair.net.nowNs);
    idle.close(300 * MS, pair.net.nowNs);
    assertTrue(pair.run(2 * MS, () -> idle.state().isOver()));
  }

  private static void offerTo(Pair pair, Connection c, int number) {
    ChannelCore channel = c.channel(number, Priority.NORMAL);
    assertEquals(1, channel.offer(MemorySegment.ofArray(new byte[100]), 0, 100));
    boolean unused = pair.left.endpoint.offered(c, channel);
  }

  private static int poll(ChannelCore channel, List<Long> lengths) {
    return channel.poll(
        (memory, offset, length, sequence) -> {
          lengths.add(length);
          return MessageHandler.Action.CONTINUE;
        },
        10);
  }

  /** A claim that is open when the connection ends is not sent, says so, and is not named. */
  @Test
  void aClaimThatIsOpenAtTheEndIsNotSent() throws Exception {
    Pair pair = new Pair(1);
    Connection c = pair.connection();
    ChannelCore channel = c.channel(3, Priority.NORMAL);
    assertEquals(1, channel.claim(8));
    c.onLost("a test", pair.net.nowNs);
    assertTrue(pair.left.saw(NodeEvent.PeerLost.class));
    assertEquals(Status.PEER_LOST, channel.commitClaim());
    assertEquals(0, channel.offeredSequence());
    assertEquals(List.of(), named(pair.left.events));
  }

  @Test
  void whatWasOfferedToAPeerThatNeverAnsweredIsNamedByClose() throws Exception {
    Pair pair = new Pair(1);
    Connection c = pair.left.endpoint.connect("never", seeds(), pair.net.nowNs);
    ChannelCore channel = c.channel(3, Priority.NORMAL);
    assertEquals(1, channel.offer(MemorySegment.ofArray(new byte[1]), 0, 1));
    pair.run(10 * MS);
    c.close(100 * MS, pair.net.nowNs);
    pair.run(10 * MS);
    assertEquals(List.of(new NodeEvent.Unknown(3, 1, 1)), named(pair.left.events));
  }

  @Test
  void whatWasOfferedToAFrozenPeerIsNamedByClose() throws Exception {
    Pair pair = new Pair(1);
    assertEquals(1, offer(pair, 3));
    pair.run(100 * MS, () -> pair.connection().existingChannel(3).acceptedSequence() == 1);
    pair.rightRuns = false;
    assertEquals(2, offer(pair, 3));
    assertEquals(1, offer(pair, 4));
    Connection c = pair.connection();
    c.close(100 * MS, pair.net.nowNs);
    assertTrue(pair.run(2000 * MS, () -> c.state().isOver()));
    assertEquals(
        List.of(new NodeEvent.Unknown(3, 2, 2), new NodeEvent.Unknown(4, 1, 1)),
        named(pair.left.events));
  }

  @Test
  void closingTheEndpointNamesWhatIsUnknown() throws Exception {
    Pair pair = new Pair(1);
    pair.rightRuns = false;
    assertEquals(1, offer(pair, 3));
    pair.left.endpoint.close();
    pair.left.endpoint.close();
    assertEquals(List.of(new NodeEvent.Unknown(3, 1, 1)), named(pair.left.events));
  }

  /**
   * What the peer has accepted is not named as unknown, though the peer closes in the same moment,
   * on however many channels it came, and whoever closes.
   */
  @ParameterizedTest
  @CsvSource({"false, true", "true, true", "false, false", "true, false"})
  void whatIsAcceptedWhenAPeerClosesIsNotNamed(boolean lossless, boolean rightCloses)
      throws Exception {
    Pair pair = lossless ? Pair.lossless(1) : new Pair(1);
    int channels = 200;
    for (int number = 100; number < 100 + channels; number++) {
      assertEquals(1, offer(pair, number));
    }
    Connection here = pair.connection();
    Connection there = pair.right.connections.getLast();
    int last = 100 + channels - 1;
    assertTrue(
        pair.run(
            2000 * MS,
            () -> {
              ChannelCore core = there.existingChannel(last);
              return core != null && core.receivedSequence() == 1;
            }));
    assertTrue(here.channels().stream().anyMatch(c -> c.acceptedSequence() == 0));
    (rightCloses ? there : here).close(0, pair.net.nowNs);
    assertTrue(pair.run(2000 * MS, () -> here.state().isOver() && !here.isEnding()));
    assertEquals(List.of(), named(pair.left.events));
    assertEquals(rightCloses, pair.left.saw(NodeEvent.PeerClosed.class));
    assertEquals(0, there.counters().get(ConnectionCounter.PROTOCOL_ERRORS));
    assertEquals(0, here.counters().get(ConnectionCounter.PROTOCOL_ERRORS));
  }

  /** Whoever closes has no use for news about nothing. */
  @Test
  void aCloseAfterWhichNothingIsUnknownTellsNothing() throws Exception {
    Pair pair = new Pair(1);
    pair.left.events.clear();
    Connection c = pair.connection();
    c.close(100 * MS, pair.net.nowNs);
    assertTrue(pair.run(2000 * MS, () -> c.state().isOver()));
    assertFalse(pair.left.saw(NodeEvent.PeerLost.class));
    assertFalse(pair.left.saw(NodeEvent.PeerClosed.class));
    assertTrue(pair.right.saw(NodeEvent.PeerClosed.class));
  }

  /** A channel that both sides have closed keeps no memory, whoever closes first. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aChannelThatBothSidesHaveClosedKeepsNothing(boolean rightFirst) throws Exception {
    Pair pair = new Pair(1);
    for (int i = 0; i < 300; i++) {
      assertTrue(pair.send(1000 + i) > 0);
      pair.run(1 * MS, () -> false);
    }
    assertTrue(pair.run(5000 * MS, () -> pair.delivered == 300));
    Connection here = pair.connection();
    Connection there = pair.right.connections.getLast();
    ChannelCore mine = here.existingChannel(7);
    ChannelCore its = there.existingChannel(7);
    assertTrue(its.offer(MemorySegment.ofArray(new byte[5000]), 0, 5000) > 0);
    boolean unused = pair.right.endpoint.offered(there, its);
    pair.run(100 * MS, () -> its.acceptedSequence() == 1);
    assertEquals(1, mine.poll((m, o, l, s) -> MessageHandler.Action.CONTINUE, 10));
    assertTrue(mine.engine().sent().chargedBytes() > 0);
    assertTrue(its.engine().sent().chargedBytes() > 0);
    for (boolean right : new boolean[] {rightFirst, !rightFirst}) {
      (right ? its : mine).closeSending();
      boolean ignored =
          right ? pair.right.endpoint.signal(there, its) : pair.left.endpoint.signal(here, mine);
      pair.run(200 * MS);
    }
    assertTrue(mine.isPeerFinished() && its.isPeerFinished());
    for (ChannelCore core : List.of(mine, its)) {
      assertEquals(0, core.engine().sent().chargedBytes());
      assertEquals(0, core.engine().received().chargedBytes());
      assertEquals(0, core.engine().received().heldBytes());
    }
    assertEquals(Connection.State.UP, here.state());
    assertEquals(0, there.counters().get(ConnectionCounter.PROTOCOL_ERRORS));
  }

  /** What a channel of a lost peer used may be collected though the application holds it. */
  @Test
  void aDeadChannelKeepsNoLog() throws Exception {
    Pair pair = new Pair(1);
    Connection c = pair.connection();
    ChannelCore channel = c.channel(3, Priority.NORMAL);
    for (int i = 1; i <= 40; i++) { // more than its first index holds
      int sequence = i;
      assertEquals(sequence, offer(pair, 3));
      assertTrue(pair.run(100 * MS, () -> channel.acceptedSequence() == sequence));
    }
    WeakReference<MemorySegment> log = new WeakReference<>(channel.claimSegment());
    assertTrue(log.get() != null && log.get().byteSize() > 0);
    c.onLost("a test", pair.net.nowNs);
    assertTrue(pair.run(100 * MS, () -> !c.isEnding()));
    for (int i = 0; i < 1000 && log.get() != null; i++) {
      System.gc();
    }
    assertEquals(null, log.get());
    assertEquals(Status.PEER_LOST, channel.terminalStatus());
  }

  /** Who waits no longer says good-bye all the same. */
  @Test
  void aSecondCloseShortensTheFirst() throws Exception {
    Pair pair = new Pair(1);
    Connection c = pair.connection();
    pair.rightRuns = false;
    assertEquals(1, offer(pair, 3));
    c.close(60_000 * MS, pair.net.nowNs);
    pair.run(1000 * MS);
    assertEquals(Connection.State.CLOSING, c.state());
    c.close(0, pair.net.nowNs);
    pair.left.endpoint.poll(pair.net.nowNs);
    pair.left.endpoint.close();
    pair.rightRuns = true;
    pair.leftRuns = false;
    assertTrue(pair.run(1000 * MS, () -> pair.right.saw(NodeEvent.PeerClosed.class)));
  }

  /** What was sent just as the connection ended is signalled when its end was told already. */
  @Test
  void aCompletionThatIsSignalledAfterTheEndIsToldOf() throws Exception {
    Pair pair = new Pair(1);
    Connection c = pair.connection();
    ChannelCore channel = c.channel(3, Priority.NORMAL);
    pair.rightRuns = false;
    MemorySegment memory = Arena.ofAuto().allocate(8);
    assertEquals(1, channel.send(memory, 0, 8, (sequence, error) -> {}));
    boolean unused = pair.left.endpoint.offered(c, channel);
    c.onLost("a test", pair.net.nowNs);
    assertTrue(pair.run(1000 * MS, () -> c.state().isOver() && !c.isEnding()));
    List<ChannelCore> news = new ArrayList<>();
    pair.left.onNews = news::add;
    boolean unusedEither = pair.run(10 * MS, () -> false);
    assertEquals(List.of(), news);
    assertTrue(pair.left.endpoint.signal(c, channel));
    assertTrue(pair.run(1000 * MS, () -> !news.isEmpty()), "nobody would poll it");
    assertEquals(List.of(channel), news);
    assertEquals(1, channel.reportCompletions(10));
    news.clear();
    assertTrue(pair.left.endpoint.signal(c, channel));
    boolean unusedAfter = pair.run(10 * MS, () -> false);
    assertEquals(List.of(), news);
  }
}

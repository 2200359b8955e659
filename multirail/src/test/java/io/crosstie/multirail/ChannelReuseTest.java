// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.multirail.config.EndpointConfig;
import io.crosstie.multirail.connection.ChannelUses;
import io.crosstie.multirail.connection.Connection;
import io.crosstie.multirail.connection.ConnectionCounter;
import io.crosstie.multirail.event.NodeEvent;
import io.crosstie.multirail.schedule.EstimatedCompletion;
import io.crosstie.multirail.schedule.PathScheduler;
import io.crosstie.multirail.schedule.Redundant;
import io.crosstie.reliability.channel.ChannelCore;
import io.crosstie.reliability.channel.MessageHandler;
import io.crosstie.reliability.channel.Priority;
import io.crosstie.reliability.channel.Status;
import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A channel that both sides have closed is over, and its number is free for another one. */
@Tag("R10")
@Tag("R24")
class ChannelReuseTest {
  private static final long MS = 1_000_000;

  private final MemoryNet net = new MemoryNet();
  private Supplier<PathScheduler> schedulers = EstimatedCompletion::new;
  private Pair.Side left;
  private Pair.Side right;
  private Connection here;
  private Connection there;

  private void begin(List<String> prefixes, int bound) throws RailException {
    begin(prefixes, bound, bound);
  }

  private void begin(List<String> prefixes, int leftBound, int rightBound) throws RailException {
    left = side("left", 1, leftBound);
    right = side("right", 2, rightBound);
    for (int i = 0; i < prefixes.size(); i++) {
      left.endpoint.addPort(net.opener(prefixes.get(i) + "left" + i), net.nowNs);
      right.endpoint.addPort(net.opener(prefixes.get(i) + "right" + i), net.nowNs);
    }
    String seed = prefixes.getFirst() + "right0";
    here = left.endpoint.connect("right", List.of(new RailAddress(seed)), net.nowNs);
    int rails = prefixes.size();
    assertTrue(
        run(2000 * MS, () -> Pair.active(left) == rails && Pair.active(right) == rails),
        here::problem);
    there = right.connections.getLast();
  }

  private void begin(String prefix) throws RailException {
    begin(List.of(prefix), 1024);
  }

  private Pair.Side side(String name, long incarnation, int bound) {
    return new Pair.Side(
        EndpointConfig.defaults(name, -1, incarnation).change().maxChannels(bound).build(),
        incarnation,
        () -> 0,
        schedulers);
  }

  private boolean run(long forNs, BooleanSupplier until) {
    for (long end = net.nowNs + forNs; net.nowNs < end; net.nowNs += 50_000) {
      left.endpoint.poll(net.nowNs);
      right.endpoint.poll(net.nowNs);
      if (until.getAsBoolean()) {
        return true;
      }
    }
    return false;
  }

  private void run(long forNs) {
    assertFalse(run(forNs, () -> false));
  }

  private Endpoint endpoint(Connection c) {
    return c == here ? left.endpoint : right.endpoint;
  }

  private long offer(Connection c, ChannelCore channel, int value) {
    MemorySegment message = MemorySegment.ofArray(new int[] {value, 0, 0});
    long sequence = channel.offer(message, 0, message.byteSize());
    boolean unused = endpoint(c).offered(c, channel);
    return sequence;
  }

  /** Polls what there is, and appends the first word of each to a list. */
  private void poll(Connection c, ChannelCore channel, List<Integer> into) {
    int n =
        channel.poll(
            (m, at, length, sequence) -> {
              into.add(m.get(ValueLayout.JAVA_INT_UNALIGNED, at));
              return MessageHandler.Action.CONTINUE;
            },
            1000);
    if (n > 0) {
      boolean unused = endpoint(c).signal(c, channel);
    }
  }

  private void close(Connection c, ChannelCore channel) {
    channel.closeSending();
    boolean unused = endpoint(c).signal(c, channel);
  }

  /** A channel's other end, once something has come. */
  private ChannelCore opened(Connection c, int number) {
    assertTrue(run(1000 * MS, () -> c.existingChannel(number) != null));
    return c.existingChannel(number);
  }

  private boolean bothFreed(ChannelCore one, ChannelCore other) {
    return one.isFreed() && other.isFreed();
  }

  /** One message there, one back, closed by both. */
  private void useOnce(int number, int value) {
    ChannelCore mine = here.channel(number, Priority.NORMAL);
    assertEquals(1, offer(here, mine, value));
    ChannelCore its = opened(there, number);
    assertNotSame(mine, its);
    List<Integer> got = new ArrayList<>();
    assertTrue(
        run(
            1000 * MS,
            () -> {
              poll(there, its, got);
              return got.size() == 1;
            }));
    assertEquals(1, offer(there, its, ~value));
    close(there, its);
    close(here, mine);
    assertTrue(
        run(
            1000 * MS,
            () -> {
              poll(here, mine, got);
              return bothFreed(mine, its);
            }));
    assertEquals(List.of(value, ~value), got);
    for (ChannelCore core : List.of(mine, its)) {
      assertEquals(Status.CLOSED, core.terminalStatus());
      assertEquals(Status.CLOSED, core.offer(MemorySegment.NULL, 0, 0));
      assertEquals(1, core.acceptedSequence());
      assertEquals(
          0, core.engine().sent().chargedBytes() + core.engine().received().chargedBytes());
    }
  }

  private static long freed(Connection c) {
    return c.counters().get(ConnectionCounter.CHANNELS_FREED);
  }

  @ParameterizedTest
  @ValueSource(strings = {"mem://", "mem://ring-shared-"})
  void aNumberIsUsedThousandsOfTimes(String prefix) throws RailException {
    begin(prefix);
    long leftBytes = left.endpoint.memory().usedBytes();
    long rightBytes = right.endpoint.memory().usedBytes();
    int times = 3000;
    for (int i = 0; i < times; i++) {
      useOnce(5, i);
    }
    for (Connection c : List.of(here, there)) {
      assertEquals(List.of(), c.channels());
      assertEquals(times, freed(c));
      assertEquals(0, c.counters().get(ConnectionCounter.PROTOCOL_ERRORS));
      assertEquals(0, c.counters().get(ConnectionCounter.STALL_PROBES));
    }
    assertEquals(leftBytes, left.endpoint.memory().usedBytes());
    assertEquals(rightBytes, right.endpoint.memory().usedBytes());
    long told =
        right.events.stream().filter(NodeEvent.ChannelOpenedByPeer.class::isInstance).count();
    assertEquals(times, told);
  }

  /** What is over does not count against the bound, though its last word may be under way. */
  @Test
  void manyNumbersOneAfterTheOtherStayWithinTheBound() throws RailException {
    begin(List.of("mem://"), 2);
    ChannelCore stays = here.channel(1, Priority.NORMAL);
    assertEquals(1, offer(here, stays, 0));
    for (int i = 0; i < 2000; i++) {
      useOnce(2 + 7 * i, i);
    }
    assertEquals(2, offer(here, stays, 0));
    assertTrue(run(100 * MS, () -> stays.acceptedSequence() == 2));
    for (Pair.Side side : List.of(left, right)) {
      assertFalse(side.saw(NodeEvent.ChannelRefused.class));
      assertEquals(1, side.connections.getLast().channels().size());
    }
  }

  /** The receiver of a new channel that does not know yet that the one before it is over. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aNewChannelMayOvertakeTheLastWordOfTheOldOne(boolean sameNumber) throws RailException {
    begin(List.of("mem://", "mem://"), 1);
    ChannelCore mine = here.channel(5, Priority.NORMAL);
    assertEquals(1, offer(here, mine, 1));
    ChannelCore its = opened(there, 5);
    List<Integer> got = new ArrayList<>();
    assertTrue(
        run(
            100 * MS,
            () -> {
              poll(there, its, got);
              return mine.peerConsumedSequence() == 1;
            }));
    close(there, its);
    assertTrue(run(100 * MS, mine::isPeerFinished));
    net.blackHole("mem://right0", true);
    net.blackHole("mem://right1", true);
    net.blackHole("mem://left0", false);
    close(here, mine); // which is heard later
    run(5 * MS);
    assertFalse(its.isFreed() || mine.isFreed());
    net.blackHole("mem://right0", false);
    net.blackHole("mem://right1", false);
    // the first that hears the other's last word is free
    assertTrue(run(3000 * MS, () -> mine.isFreed() || its.isFreed()));
    Connection first = mine.isFreed() ? here : there;
    Connection second = first == here ? there : here;
    ChannelCore next = first.channel(sameNumber ? 5 : 6, Priority.NORMAL);
    assertEquals(1, offer(first, next, 2));
    assertTrue(run(3000 * MS, () -> next.acceptedSequence() == 1), () -> left.events.toString());
    ChannelCore received = second.existingChannel(next.number());
    poll(second, received, got);
    assertEquals(List.of(1, 2), got);
    assertTrue(bothFreed(mine, its));
    assertFalse(left.saw(NodeEvent.ChannelRefused.class));
    assertFalse(right.saw(NodeEvent.ChannelRefused.class));
  }

  /** Both open the number again at the same time: it is one channel. */
  @Test
  void bothMayOpenItAgainAtOnce() throws RailException {
    begin("mem://");
    for (int i = 0; i < 100; i++) {
      ChannelCore mine = here.channel(5, Priority.NORMAL);
      ChannelCore its = there.channel(5, Priority.NORMAL);
      assertEquals(1, offer(here, mine, i));
      assertEquals(1, offer(there, its, -i));
      close(here, mine);
      close(there, its);
      List<Integer> got = new ArrayList<>();
      List<Integer> back = new ArrayList<>();
      assertTrue(
          run(
              1000 * MS,
              () -> {
                poll(there, its, got);
                poll(here, mine, back);
                return bothFreed(mine, its);
              }));
      assertEquals(List.of(i), got);
      assertEquals(List.of(-i), back);
    }
    assertEquals(100, freed(here));
    assertFalse(left.saw(NodeEvent.ChannelOpenedByPeer.class));
  }

  /**
   * Packets that are seconds late, and were sent again by another rail meanwhile, belong to a
   * channel that is over.
   */
  @Test
  void whatComesSecondsLateBelongsToTheFormerUse() throws RailException {
    begin(List.of("mem://", "mem://"), 1024);
    for (int late = 0; late < 2; late++) {
      net.delaysNs.put("mem://right" + late, 700 * MS);
      net.delaysNs.put("mem://left" + late, 500 * MS);
      for (int i = 0; i < 40; i++) {
        useOnce(5, i);
      }
      net.delaysNs.clear();
      run(1000 * MS);
    }
    long former = 0;
    for (Connection c : List.of(here, there)) {
      former += c.counters().get(ConnectionCounter.FORMER_USE_IN);
      assertEquals(0, c.counters().get(ConnectionCounter.PROTOCOL_ERRORS));
      assertEquals(List.of(), c.channels());
    }
    assertTrue(former > 0, "nothing was late");
  }

  /** A channel is not over before everything is polled, and not while one side may send. */
  @Test
  void itIsNotFreeBeforeBothHaveClosedAndPolled() throws RailException {
    begin("mem://");
    ChannelCore mine = here.channel(5, Priority.NORMAL);
    assertEquals(1, offer(here, mine, 1));
    ChannelCore its = opened(there, 5);
    close(here, mine);
    run(3000 * MS);
    assertFalse(bothFreed(mine, its));
    assertSame(mine, here.channel(5, Priority.NORMAL));
    close(there, its);
    run(3000 * MS);
    assertFalse(mine.isFreed() || its.isFreed(), "nobody has polled it");
    List<Integer> got = new ArrayList<>();
    poll(there, its, got);
    assertTrue(run(1000 * MS, () -> bothFreed(mine, its)));
    assertEquals(List.of(1), got);
    assertNotSame(mine, here.channel(5, Priority.NORMAL));
  }

  /** Whoever does not send ends it by closing, too. */
  @Test
  void channelsOnWhichNothingWasSentAreOverAsWell() throws RailException {
    begin("mem://");
    for (int i = 0; i < 100; i++) {
      ChannelCore mine = here.channel(5, Priority.NORMAL);
      close(here, mine);
      ChannelCore its = opened(there, 5);
      close(there, its);
      assertTrue(run(1000 * MS, () -> bothFreed(mine, its)));
    }
  }

  /** An open claim is sent, and the end follows it. */
  @Test
  void aClaimThatIsOpenGoesBeforeTheEnd() throws RailException {
    begin("mem://");
    ChannelCore mine = here.channel(5, Priority.NORMAL);
    assertEquals(1, offer(here, mine, 1));
    ChannelCore its = opened(there, 5);
    assertEquals(2, mine.claim(8));
    close(here, mine);
    close(there, its);
    List<Integer> got = new ArrayList<>();
    BooleanSupplier over =
        () -> {
          poll(there, its, got);
          return bothFreed(mine, its);
        };
    assertFalse(run(1000 * MS, over));
    mine.claimSegment().set(ValueLayout.JAVA_INT_UNALIGNED, mine.claimOffset(), 2);
    assertEquals(2, mine.commitClaim());
    boolean unused = left.endpoint.signal(here, mine);
    assertTrue(run(1000 * MS, over));
    assertEquals(List.of(1, 2), got);
  }

  @Test
  void aPriorityIsAboutOnesOwnSending() throws RailException {
    begin("mem://");
    ChannelCore mine = here.channel(5, Priority.NORMAL);
    assertEquals(1, offer(here, mine, 1));
    ChannelCore its = opened(there, 5);
    assertSame(its, there.channel(5, Priority.HIGH));
    assertEquals(1, offer(there, its, 2));
    assertTrue(run(100 * MS, () -> its.acceptedSequence() == 1));
    assertEquals(Priority.HIGH, its.engine().priority());
    assertEquals(Priority.NORMAL, mine.engine().priority());
    assertEquals(Priority.HIGH, there.channel(5, Priority.NORMAL).priority());
    assertEquals(Priority.NORMAL, here.channel(5, Priority.HIGH).priority());
  }

  /** What was named as refused is never delivered, though there is room when it comes again. */
  @Test
  void whatWasRefusedStaysSo() throws RailException {
    schedulers = Redundant::new;
    begin(List.of("mem://", "mem://"), 1024, 1);
    ChannelCore own = there.channel(7, Priority.NORMAL);
    assertEquals(1, offer(there, own, 1));
    ChannelCore its = opened(here, 7);
    net.delaysNs.put("mem://right1", 400 * MS); // copies come late
    ChannelCore refused = here.channel(6, Priority.NORMAL);
    assertEquals(1, offer(here, refused, 2));
    assertTrue(run(100 * MS, () -> refused.terminalStatus() == Status.CHANNEL_REFUSED));
    poll(here, its, new ArrayList<>());
    close(here, its);
    close(there, own);
    assertTrue(run(100 * MS, () -> bothFreed(own, its)));
    run(1000 * MS);
    assertEquals(List.of(), there.channels());
    assertFalse(right.saw(NodeEvent.ChannelOpenedByPeer.class));
    assertTrue(there.counters().get(ConnectionCounter.CHANNELS_REFUSED) > 1, "nothing was late");
  }

  /** A peer that claims uses at will is bounded. */
  @Test
  void scatteredUsesAreRememberedWithinABound() {
    ChannelUses uses = new ChannelUses(2);
    int seen = 0;
    for (long use = 2; uses.canSee(); use += 2) {
      long message = (use << ChannelUses.USE_SHIFT) + 1;
      assertFalse(uses.isSeen(3, message));
      uses.see(3, message);
      assertTrue(uses.isSeen(3, message + 5));
      assertFalse(uses.isSeen(3, ((use + 1) << ChannelUses.USE_SHIFT) + 1));
      seen++;
    }
    assertEquals(4096, seen);
  }

  /** First uses carry no mark, as long as their numbers can be remembered. */
  @Test
  void usesAreNeverGivenTwiceOnANumber() {
    ChannelUses uses = new ChannelUses(2);
    List<Long> given = new ArrayList<>();
    for (int i = 0; i < 3000; i++) {
      given.add(uses.give(2 * i)); // scattered numbers
    }
    assertEquals(1024, Collections.frequency(given, 0L));
    assertEquals(3000 - 1023, given.stream().distinct().count());
    assertTrue(uses.give(0) > 0, "a second use");
    ChannelUses consecutive = new ChannelUses(2);
    for (int i = 0; i < 100_000; i++) {
      assertEquals(0, consecutive.give(i));
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.multirail.config.EndpointConfig;
import io.crosstie.multirail.connection.Connection;
import io.crosstie.multirail.event.EndpointCounter;
import io.crosstie.multirail.event.NodeEvent;
import io.crosstie.multirail.event.RailState;
import io.crosstie.multirail.path.RailCounter;
import io.crosstie.multirail.path.RailPath;
import io.crosstie.multirail.schedule.EstimatedCompletion;
import io.crosstie.multirail.schedule.PathScheduler;
import io.crosstie.multirail.schedule.WeightedRoundRobin;
import io.crosstie.reliability.channel.ChannelCore;
import io.crosstie.reliability.channel.Priority;
import io.crosstie.reliability.channel.Status;
import io.crosstie.reliability.congestion.RateController;
import io.crosstie.transport.LinkEvent;
import io.crosstie.transport.Rail;
import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailException;
import java.lang.foreign.Arena;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RailHealthTest {
  private static final long MS = 1_000_000L;

  private static void blackHole(Pair pair, int rail, boolean on) {
    pair.net.blackHole("mem://" + rail + ".left", on);
    pair.net.blackHole("mem://" + rail + ".right", on);
  }

  private static void steadyFlow(Pair pair, int messages, int bytes) {
    for (int i = 0; i < messages; i++) {
      pair.send(bytes);
      pair.run(MS / 2);
    }
  }

  private static long silentBeforeSuspicionNs(Pair pair) {
    return pair.left.events.stream()
        .filter(e -> e instanceof NodeEvent.RailChanged r && r.to() == RailState.SUSPECT)
        .mapToLong(e -> ((NodeEvent.RailChanged) e).gapNs())
        .findFirst()
        .orElseThrow();
  }

  @Test
  @Tag("R8")
  @Tag("R14")
  @Tag("R15")
  void aSilentRailIsLeftAtTheFirstTimeoutAndTakenBackAfterProbes() throws RailException {
    Pair pair = new Pair(2);
    pair.send(100_000);
    assertTrue(pair.run(100 * MS, () -> pair.delivered == 1));
    pair.run(5 * MS); // both are acknowledged, and as good as each other
    blackHole(pair, 0, true);
    blackHole(pair, 1, false);
    for (int i = 0; i < 20; i++) {
      pair.send(60_000);
      pair.run(MS / 10); // when the first packets are overdue the last are not yet
    }
    assertTrue(pair.run(100 * MS, () -> pair.delivered == 21), "delivered " + pair.delivered);
    assertTrue(pair.left.saw(RailState.SUSPECT), pair::describe);
    assertTrue(pair.counter(pair.left, 0, RailCounter.REINJECTED) > 0, pair::describe);
    assertTrue(pair.counter(pair.left, 1, RailCounter.PAYLOAD_AGAIN_OUT) > 0, pair::describe);
    assertTrue(pair.run(500 * MS, () -> pair.left.saw(RailState.DOWN)));
    blackHole(pair, 0, false);
    long healed = pair.net.nowNs;
    assertTrue(pair.run(1000 * MS, () -> Pair.active(pair.left) == 2));
    assertTrue(pair.left.saw(RailState.PROBING), "it came back without having been proved");
    assertTrue(pair.net.nowNs - healed >= 20 * MS, "before the least time of probing");
    assertTrue(pair.counter(pair.left, 0, RailCounter.PROBES_ANSWERED) >= 3);
    assertEquals(1, pair.counter(pair.left, 0, RailCounter.FAILBACKS));
  }

  @Test
  @Tag("R6")
  @Tag("R8")
  void theHandshakeTellsHowSoonToDespairOfARail() throws RailException {
    for (int dies = 0; dies < 2; dies++) {
      Pair pair = new Pair(2);
      blackHole(pair, dies, true);
      pair.send(60_000);
      assertTrue(pair.run(100 * MS, () -> pair.delivered == 1), pair::describe);
    }
  }

  @Test
  @Tag("R7")
  @Tag("R14")
  void theMachinesJitterExcusesNoSilenceThatAnotherRailDisproves() throws RailException {
    for (int rails = 1; rails <= 2; rails++) {
      Pair pair = new Pair(rails);
      steadyFlow(pair, 400, 1000); // until the round trips are certain
      pair.send(60_000);
      pair.leftRuns = false;
      pair.run(10 * MS);
      pair.leftRuns = true;
      pair.run(MS);
      long patienceNs = pair.left.endpoint.suspectFloorNs();
      assertTrue(patienceNs > pair.left.endpoint.config.suspectFloorNs() + MS, "no jitter");
      blackHole(pair, 0, true);
      for (int i = 0; i < 200 && !pair.left.saw(RailState.SUSPECT); i++) {
        pair.send(30_000);
        pair.run(MS / 10);
      }
      assertTrue(pair.left.saw(RailState.SUSPECT), pair::describe);
      long silentNs = silentBeforeSuspicionNs(pair);
      assertEquals(rails == 1, silentNs >= patienceNs, pair::describe);
    }
  }

  /** All rails' round trips grow at once from less than a millisecond to twenty. */
  private static Pair becomesLong() throws RailException {
    Pair pair = new Pair(2, () -> 0, WeightedRoundRobin::new);
    steadyFlow(pair, 400, 1000); // until the round trips are certain
    for (int rail = 0; rail < 2; rail++) {
      pair.net.delaysNs.put("mem://" + rail + ".left", 10 * MS);
      pair.net.delaysNs.put("mem://" + rail + ".right", 10 * MS);
    }
    steadyFlow(pair, 400, 2000);
    pair.left.events.clear();
    return pair;
  }

  /**
   * Else every packet would be given up before its acknowledgement comes, and none ever counted.
   */
  @Test
  @Tag("R6")
  void aPathThatBecameLongIsNotSuspectedForEver() throws RailException {
    Pair pair = becomesLong();
    steadyFlow(pair, 400, 2000);
    assertFalse(pair.left.saw(RailState.SUSPECT), pair::describe);
    for (int rail = 0; rail < 2; rail++) {
      long roundTripNs = pair.counter(pair.left, rail, RailCounter.SRTT_NS);
      assertTrue(roundTripNs > 18 * MS && roundTripNs < 25 * MS, pair::describe);
    }
  }

  /**
   * For all that is known, a round trip of twenty milliseconds is one of less than one and a queue.
   * In a flow acknowledgements follow each other as they do without the queue, and silence is
   * noticed as soon. Single messages have the time for the queue.
   */
  @Test
  @Tag("R7")
  @Tag("R14")
  void aQueueIsNoExcuseForTheSilenceOfAFlow() throws RailException {
    Pair pair = becomesLong();
    for (int i = 0; i < 40; i++) {
      pair.send(8);
      pair.run(7 * MS); // three are under way at any time
    }
    pair.run(100 * MS);
    assertFalse(pair.left.saw(RailState.SUSPECT), pair::describe);
    steadyFlow(pair, 400, 2000);
    assertFalse(pair.left.saw(RailState.SUSPECT), pair::describe);
    blackHole(pair, 0, true);
    for (int i = 0; i < 200 && !pair.left.saw(RailState.SUSPECT); i++) {
      steadyFlow(pair, 1, 2000);
    }
    assertTrue(pair.left.saw(RailState.SUSPECT), pair::describe);
    long silentNs = silentBeforeSuspicionNs(pair);
    assertTrue(silentNs < 10 * MS, pair::describe);
  }

  @Test
  @Tag("R15")
  void relapsesMakeTheWayBackLonger() throws RailException {
    Pair pair = new Pair(2);
    long[] away = new long[3];
    for (int round = 0; round < 3; round++) {
      blackHole(pair, 1, true);
      int failovers = round + 1;
      pair.send(200_000);
      assertTrue(
          pair.run(3000 * MS, () -> pair.counter(pair.left, 1, RailCounter.FAILOVERS) == failovers),
          pair::describe);
      blackHole(pair, 1, false);
      long healed = pair.net.nowNs;
      assertTrue(pair.run(3000 * MS, () -> Pair.active(pair.left) == 2));
      away[round] = pair.net.nowNs - healed;
    }
    assertTrue(away[2] > away[0], away[0] + " then " + away[2]);
  }

  @Test
  @Tag("R15")
  void aSuspicionThatPassedIsNoReturnFromWhichToRelapse() throws RailException {
    Pair pair = new Pair(2);
    RailPath path = pair.connection().path(1);
    assertNotNull(path);
    pair.run(3000 * MS);
    blackHole(pair, 1, true);
    pair.send(200_000);
    assertTrue(pair.run(100 * MS, () -> path.state() == RailState.SUSPECT), pair::describe);
    blackHole(pair, 1, false);
    assertTrue(pair.run(100 * MS, () -> path.state() == RailState.ACTIVE), pair::describe);
    assertEquals(0, pair.counter(pair.left, 1, RailCounter.FAILOVERS), pair::describe);
    blackHole(pair, 1, true);
    pair.send(200_000);
    assertTrue(pair.run(500 * MS, () -> path.state() == RailState.DOWN), pair::describe);
    assertEquals(0, path.health().relapses());
  }

  @Test
  @Tag("R14")
  @Tag("R16")
  void whenAllRailsAreSilentNoneIsBlamedAndNothingIsLost() throws RailException {
    Pair pair = new Pair(2);
    pair.rightRuns = false;
    for (int i = 0; i < 10; i++) {
      pair.send(30_000);
    }
    pair.run(10_000 * MS);
    assertTrue(pair.left.saw(RailState.SUSPECT));
    assertFalse(pair.left.saw(RailState.DOWN));
    pair.rightRuns = true;
    assertTrue(pair.run(1000 * MS, () -> pair.delivered == 10), "delivered " + pair.delivered);
    assertTrue(pair.run(1000 * MS, () -> Pair.active(pair.left) == 2));
    assertFalse(pair.left.saw(RailState.DOWN));
    assertFalse(pair.right.saw(RailState.DOWN));
  }

  @Test
  @Tag("R14")
  @Tag("R19")
  void aPeerThatStopsWhileARailIsSuspectedBringsNoRailDown() throws RailException {
    Pair pair = new Pair(2);
    pair.run(100 * MS);
    blackHole(pair, 0, true);
    pair.send(60_000);
    assertTrue(pair.run(200 * MS, () -> pair.left.saw(RailState.SUSPECT)), pair::describe);
    for (int i = 0; i < 10; i++) {
      pair.send(1000);
      pair.run(1 * MS);
    }
    pair.rightRuns = false;
    pair.run(2000 * MS);
    assertFalse(pair.left.saw(RailState.DOWN), pair::describe);
  }

  @Test
  @Tag("R14")
  @Tag("R20")
  void aProbeThatIsTooBigForThePathRaisesNoSuspicion() throws RailException {
    Pair pair = new Pair(1);
    pair.net.mtu = 1300;
    pair.left.endpoint.addPort(pair.net.opener("mem://1.left"), pair.net.nowNs);
    pair.right.endpoint.addPort(pair.net.opener("mem://1.right"), pair.net.nowNs);
    assertTrue(pair.run(2000 * MS, () -> Pair.active(pair.left) >= 2), pair::describe);
    pair.run(3000 * MS);
    assertTrue(pair.counter(pair.left, 1, RailCounter.LOST_BY_TIMEOUT) > 0, pair::describe);
    assertFalse(pair.left.saw(RailState.SUSPECT), pair::describe);
  }

  @Test
  @Tag("R1")
  void theHandshakesPacketsOnALosslessRailConfirmNoOthers() throws RailException {
    Pair pair = Pair.lossless(1);
    pair.run(10 * MS);
    pair.rightRuns = false;
    pair.send(100);
    pair.run(1 * MS);
    pair.send(100); // has the connection look how far the peer is
    pair.run(1 * MS);
    RailPath path = pair.connection().path(0);
    assertNotNull(path);
    assertEquals(2, path.sent().outstanding(), pair::describe);
    pair.rightRuns = true;
    assertTrue(pair.run(10 * MS, () -> path.sent().outstanding() == 0), pair::describe);
    pair.run(200 * MS); // nobody waits for this one: it is looked at when its time-out is due
    Connection other = pair.right.connections.getLast();
    RailPath back = other.path(0);
    assertNotNull(back);
    assertEquals(0, back.sent().outstanding(), pair::describe);
  }

  /** What leaves by the lossless rail of a pair is seen by nobody from now on. */
  private static RailPath spoiled(Pair pair) {
    RailPath path = pair.connection().path(0);
    assertNotNull(path);
    ((MemoryNet.MemoryRail) path.link().rail()).spoiled = true;
    return path;
  }

  /**
   * Zeros over the segment: the peer waits at a place where no record will ever begin. It is heard
   * elsewhere, so that nothing is urgent, however soon it would be lost.
   */
  @ParameterizedTest
  @ValueSource(longs = {400, 30_000})
  @Tag("R15")
  void aLosslessRailThatNothingComesThroughIsOpenedAnew(long peerTimeoutMs) throws RailException {
    Pair pair = Pair.within(peerTimeoutMs * MS, "mem://ring", "mem://");
    RailPath path = spoiled(pair);
    steadyFlow(pair, 3000, 1000);
    assertEquals(RailState.DOWN, path.state(), pair::describe);
    assertEquals(0, pair.counter(pair.left, 0, RailCounter.RESTARTS), pair::describe);
    steadyFlow(pair, 3000, 1000);
    assertEquals(1, pair.counter(pair.left, 0, RailCounter.RESTARTS), pair::describe);
    assertEquals(1, pair.counter(pair.left, 0, RailCounter.FAILBACKS), pair::describe);
    assertEquals(2, Pair.active(pair.left), pair::describe);
    assertEquals(6000, pair.delivered, pair::describe);
  }

  /**
   * The peer is heard elsewhere, and so busy that it takes in what it was offered as late as that.
   * Of a peer time-out that is shorter nothing depends on this rail.
   */
  @ParameterizedTest
  @ValueSource(longs = {400, 30_000})
  @Tag("R15")
  void aNewLosslessRailHasSecondsToBeValidated(long peerTimeoutMs) throws RailException {
    for (boolean comes : new boolean[] {true, false}) {
      Pair pair = Pair.within(peerTimeoutMs * MS, "mem://");
      pair.net.blackHole("mem://ring1.left", true);
      pair.net.blackHole("mem://ring1.right", true);
      pair.left.endpoint.addPort(pair.net.opener("mem://ring1.left"), pair.net.nowNs);
      pair.right.endpoint.addPort(pair.net.opener("mem://ring1.right"), pair.net.nowNs);
      assertTrue(pair.run(100 * MS, () -> pair.connection().path(1) != null), pair::describe);
      steadyFlow(pair, 5800, 100);
      assertEquals(0, pair.counter(pair.left, 1, RailCounter.RESTARTS), pair::describe);
      if (comes) {
        pair.net.blackHole("mem://ring1.left", false);
        pair.net.blackHole("mem://ring1.right", false);
        assertTrue(pair.run(1000 * MS, () -> Pair.active(pair.left) == 2), pair::describe);
        assertEquals(0, pair.counter(pair.left, 1, RailCounter.RESTARTS), pair::describe);
      } else {
        steadyFlow(pair, 2800, 100);
        assertEquals(1, pair.counter(pair.left, 1, RailCounter.RESTARTS), pair::describe);
      }
    }
  }

  /** There is no other that could prove the peer alive, but it goes on sending the other way. */
  @Test
  @Tag("R16")
  void theOnlyRailIsOpenedAnewIfThePeerIsHeardOverIt() throws RailException {
    Pair pair = Pair.lossless(1);
    pair.run(10 * MS);
    spoiled(pair);
    pair.send(1000);
    assertTrue(pair.run(20_000 * MS, () -> pair.delivered == 1), pair::describe);
    assertEquals(1, pair.counter(pair.left, 0, RailCounter.RESTARTS), pair::describe);
  }

  /**
   * However soon a peer is lost: it hears nothing meanwhile, and would give this side up before the
   * rail comes back.
   */
  @ParameterizedTest
  @ValueSource(longs = {400, 1000, 1900, 3000, 30_000})
  @Tag("R16")
  void theOnlyRailIsOpenedAnewBeforeThePeerIsLost(long peerTimeoutMs) throws RailException {
    Pair pair = Pair.within(peerTimeoutMs * MS, "mem://ring");
    pair.run(10 * MS);
    spoiled(pair);
    assertTrue(
        pair.run(20_000 * MS, () -> pair.counter(pair.left, 0, RailCounter.RESTARTS) > 0),
        pair::describe);
    pair.send(1000);
    assertTrue(pair.run(20_000 * MS, () -> pair.delivered == 1), pair::describe);
    assertEquals(1, pair.left.connections.size(), pair::describe);
    assertEquals(1, pair.right.connections.size(), pair::describe);
    assertFalse(pair.left.saw(NodeEvent.PeerLost.class), pair::describe);
    assertFalse(pair.right.saw(NodeEvent.PeerLost.class), pair::describe);
  }

  /** The last that the peer says is that one packet was damaged; the ring is full of the others. */
  @Test
  @Tag("R14")
  void progressDoesNotExcuseWhatIsOutstandingOnALosslessRail() throws RailException {
    Pair pair = Pair.mixed();
    RailPath path = spoiled(pair);
    pair.send(1000);
    pair.run(MS);
    assertTrue(path.sent().outstanding() > 0, pair::describe);
    path.health().onProgress(pair.net.nowNs);
    path.health().onHeard(pair.net.nowNs);
    assertTrue(pair.run(500 * MS, () -> pair.delivered == 1), pair::describe);
    assertTrue(pair.left.saw(RailState.SUSPECT), pair::describe);
  }

  /** A peer that stands still answers nowhere: that says nothing of its rail. */
  @Test
  @Tag("R14")
  void aLosslessRailIsNotOpenedAnewWhileThePeerStandsStill() throws RailException {
    Pair pair = Pair.mixed();
    RailPath path = spoiled(pair);
    for (int i = 0; i < 2000 && path.state() != RailState.DOWN; i++) {
      steadyFlow(pair, 1, 1000);
    }
    assertEquals(RailState.DOWN, path.state(), pair::describe);
    pair.rightRuns = false;
    pair.send(1000);
    pair.run(5_000 * MS);
    assertEquals(0, pair.counter(pair.left, 0, RailCounter.RESTARTS), pair::describe);
    pair.rightRuns = true;
    assertTrue(pair.run(2_000 * MS, () -> Pair.active(pair.left) == 2), pair::describe);
  }

  @Test
  @Tag("R17")
  @Tag("R18")
  void littleTrafficDoesNotMakeALosslessRailLookSlow() throws RailException {
    Pair pair = Pair.mixed();
    for (int i = 0; i < 50; i++) {
      pair.send(8);
      pair.run(2 * MS);
    }
    assertEquals(50, pair.delivered, pair::describe);
    RailPath path = pair.connection().path(0);
    assertNotNull(path);
    assertTrue(path.congestion().rateBytesPerSecond() >= 100_000_000L, pair::describe);
    long before = pair.counter(pair.left, 0, RailCounter.PAYLOAD_FIRST_OUT);
    pair.send(1_000_000);
    assertTrue(pair.run(100 * MS, () -> pair.delivered == 51), pair::describe);
    long share = pair.counter(pair.left, 0, RailCounter.PAYLOAD_FIRST_OUT) - before;
    assertTrue(
        share >= 300_000, () -> share + " bytes of a large message took it\n" + pair.describe());
  }

  /** What the scheduler does not give it says nothing of what it could carry. */
  @Test
  @Tag("R18")
  void aRailThatIsPassedOverIsNotTakenForASlowOne() throws RailException {
    long[] chosen = {0};
    PathScheduler mostlyTheFirst =
        (rails, packet, backlog, avoid, nowNs) -> {
          int rail = chosen[0] < 20 ? 1 : 0;
          if (!rails.canSendNow(rail)) {
            return PathScheduler.WAIT;
          }
          chosen[0] += rail;
          return rail;
        };
    Pair pair = new Pair(2, () -> 0, () -> mostlyTheFirst);
    RailPath path = pair.connection().path(1);
    assertNotNull(path);
    chosen[0] = 0;
    pair.send(8_000_000);
    pair.run(100 * MS, () -> chosen[0] == 20 && path.congestion().flightBytes() == 0);
    assertEquals(20, chosen[0]);
    assertEquals(0, pair.delivered, "it is still on its way");
    assertTrue(
        path.congestion().isAppLimited(), "the rail has room, and the message waits for the other");
  }

  /**
   * A packet arrives after the duty cycle's look at the clock, because this process lost its
   * processor in between: the smallest round trip is not the shorter for it.
   */
  @Test
  @Tag("R6")
  void aSampleOfTheClockThatIsOldMakesNoRoundTripShorter() throws RailException {
    long[] aheadNs = {0};
    MemoryNet[] net = new MemoryNet[1];
    Pair pair =
        new Pair(1, () -> net[0] == null ? 0 : net[0].nowNs + aheadNs[0], EstimatedCompletion::new);
    net[0] = pair.net;
    RailPath path = pair.connection().path(0);
    assertNotNull(path);
    for (int i = 0; i < 50; i++) {
      pair.send(8);
      pair.run(2 * MS);
    }
    long before = path.rtt().minNs();
    aheadNs[0] = 3 * MS;
    path.rtt().reset(100 * MS);
    pair.send(8);
    pair.run(5 * MS);
    assertTrue(
        path.rtt().minNs() >= before + 3 * MS, () -> path.rtt().minNs() + " after " + before);
  }

  /**
   * A rail that its receiver does not trust has its packets acknowledged over another, which may be
   * quicker: the smallest round trip is not the shorter for it, be it the watchdog's or the
   * controller's.
   */
  @Test
  @Tag("R6")
  @Tag("R18")
  void anAckThatCameAShorterWayMakesNoRoundTripShorter() throws RailException {
    Pair pair = new Pair(2);
    RailPath path = pair.connection().path(1);
    Connection other = pair.right.connections.getLast();
    RailPath back = other.path(1);
    assertNotNull(path);
    assertNotNull(back);
    pair.net.delaysNs.put("mem://1.left", 10 * MS);
    pair.net.delaysNs.put("mem://1.right", 10 * MS);
    pair.run(1_000 * MS);
    path.rtt().reset(100 * MS);
    path.congestion().reset(pair.net.nowNs);
    for (int i = 0; i < 200; i++) {
      pair.send(20_000);
      pair.run(MS);
    }
    assertTrue(path.rtt().minNs() >= 20 * MS, pair::describe);
    assertEquals(RailState.ACTIVE, back.state(), pair::describe);
    long acks = path.counters().get(RailCounter.ACKS_IN);
    for (int i = 0; i < 600; i++) { // before every duty cycle: what arrives on it clears it
      pair.right.endpoint.onLinkEvent(1, back.link().rail(), LinkEvent.UNREACHABLE);
      if (i % 2 == 0) {
        pair.send(2_000);
      }
      pair.run(MS / 20);
    }
    assertTrue(path.counters().get(RailCounter.ACKS_IN) > acks, pair::describe);
    assertTrue(path.rtt().minNs() >= 20 * MS, () -> "watchdog: " + path.rtt().minNs());
    assertTrue(
        ((RateController) path.congestion()).minRttNs() >= 20 * MS,
        () -> "rate: " + ((RateController) path.congestion()).minRttNs());
  }

  @Test
  @Tag("R18")
  void idleTimeTeachesNothingAboutTheRate() throws RailException {
    Pair pair = new Pair(2);
    RailPath path = pair.connection().path(1);
    assertNotNull(path);
    long before = path.congestion().rateBytesPerSecond();
    pair.run(15_000 * MS);
    assertTrue(pair.counter(pair.left, 1, RailCounter.ACKS_IN) > 10, pair::describe);
    assertTrue(
        path.congestion().rateBytesPerSecond() >= before,
        "rate " + path.congestion().rateBytesPerSecond());
    assertTrue(
        path.congestion().windowBytes() >= 32 * 1200, "window " + path.congestion().windowBytes());
  }

  @Test
  @Tag("R16")
  void whoHasNoLiveRailLooksWhereThePeerWasFoundAtFirst() throws RailException {
    MemoryNet net = new MemoryNet();
    Pair.Side left = new Pair.Side(EndpointConfig.defaults("left", -1, 1), 1);
    Pair.Side right = new Pair.Side(EndpointConfig.defaults("right", -1, 2), 2);
    for (int i = 0; i < 2; i++) {
      left.endpoint.addPort(net.opener("mem://" + i + ".left"), net.nowNs);
      right.endpoint.addPort(net.opener("mem://" + i + ".right"), net.nowNs);
    }
    net.refused.add("mem://1.right");
    net.ports.get("mem://1.right").failing = true;
    right.endpoint.poll(net.nowNs);
    left.endpoint.connect(
        "right",
        List.of(new RailAddress("mem://0.right"), new RailAddress("mem://1.right")),
        net.nowNs);
    // Only the first address is in the WELCOME; and when the other is there again, no rail is left
    // to tell of it.
    for (int i = 0; i < 200; i++) {
      poll(net, left, right);
    }
    assertTrue(right.saw(NodeEvent.PeerUp.class), right.events::toString);
    net.refused.add("mem://0.right");
    net.ports.get("mem://0.right").failing = true;
    for (int i = 0; i < 2000; i++) {
      poll(net, left, right);
    }
    net.refused.remove("mem://1.right");
    int before = left.events.size();
    for (int i = 0; i < 40_000; i++) {
      poll(net, left, right);
    }
    assertTrue(
        left.events.subList(before, left.events.size()).stream()
            .anyMatch(e -> e instanceof NodeEvent.RailChanged c && c.to() == RailState.ACTIVE),
        left.events::toString);
    assertEquals(Connection.State.UP, left.connections.getLast().state());
  }

  private static void poll(MemoryNet net, Pair.Side left, Pair.Side right) {
    net.nowNs += 50_000;
    left.endpoint.poll(net.nowNs);
    right.endpoint.poll(net.nowNs);
  }

  @Test
  @Tag("R19")
  void anOwnPauseIsNoFailure() throws RailException {
    Pair pair = new Pair(2);
    pair.send(500_000);
    pair.run(2 * MS);
    int before = pair.left.events.size();
    pair.leftRuns = false;
    pair.run(3000 * MS);
    pair.leftRuns = true;
    assertTrue(pair.run(1000 * MS, () -> pair.delivered == 1));
    pair.run(200 * MS);
    assertFalse(
        pair.left.events.subList(before, pair.left.events.size()).stream()
            .anyMatch(e -> e instanceof NodeEvent.RailChanged c && c.to() == RailState.DOWN));
    assertTrue(pair.left.saw(NodeEvent.SelfPaused.class));
  }

  @Test
  void aPeerThatStaysSilentIsLostAndTheUnknownIsNamed() throws RailException {
    Pair pair = new Pair(2);
    pair.send(10);
    assertTrue(
        pair.run(100 * MS, () -> pair.connection().existingChannel(7).acceptedSequence() == 1));
    Connection lost = pair.connection();
    pair.rightRuns = false;
    pair.send(10);
    pair.send(10);
    assertTrue(pair.run(40_000 * MS, () -> pair.left.saw(NodeEvent.PeerLost.class)));
    NodeEvent.PeerLost event =
        (NodeEvent.PeerLost)
            pair.left.events.stream()
                .filter(NodeEvent.PeerLost.class::isInstance)
                .findFirst()
                .orElseThrow();
    assertEquals(new NodeEvent.Unknown(7, 2, 3), event.unknown().getFirst());
    assertEquals(Status.PEER_LOST, lost.existingChannel(7).terminalStatus());
  }

  @Test
  @Tag("R11")
  void aRestartedPeerIsToldApartAndNothingIsReplayed() throws RailException {
    Pair pair = new Pair(2);
    pair.send(10);
    assertTrue(pair.run(100 * MS, () -> pair.delivered == 1));
    Connection old = pair.connection();
    pair.right.endpoint.close();
    pair.rightRuns = false;
    pair.run(1 * MS);
    pair.send(10);
    pair.run(5 * MS);
    pair.right = new Pair.Side(EndpointConfig.defaults("right", -1, 3), 3);
    for (int i = 0; i < 2; i++) {
      pair.right.endpoint.addPort(pair.net.opener("mem://" + i + ".right"), pair.net.nowNs);
    }
    pair.rightRuns = true;
    assertTrue(
        pair.run(
            5000 * MS,
            () ->
                pair.left.saw(NodeEvent.PeerRestarted.class)
                    || pair.left.saw(NodeEvent.PeerLost.class)),
        pair.left.events::toString);
    assertTrue(pair.left.saw(NodeEvent.PeerRestarted.class), pair.left.events::toString);
    assertEquals(Status.PEER_RESTARTED, old.existingChannel(7).terminalStatus());
    assertEquals(1, pair.delivered);
    assertTrue(pair.run(5000 * MS, () -> pair.connection() != old && Pair.active(pair.left) == 2));
    pair.send(10);
    assertTrue(pair.run(1000 * MS, () -> pair.delivered == 2));
  }

  @Test
  @Tag("R22")
  void whatALinkSaysIsNewsAndAFailedPortIsOpenedAgain() throws RailException {
    Pair pair = new Pair(2);
    Rail rail = pair.connection().path(0).link().rail();
    assertNotNull(rail);
    MemoryNet.Port port = pair.net.ports.get("mem://0.left");
    port.announce(rail, LinkEvent.UNREACHABLE);
    port.announce(rail, LinkEvent.REFUSED);
    assertEquals(2, pair.counter(pair.left, 0, RailCounter.LINK_ERRORS));
    assertFalse(pair.left.saw(RailState.DOWN));
    assertTrue(pair.run(50 * MS, () -> Pair.active(pair.left) == 2), pair::describe);
    pair.send(300_000);
    pair.run(1 * MS);
    port.failing = true;
    assertTrue(pair.run(500 * MS, () -> pair.delivered == 1));
    assertTrue(pair.run(2000 * MS, () -> Pair.active(pair.left) == 2), pair.left.events::toString);
    assertEquals(1, pair.counter(pair.left, 0, RailCounter.RESTARTS));
  }

  @Test
  @Tag("R8")
  @Tag("R22")
  void aLinkThatSaysThereIsNoWayIsNotWaitedFor() throws RailException {
    Pair pair = new Pair(2);
    pair.send(100_000);
    assertTrue(pair.run(100 * MS, () -> pair.delivered == 1));
    Rail rail = pair.connection().path(0).link().rail();
    assertNotNull(rail);
    blackHole(pair, 0, true);
    pair.send(60_000);
    pair.run(MS / 10);
    assertEquals(0, pair.counter(pair.left, 0, RailCounter.REINJECTED));
    pair.net.ports.get("mem://0.left").announce(rail, LinkEvent.UNREACHABLE);
    assertTrue(pair.left.saw(RailState.SUSPECT), pair::describe);
    assertTrue(pair.counter(pair.left, 0, RailCounter.REINJECTED) > 0, pair::describe);
    assertTrue(pair.run(MS, () -> pair.delivered == 2), pair::describe);
  }

  @Test
  @Tag("R24")
  void withoutReinjectionADeadRailLosesWhatHungOnIt() throws RailException {
    Pair pair = new Pair(2);
    pair.left.endpoint.setReinjection(false);
    blackHole(pair, 0, true);
    for (int i = 0; i < 20; i++) {
      pair.send(60_000);
    }
    pair.run(5000 * MS);
    assertTrue(pair.delivered < 20, "the negative control must lose something");
  }

  /** Timeouts that find every rail silent do not send again either what hangs on one of them. */
  @Test
  @Tag("R24")
  void withoutReinjectionNothingIsSavedByASilenceOfAllRails() throws RailException {
    Pair pair = new Pair(2);
    assertTrue(pair.run(100 * MS, () -> Pair.active(pair.left) == 2), pair::describe);
    pair.left.endpoint.setReinjection(false);
    blackHole(pair, 0, true);
    blackHole(pair, 1, true);
    for (int i = 0; i < 20; i++) {
      pair.send(60_000);
    }
    pair.run(300 * MS);
    blackHole(pair, 1, false);
    pair.run(5000 * MS);
    assertEquals(1, Pair.active(pair.left), pair::describe);
    assertTrue(pair.delivered < 20, "the negative control must lose something");
  }

  @Test
  void railsComeAndGoWhileMessagesFlow() throws RailException {
    Pair pair = new Pair(1);
    pair.send(2_000_000);
    int added = pair.left.endpoint.addPort(pair.net.opener("mem://1.left"), pair.net.nowNs);
    pair.right.endpoint.addPort(pair.net.opener("mem://1.right"), pair.net.nowNs);
    assertTrue(pair.run(2000 * MS, () -> Pair.active(pair.left) >= 2), pair.left.events::toString);
    assertTrue(pair.run(2000 * MS, () -> pair.delivered == 1));
    pair.send(2_000_000);
    pair.run(2 * MS);
    pair.left.endpoint.removePort(added, pair.net.nowNs);
    assertTrue(pair.run(2000 * MS, () -> pair.delivered == 2));
    assertTrue(pair.left.saw(RailState.REMOVED));
    assertTrue(pair.run(2000 * MS, () -> pair.right.saw(RailState.REMOVED)));
  }

  @Test
  void theOnlyPortOfThePeerIsTakenOutAndPutInAgain() throws RailException {
    Pair pair = new Pair(1);
    pair.run(100 * MS);
    pair.right.endpoint.removePort(0, pair.net.nowNs);
    pair.send(1000);
    pair.run(200 * MS);
    assertEquals(0, pair.delivered);
    pair.right.endpoint.addPort(pair.net.opener("mem://0.right"), pair.net.nowNs);
    assertTrue(pair.run(1000 * MS, () -> pair.delivered == 1), pair::describe);
    assertTrue(pair.run(100 * MS, () -> Pair.active(pair.right) == 1), pair::describe);
    assertFalse(pair.left.saw(NodeEvent.PeerLost.class));
  }

  @Test
  @Tag("R24")
  void railsMayComeAndGoMoreOftenThanThereAreNumbers() throws RailException {
    Pair pair = new Pair(2);
    for (int i = 0; i < 100; i++) {
      Pair.Side side = i % 2 == 0 ? pair.left : pair.right;
      String address = i % 2 == 0 ? "mem://1.left" : "mem://1.right";
      int port =
          side.endpoint.ports().stream()
              .filter(p -> p.open() && p.name().equals(address))
              .findFirst()
              .orElseThrow()
              .index();
      side.endpoint.removePort(port, pair.net.nowNs);
      pair.run(10 * MS);
      side.endpoint.addPort(pair.net.opener(address), pair.net.nowNs);
      pair.send(1000);
      assertTrue(
          pair.run(3000 * MS, () -> Pair.active(pair.left) >= 2 && Pair.active(pair.right) >= 2),
          () -> "round " + pair.delivered + pair.describe());
      assertTrue(Pair.active(pair.left) <= 4, pair::describe); // each port with each
    }
    assertTrue(pair.run(100 * MS, () -> pair.delivered == 100));
  }

  @Test
  void closingDrainsFirst() throws RailException {
    Pair pair = new Pair(2);
    for (int i = 0; i < 10; i++) {
      pair.send(60_000);
    }
    pair.connection().close(5000 * MS, pair.net.nowNs);
    Connection c = pair.connection();
    assertTrue(pair.run(2000 * MS, () -> c.state() == Connection.State.CLOSED));
    assertEquals(10, pair.delivered);
    assertTrue(pair.right.saw(NodeEvent.PeerClosed.class), pair.right.events::toString);
    assertTrue(pair.send(1) < 0);
  }

  /** Pauses of this process do not put off its end: the linger goes by the core's own time. */
  @Test
  void whoPausedBeforeSaysGoodByeAllTheSame() throws RailException {
    Pair pair = new Pair(2);
    for (int i = 0; i < 10; i++) {
      pair.run(20 * MS);
      pair.leftRuns = false;
      assertTrue(pair.send(1000) > 0); // there is something to do all the time
      int unused = pair.left.endpoint.poll(pair.net.nowNs);
      pair.run((i + 1) * 100L * MS); // what came before is no pause (R34)
      pair.leftRuns = true;
    }
    pair.run(100 * MS);
    assertTrue(pair.left.endpoint.counters().get(EndpointCounter.SELF_PAUSED_NS) > 500 * MS);
    while (pair.send(60_000) > 0) {} // more than the peer takes before it consumes some
    pair.connection().close(0, pair.net.nowNs);
    for (int i = 0; i < 400; i++) {
      pair.left.endpoint.poll(pair.net.nowNs);
      pair.right.endpoint.poll(pair.net.nowNs); // nobody consumes anything
      pair.net.nowNs += 50_000;
    }
    assertEquals(Connection.State.CLOSED, pair.connection().state());
    assertTrue(pair.right.saw(NodeEvent.PeerClosed.class), pair.right.events::toString);
  }

  /** Nobody has roused it since, so the first offer has to, or the message waits for a timer. */
  @Test
  void theFirstOfferOfANewChannelWakesTheEngine() throws RailException {
    Pair pair = new Pair(1);
    pair.run(100 * MS);
    Connection c = pair.connection();
    ChannelCore channel = c.channel(9, Priority.NORMAL);
    assertTrue(channel.offer(Arena.ofAuto().allocate(8), 0, 8) > 0);
    assertTrue(pair.left.endpoint.offered(c, channel));
    assertFalse(pair.left.endpoint.offered(c, channel)); // whoever signalled before does
  }

  @Test
  void twoThatCloseAtOnceFallSilent() throws RailException {
    Pair pair = new Pair(2);
    pair.run(100 * MS);
    Connection right = pair.right.connections.getLast();
    pair.connection().close(0, pair.net.nowNs);
    right.close(0, pair.net.nowNs);
    pair.run(100 * MS);
    assertEquals(Connection.State.CLOSED, pair.connection().state());
    assertEquals(Connection.State.CLOSED, right.state());
    long sent = pair.net.sent;
    pair.run(5000 * MS);
    assertEquals(sent, pair.net.sent, "closed connections went on talking");
    assertTrue(pair.left.endpoint.connections().isEmpty());
    assertTrue(pair.right.endpoint.connections().isEmpty());
  }

  @Test
  void whatWasOfferedTooLargeBeforeThePeerAnsweredFailsAlone() throws RailException {
    Pair pair = new Pair(1, 50_000);
    assertTrue(pair.run(1000 * MS, () -> pair.delivered == 2), pair::describe);
    assertTrue(pair.left.saw(NodeEvent.MessageFailed.class));
    assertEquals(0, pair.right.endpoint.counters().get(EndpointCounter.INVALID_PACKETS));
    assertEquals(Status.TOO_LARGE, pair.send(60_000));
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.congestion;

import static io.crosstie.reliability.congestion.PathModel.GIGABIT;
import static io.crosstie.reliability.congestion.PathModel.MS;
import static io.crosstie.reliability.congestion.PathModel.PACKET_BYTES;
import static io.crosstie.reliability.congestion.PathModel.US;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.reliability.congestion.PathModel.Flow;
import io.crosstie.testkit.Campaign;
import io.crosstie.testkit.Facility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The rate controller with the other recovery classes on a modelled path, in virtual time. */
@Tag("R18")
class RatePathTest {
  private static final long LIMIT = 8 << 20;
  private static final long BUFFER = 4 << 20; // far more than the target: the queue is our doing

  /** How many runs of one path, with other losses and pauses each. */
  private static final int SEEDS = Campaign.count(1, 4);

  private static RateController controller() {
    RateController controller = new RateController((long) GIGABIT, PACKET_BYTES);
    controller.setWindowLimitBytes(LIMIT);
    return controller;
  }

  private static void bothSleep(Flow flow, long atMostNs) {
    flow.senderPauseNs = atMostNs;
    flow.receiverPauseNs = atMostNs;
  }

  private static void assertUtilised(double least, PathModel path) {
    assertTrue(path.utilisation() >= least, "utilisation " + path.utilisation());
  }

  private static void assertQueueBelow(double ms, double quantile, PathModel path) {
    double queue = path.queueMs(quantile);
    assertTrue(queue <= ms, "queue " + queue + " ms at " + quantile);
  }

  @ParameterizedTest
  @CsvSource({
    // round trip in µs, loss, least utilisation
    "100, 0, 0.97", "500, 0, 0.97", "2000, 0, 0.97",
    "100, 0.01, 0.95", "500, 0.01, 0.95", "2000, 0.01, 0.95",
    "100, 0.05, 0.90", "500, 0.05, 0.90", "2000, 0.05, 0.90",
    "100, 0.09, 0.85", "500, 0.09, 0.85", "2000, 0.09, 0.85"
  })
  void fillsAGigabitWithoutAStandingQueueWhateverIsLost(long rttUs, double loss, double least) {
    for (int seed = 1; seed <= SEEDS; seed++) {
      PathModel path = new PathModel(GIGABIT, rttUs * US, BUFFER, loss, seed);
      Flow flow = path.addFlow(controller(), 0);
      path.runUntil(200 * MS);
      path.startMeasuring();
      path.runUntil(2_200 * MS);
      assertUtilised(least, path);
      assertQueueBelow(2, 0.99, path);
      assertEquals(0, path.overflows);
      assertEquals(0, flow.spurious, "a path that keeps its order shows no spurious loss");
      assertEquals(
          GIGABIT * (1 - loss), (double) flow.controller.rateBytesPerSecond(), GIGABIT / 10);
    }
  }

  @ParameterizedTest
  @CsvSource({"0, 0.97", "0.01, 0.93", "0.05, 0.85"})
  void fillsALongPathToo(double loss, double least) {
    PathModel path = new PathModel(GIGABIT, 20 * MS, BUFFER, loss, 1);
    path.addFlow(controller(), 0);
    path.runUntil(1_000 * MS);
    path.startMeasuring();
    path.runUntil(6_000 * MS);
    assertUtilised(least, path);
    assertQueueBelow(4, 0.95, path);
  }

  /**
   * What is on the way is not in the peer's buffer: a small one is no reason to leave a path empty.
   */
  @ParameterizedTest
  @CsvSource({
    // round trip in ms, limit in KiB, Gbit/s
    "10, 1024, 1",
    "20, 2048, 1",
    "20, 256, 1",
    "50, 1024, 1",
    "100, 256, 1",
    "10, 2048, 10"
  })
  @Tag("R13")
  void fillsALongPathThoughThePeersBufferIsSmall(long rttMs, long limitKib, double gigabits) {
    if (rttMs > 20 || gigabits > 1) {
      Facility.TIME.require("a path of " + rttMs + " ms and " + gigabits + " Gbit/s");
    }
    double rate = gigabits * GIGABIT;
    PathModel path = new PathModel(rate, rttMs * MS, BUFFER, 0, 1);
    RateController controller = controller();
    long limit = limitKib << 10;
    controller.setWindowLimitBytes(limit);
    path.addFlow(controller, 0);
    path.runUntil(100 * rttMs * MS);
    path.startMeasuring();
    path.runUntil(350 * rttMs * MS);
    assertUtilised(0.95, path);
    double most = limit + 1.1 * rate / 1e3 * rttMs;
    assertTrue(controller.windowBytes() <= most, controller.windowBytes() + " bytes");
  }

  @ParameterizedTest
  @ValueSource(longs = {100, 500, 2000})
  void fillsAGigabitThoughAcksComeOnlyForEvery64Packets(long rttUs) {
    PathModel path = new PathModel(GIGABIT, rttUs * US, BUFFER, 0.01, 1);
    path.addFlow(controller(), 0).eighthOfWindow = false;
    path.runUntil(200 * MS);
    path.startMeasuring();
    path.runUntil(2_200 * MS);
    assertUtilised(0.95, path);
    assertQueueBelow(2.2, 0.95, path);
  }

  /** On a busy machine the peer's process looks at its socket only every few milliseconds. */
  @ParameterizedTest
  @CsvSource({"500, 0.97", "1000, 0.97", "2000, 0.9", "4000, 0.85", "8000, 0.7"})
  void takesASleepingPeerForNoQueue(long pauseUs, double least) {
    for (int seed = 1; seed <= SEEDS; seed++) {
      PathModel path = new PathModel(GIGABIT, 50 * US, BUFFER, 0, seed);
      Flow flow = path.addFlow(controller(), 0);
      flow.receiverPauseNs = pauseUs * US;
      path.runUntil(1_000 * MS);
      path.startMeasuring();
      path.runUntil(3_000 * MS);
      assertUtilised(least, path);
      assertQueueBelow(2 + 2.5 * pauseUs / 1e3, 0.95, path);
    }
  }

  /** On a busy machine this process, too, comes to its turn only every few milliseconds. */
  @ParameterizedTest
  @CsvSource({"50, 1000", "50, 2000", "50, 4000", "1000, 1000", "1000, 2000", "1000, 4000"})
  void makesUpForTurnsThatCameLate(int megabits, long pauseUs) {
    for (int seed = 1; seed <= SEEDS; seed++) {
      PathModel path = new PathModel(megabits * 125e3, 50 * US, BUFFER, 0, seed);
      Flow flow = path.addFlow(controller(), 0);
      bothSleep(flow, pauseUs * US);
      path.runUntil(2_000 * MS);
      path.startMeasuring();
      path.runUntil(6_000 * MS);
      assertUtilised(0.8, path);
      assertQueueBelow(2 + 5 * pauseUs / 1e3, 0.95, path);
    }
  }

  /** Beside endless loops of others: a turn of the scheduler, and then a long sleep. */
  @ParameterizedTest
  @CsvSource({
    // rate, the longest sleep in ms, least utilisation
    "50, 3, 0.98",
    "50, 12, 0.95",
    "50, 24, 0.9",
    "1000, 3, 0.95",
    "1000, 12, 0.75",
    "1000, 24, 0.55"
  })
  void keepsTheRateBesideBusyProcessors(int megabits, long pauseMs, double least) {
    for (int seed = 1; seed <= SEEDS; seed++) {
      PathModel path = new PathModel(megabits * 125e3, 50 * US, BUFFER, 0, seed);
      path.burstBytes = 64 * 1024;
      Flow flow = path.addFlow(controller(), 0);
      flow.turnNs = 3 * MS;
      bothSleep(flow, pauseMs * MS);
      path.runUntil(2_000 * MS);
      path.startMeasuring();
      path.runUntil(6_000 * MS);
      assertUtilised(least, path);
      assertQueueBelow(3 + 4.0 * pauseMs, 0.95, path);
    }
  }

  @Test
  void reachesFullRateWithinThirtyRoundTrips() {
    PathModel path = new PathModel(GIGABIT, 2 * MS, BUFFER, 0, 1);
    RateController slowStart = new RateController(1_000_000, PACKET_BYTES);
    slowStart.setWindowLimitBytes(LIMIT);
    path.addFlow(slowStart, 0);
    path.runUntil(60 * MS);
    path.startMeasuring();
    path.runUntil(160 * MS);
    assertUtilised(0.9, path);
  }

  /** As a rail does that comes back. */
  @ParameterizedTest
  @CsvSource({"50, 0", "50, 500", "250, 0", "250, 500", "250, 1500", "1000, 500"})
  void isSoonAtFullRateThoughATokenBucketFooledTheStart(long rttUs, long pauseUs) {
    for (int seed = 1; seed <= SEEDS; seed++) {
      PathModel path = new PathModel(GIGABIT, rttUs * US, 2_500_000, 0, seed);
      path.burstBytes = 128 * 1024;
      Flow flow = path.addFlow(controller(), 0);
      bothSleep(flow, pauseUs * US);
      path.runUntil(30 * MS);
      path.startMeasuring();
      path.runUntil(130 * MS);
      assertUtilised(0.8, path);
    }
  }

  /** As on a rail beside others, which the scheduler passes over now and then. */
  @ParameterizedTest
  @ValueSource(longs = {100, 2_000, 20_000})
  void aQueueEndsTheStartThoughTheApplicationHoldsBackNowAndThen(long rttUs) {
    PathModel path = new PathModel(GIGABIT, rttUs * US, BUFFER, 0, 1);
    path.addFlow(controller(), 0).holdBackEveryNs = 5 * rttUs * US / 4;
    path.runUntil(1_000 * MS);
    path.startMeasuring();
    path.runUntil(3_000 * MS);
    assertUtilised(0.9, path);
    assertQueueBelow(4, 0.95, path);
    assertEquals(0, path.overflows);
  }

  @ParameterizedTest
  @ValueSource(longs = {50, 500})
  void isNotFooledByATokenBucket(long rttUs) {
    PathModel path = new PathModel(GIGABIT, rttUs * US, 2_500_000, 0, 1);
    path.burstBytes = 128 * 1024;
    path.addFlow(controller(), 0);
    path.runUntil(500 * MS);
    path.startMeasuring();
    path.runUntil(2_500 * MS);
    assertUtilised(0.97, path);
    assertQueueBelow(2, 0.95, path);
  }

  @ParameterizedTest
  @CsvSource({"100, 0.9", "500, 0.85", "2000, 0.7"})
  void followsARateThatFallsToATenthAndComesBack(long rttUs, double leastOnReturn) {
    PathModel path = new PathModel(GIGABIT, rttUs * US, BUFFER, 0, 1);
    Flow flow = path.addFlow(controller(), 0);
    path.runUntil(500 * MS);
    path.setRate(GIGABIT / 10);
    path.runUntil(600 * MS);
    assertEquals(GIGABIT / 10, (double) flow.controller.rateBytesPerSecond(), GIGABIT / 100);
    path.startMeasuring();
    path.runUntil(1_000 * MS);
    assertUtilised(0.97, path);
    assertQueueBelow(2.5, 0.95, path);
    path.setRate(GIGABIT);
    path.startMeasuring();
    path.runUntil(1_100 * MS);
    assertUtilised(leastOnReturn, path);
    path.startMeasuring();
    path.runUntil(1_400 * MS);
    assertUtilised(0.97, path);
    assertQueueBelow(2, 0.95, path);
    assertEquals(GIGABIT, (double) flow.controller.rateBytesPerSecond(), GIGABIT / 10);
  }

  @ParameterizedTest
  @CsvSource({
    // round trip in µs, start of the second flow in ms, loss
    "100, 0, 0", "500, 0, 0", "2000, 0, 0",
    "100, 1000, 0", "500, 1000, 0", "2000, 1000, 0",
    "100, 1000, 0.01", "500, 1000, 0.01", "2000, 1000, 0.01"
  })
  void twoFlowsShareRoughly(long rttUs, long startMs, double loss) {
    PathModel path = new PathModel(GIGABIT, rttUs * US, BUFFER, loss, 1);
    Flow one = path.addFlow(controller(), 0);
    Flow other = path.addFlow(controller(), startMs * MS + 300 * US);
    path.runUntil((startMs + 1_500) * MS);
    path.startMeasuring();
    path.runUntil((startMs + 3_500) * MS);
    assertUtilised(0.95, path);
    assertQueueBelow(2, 0.95, path);
    double ratio = path.rateOf(one) / path.rateOf(other);
    assertTrue(ratio > 0.5 && ratio < 2, "ratio " + ratio);
  }

  @Test
  void aLateFlowLeavesWhenItIsDone() {
    PathModel path = new PathModel(GIGABIT, 500 * US, BUFFER, 0, 1);
    Flow one = path.addFlow(controller(), 0);
    Flow other = path.addFlow(controller(), 500 * MS);
    path.runUntil(1_500 * MS);
    other.applicationRate = 1; // nothing more to say
    path.runUntil(1_550 * MS);
    path.startMeasuring();
    path.runUntil(2_050 * MS);
    assertTrue(path.rateOf(one) > 0.97 * GIGABIT, "rate " + path.rateOf(one));
  }

  @Test
  void heavyLossReducesButDoesNotKillAndHealsWithinATenthOfASecond() {
    PathModel path = new PathModel(GIGABIT, 200 * US, BUFFER, 0, 1);
    Flow flow = path.addFlow(controller(), 0);
    path.runUntil(500 * MS);
    long before = flow.controller.windowBytes();
    path.setLoss(0.3);
    path.runUntil(1_500 * MS);
    long during = flow.controller.windowBytes();
    assertTrue(during < before / 2, "window " + before + " -> " + during);
    assertTrue(during > 4 * PACKET_BYTES, "random loss does not take it down to nothing");
    path.setLoss(0);
    path.runUntil(1_600 * MS);
    path.startMeasuring();
    path.runUntil(2_000 * MS);
    assertUtilised(0.97, path);
  }

  @Test
  void reducesAtMostOncePerRoundTrip() {
    PathModel path = new PathModel(GIGABIT, 2 * MS, BUFFER, 0, 1);
    Flow flow = path.addFlow(controller(), 0);
    path.runUntil(500 * MS);
    path.setLoss(0.4);
    long lastRound = flow.controller.rounds();
    long window = flow.controller.windowBytes();
    int reductions = 0;
    for (long at = 500 * MS; at < 700 * MS; at += 100 * US) {
      path.runUntil(at);
      long now = flow.controller.windowBytes();
      if (now < window) {
        assertTrue(flow.controller.rounds() > lastRound, "twice in a round trip at " + at);
        assertTrue(now >= window / 2, "more than half at " + at);
        lastRound = flow.controller.rounds();
        reductions++;
      }
      window = now;
    }
    assertTrue(reductions >= 3, "reductions " + reductions);
  }

  @Test
  void aBufferTooShortForTheTargetCostsBoundedLoss() {
    PathModel path = new PathModel(GIGABIT, 500 * US, 64 * 1024, 0, 1);
    Flow flow = path.addFlow(controller(), 0);
    path.runUntil(500 * MS);
    path.startMeasuring();
    path.runUntil(2_500 * MS);
    assertUtilised(0.97, path);
    double lost = (double) flow.lost / flow.sent;
    assertTrue(lost < 0.12, "lost " + lost);
  }

  @Test
  void anApplicationBelowTheRateSeesNoQueue() {
    PathModel path = new PathModel(GIGABIT, 500 * US, BUFFER, 0, 1);
    Flow flow = path.addFlow(controller(), 0);
    flow.applicationRate = GIGABIT / 4;
    path.runUntil(1_000 * MS);
    path.startMeasuring();
    path.runUntil(2_000 * MS);
    assertEquals(GIGABIT / 4, path.rateOf(flow), GIGABIT / 100);
    assertQueueBelow(0.6, 0.99, path);
    flow.applicationRate = 0;
    path.runUntil(2_050 * MS);
    path.startMeasuring();
    path.runUntil(2_500 * MS);
    assertUtilised(0.97, path);
  }

  /**
   * Loopback: gigabytes a second, round trips of scheduling, ACKs for 64 packets, a fixed limit.
   */
  @ParameterizedTest
  @CsvSource({
    // pause of the receiver in µs, limit in MiB, whether the path is known to be local
    "0, 1, false",
    "100, 1, false",
    "0, 4, false",
    "100, 4, false",
    "0, 4, true",
    "100, 4, true",
    "2000, 1, true",
    "2000, 4, true",
    "8000, 4, true"
  })
  void onAFastPathOnlyTheLimitBounds(long pauseUs, int limitMiB, boolean local) {
    PathModel path = new PathModel(4e9, 20 * US, 64 << 20, 0, 1);
    RateController fast = new RateController(1_250_000_000, 8192);
    fast.setWindowLimitBytes((long) limitMiB << 20);
    fast.setLocalPath(local);
    Flow flow = path.addFlow(fast, 0);
    flow.packetBytes = 8192;
    flow.receiverPauseNs = pauseUs * US;
    flow.eighthOfWindow = false;
    path.runUntil(100 * MS);
    path.startMeasuring();
    for (long at = 100; at <= 200; at++) {
      path.runUntil(at * MS);
      assertEquals((long) limitMiB << 20, fast.windowBytes(), "at " + at + " ms");
    }
    if (pauseUs <= 100) {
      assertUtilised(0.98, path);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {2, 8})
  void aLocalPathIsNeverHeldBackByItsDelay(long pauseMs) {
    PathModel path = new PathModel(4e9, 20 * US, 64 << 20, 0, 1);
    RateController local = new RateController(1_250_000_000, 8192);
    local.setWindowLimitBytes(16 << 20);
    local.setLocalPath(true);
    Flow flow = path.addFlow(local, 0);
    flow.packetBytes = 8192;
    flow.receiverPauseNs = pauseMs * MS;
    path.runUntil(30 * MS);
    path.startMeasuring();
    path.runUntil(230 * MS);
    assertUtilised(0.6, path);
  }

  @Test
  void theSameSeedGivesTheSameRun() {
    long[] delivered = new long[2];
    for (int i = 0; i < 2; i++) {
      PathModel path = new PathModel(GIGABIT, 500 * US, BUFFER, 0.02, 42);
      Flow flow = path.addFlow(controller(), 0);
      path.runUntil(300 * MS);
      delivered[i] = flow.controller.delivered();
    }
    assertEquals(delivered[0], delivered[1]);
  }
}

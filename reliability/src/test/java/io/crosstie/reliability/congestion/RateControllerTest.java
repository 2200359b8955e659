// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.congestion;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Windows, pacing and samples, packet by packet; behaviour on a path: {@link RatePathTest}. */
@Tag("R18")
class RateControllerTest {
  private static final long MS = 1_000_000;
  private static final int PACKET = 1500;

  private final RateController controller = new RateController(125_000_000, PACKET);

  /** Sends one packet and acknowledges it a round trip later; returns the time of the ACK. */
  private long exchange(int packets, long rttNs, long nowNs) {
    long[] prior = new long[packets];
    long[] priorNs = new long[packets];
    long[] firstNs = new long[packets];
    boolean[] limited = new boolean[packets];
    for (int i = 0; i < packets; i++) {
      controller.onSent(PACKET, nowNs);
      prior[i] = controller.delivered();
      priorNs[i] = controller.deliveredTimeNs();
      firstNs[i] = controller.firstSentTimeNs();
      limited[i] = controller.isAppLimited();
    }
    long ackNs = nowNs + rttNs;
    for (int i = 0; i < packets; i++) {
      controller.onAcked(PACKET, prior[i], priorNs[i], firstNs[i], nowNs, limited[i], ackNs);
    }
    controller.onRttSample(rttNs, 0, false, ackNs);
    controller.sendAllowance(ackNs);
    return ackNs;
  }

  @Test
  void startsWithAFewDozenPacketsAndTheInitialRate() {
    assertEquals(RateController.INITIAL_WINDOW_PACKETS * PACKET, controller.windowBytes());
    assertEquals(125_000_000, controller.rateBytesPerSecond());
    assertEquals(0, controller.flightBytes());
    assertEquals(0, controller.minRttNs());
  }

  @Test
  void flightIsWhatWasSentAndNotReported() {
    for (int i = 0; i < 4; i++) {
      controller.onSent(PACKET, 0);
    }
    assertEquals(4 * PACKET, controller.flightBytes());
    controller.onAcked(PACKET, 0, 0, 0, 0, false, MS);
    controller.onLost(PACKET);
    controller.onDiscarded(PACKET);
    assertEquals(PACKET, controller.flightBytes());
    assertEquals(PACKET, controller.delivered());
    assertEquals(MS, controller.deliveredTimeNs());
    controller.onSpuriousLoss(PACKET);
    assertEquals(PACKET, controller.flightBytes(), "it had left the flight before");
    assertEquals(2 * PACKET, controller.delivered());
  }

  @Test
  void aBurstIsHalfAMillisecondOfTheRate() {
    assertEquals(48_000, controller.sendAllowance(0), "the window allows less than 62,500");
    RateController slower = new RateController(12_500_000, PACKET);
    assertEquals(6_250, slower.sendAllowance(0));
    RateController slowest = new RateController(1_000, PACKET);
    assertEquals(PACKET, slowest.sendAllowance(0), "a packet at least");
  }

  @Test
  void pacingSpreadsPacketsInSmallBatches() {
    RateController slow = new RateController(12_500_000, PACKET);
    for (int i = 0; i < 4; i++) {
      slow.onSent(PACKET, 0);
    }
    assertEquals(0, slow.sendAllowance(0));
    long next = slow.nextSendTimeNs(0);
    assertEquals(
        (1562.5 - 250) / 12_500_000 * 1e9, (double) next, 1, "a quarter of a burst, 250 are left");
    assertEquals(0, slow.sendAllowance(next - 1));
    assertTrue(slow.sendAllowance(next) >= PACKET);
    assertEquals(next, slow.nextSendTimeNs(next));
  }

  @Test
  void budgetDoesNotPileUpWhileIdle() {
    RateController slow = new RateController(12_500_000, PACKET);
    slow.sendAllowance(0);
    assertEquals(6_250, slow.sendAllowance(1_000 * MS));
  }

  @Test
  void whatWasEarnedAtTheGuessedRateIsNotSpentOnASlowerPath() {
    long now = exchange(4, 100 * MS, 0);
    assertEquals(PACKET, controller.sendAllowance(now), "no burst of 62,500 at 60,000 a second");
  }

  @Test
  void aFullWindowWaitsForAnAck() {
    for (int i = 0; i < RateController.INITIAL_WINDOW_PACKETS; i++) {
      controller.onSent(PACKET, i * MS);
    }
    assertEquals(0, controller.sendAllowance(100 * MS));
    assertEquals(Long.MAX_VALUE, controller.nextSendTimeNs(100 * MS));
    controller.onDiscarded(PACKET);
    assertEquals(PACKET, controller.sendAllowance(100 * MS));
    assertEquals(100 * MS, controller.nextSendTimeNs(100 * MS));
  }

  @Test
  @Tag("R13")
  void neverExceedsTheLimitByMoreThanIsOnTheWay() {
    controller.setWindowLimitBytes(10_000);
    assertEquals(10_000, controller.windowBytes());
    assertEquals(10_000, controller.sendAllowance(0));
    long now = 0;
    for (int i = 0; i < 50; i++) {
      now = exchange(6, MS, now);
      assertTrue(controller.windowBytes() <= 10_000 + 6 * PACKET, "6 packets a round trip");
    }
    controller.setWindowLimitBytes(100);
    assertTrue(
        controller.windowBytes() <= 100 + 6 * PACKET, "even below what it would be at least");
  }

  @Test
  void measuresTheRateOfDelivery() {
    long now = exchange(20, 2 * MS, 0);
    assertEquals(20 * PACKET * 500, controller.rateBytesPerSecond());
    assertEquals(2 * MS, controller.minRttNs());
    assertEquals(1, controller.rounds());
    exchange(20, 2 * MS, now);
    assertEquals(2, controller.rounds());
  }

  @Test
  void startupDoublesPerRoundTrip() {
    RateController fast = controller;
    long now = 0;
    for (int round = 1; round <= 5; round++) {
      long before = fast.windowBytes();
      now = exchange((int) (before / PACKET), MS, now);
      assertEquals(2 * before, fast.windowBytes(), "round " + round);
    }
  }

  @Test
  void anApplicationThatHoldsBackIsNotTheRate() {
    long now = exchange(32, MS, 0);
    long rate = controller.rateBytesPerSecond();
    long window = controller.windowBytes();
    for (int i = 0; i < 100; i++) {
      controller.onAppLimited();
      assertTrue(controller.isAppLimited());
      now = exchange(1, MS, now);
    }
    assertEquals(rate, controller.rateBytesPerSecond());
    assertEquals(window, controller.windowBytes());
    for (int i = 0; i < 3; i++) {
      now = exchange(32, MS, now);
    }
    assertFalse(controller.isAppLimited(), "over with the first flight that was not");
  }

  @Test
  void resetForgetsThePathButNotTheFlight() {
    long now = 0;
    for (int i = 0; i < 10; i++) {
      now = exchange(60, MS, now);
    }
    controller.onSent(PACKET, now);
    controller.reset(now);
    assertEquals(PACKET, controller.flightBytes());
    assertEquals(RateController.INITIAL_WINDOW_PACKETS * PACKET, controller.windowBytes());
    assertEquals(125_000_000, controller.rateBytesPerSecond());
    assertEquals(0, controller.minRttNs());
    assertFalse(controller.isAppLimited());
  }

  @Test
  @Tag("R20")
  void aLargerPacketKeepsTheSmallestWindow() {
    controller.setMaxPacketBytes(65_000);
    assertTrue(controller.windowBytes() >= RateController.MIN_WINDOW_PACKETS * 65_000L);
    assertTrue(controller.sendAllowance(0) >= 65_000, "and a burst holds one");
  }

  @Test
  void aLocalPathIsBoundByItsLimitAlone() {
    controller.setLocalPath(true);
    controller.setWindowLimitBytes(4 << 20);
    long now = exchange(10, 8 * MS, 0);
    for (int i = 0; i < 50; i++) {
      now = exchange(10, (1 + i % 8) * MS, now);
      assertEquals(4 << 20, controller.windowBytes());
    }
  }

  @Test
  void refusesNonsense() {
    assertThrows(IllegalArgumentException.class, () -> new RateController(0, 1));
    assertThrows(IllegalArgumentException.class, () -> new RateController(1, 0));
    assertThrows(IllegalArgumentException.class, () -> controller.setMaxPacketBytes(-1));
    assertThrows(IllegalArgumentException.class, () -> controller.setWindowLimitBytes(0));
  }
}

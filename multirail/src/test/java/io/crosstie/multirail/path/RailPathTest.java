// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.path;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.reliability.congestion.RateController;
import io.crosstie.reliability.fault.PlantedFault;
import io.crosstie.reliability.time.SlipClock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** How long a rail may stay without acknowledgements before it passes for silent. */
@Tag("R14")
class RailPathTest {
  private static final long MS = 1_000_000L;
  private static final long ACK_DELAY = MS;
  private static final long FLOOR = 3 * MS;

  private final RailPath path =
      new RailPath(
          0,
          new RailLink(0, "rail", 1),
          new RateController(125_000_000L, RailPath.BASE_PACKET),
          new SlipClock(2_000_000, 0, () -> 0),
          ACK_DELAY,
          PlantedFault.NONE,
          0);
  private long nowNs;

  private void samples(int count, long rttNs) {
    for (int i = 0; i < count; i++) {
      nowNs += 10 * MS;
      path.rtt().onSample(rttNs, 0, nowNs);
    }
  }

  @Test
  void aQueueInWhichAllWaitIsNoExcuseForSilence() {
    samples(1, MS / 10);
    samples(400, 8 * MS);
    assertTrue(path.timeoutBaseNs(ACK_DELAY, FLOOR) >= 9 * MS);
    long silence = path.silenceNs(ACK_DELAY, FLOOR);
    assertTrue(silence <= 3 * MS, "8 ms of queue count: " + silence);
  }

  @Test
  void theTimeForOnePacketOnASlowLinkIs() {
    samples(1, 12 * MS);
    samples(400, 48 * MS);
    long silence = path.silenceNs(ACK_DELAY, FLOOR);
    assertTrue(silence >= 12 * MS + ACK_DELAY && silence < 20 * MS, "was " + silence);
  }

  @Test
  void neitherIsItSoonerThanTheFloor() {
    samples(400, MS / 10);
    assertEquals(20 * MS, path.silenceNs(ACK_DELAY, 20 * MS));
  }
}

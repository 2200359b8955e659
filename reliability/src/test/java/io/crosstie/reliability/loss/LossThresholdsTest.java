// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.loss;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("R5")
class LossThresholdsTest {
  private static final long MS = 1_000_000;

  private final LossThresholds thresholds = new LossThresholds();
  private final RttEstimator rtt = new RttEstimator(MS);

  @BeforeEach
  void measureEightMilliseconds() {
    rtt.onSample(8 * MS, 0, 0);
  }

  @Test
  void startsAsRfc9002Says() {
    assertEquals(3, thresholds.packetThreshold());
    assertEquals(9 * MS, thresholds.timeThresholdNs(rtt, MS));
    assertEquals(20 * MS, thresholds.timeThresholdNs(rtt, 20 * MS), "granularity is the floor");
    rtt.onSample(16 * MS, 0, 1);
    assertEquals(18 * MS, thresholds.timeThresholdNs(rtt, MS), "the latest exceeds the average");
  }

  @Test
  void aSpuriousLossWidensBoth() {
    thresholds.onSpuriousLoss(7, 2 * MS);
    assertEquals(
        LossThresholds.MAX_PACKET_THRESHOLD,
        thresholds.packetThreshold(),
        "seven later ones were seen: the rail reorders");
    assertEquals(11 * MS, thresholds.timeThresholdNs(rtt, MS));
    thresholds.onSpuriousLoss(5, MS);
    assertEquals(LossThresholds.MAX_PACKET_THRESHOLD, thresholds.packetThreshold());
    assertEquals(11 * MS, thresholds.timeThresholdNs(rtt, MS), "never narrower");
  }

  @Test
  void aDelayAloneSaysNothingAboutOrder() {
    thresholds.onSpuriousLoss(2, 2 * MS);
    assertEquals(3, thresholds.packetThreshold(), "two later ones: three would have waited");
    assertEquals(11 * MS, thresholds.timeThresholdNs(rtt, MS));
    thresholds.onSpuriousLoss(0, -MS);
    assertEquals(3, thresholds.packetThreshold());
    assertEquals(11 * MS, thresholds.timeThresholdNs(rtt, MS));
  }

  @Test
  void bothAreBounded() {
    thresholds.onSpuriousLoss(Long.MAX_VALUE, Long.MAX_VALUE);
    assertEquals(LossThresholds.MAX_PACKET_THRESHOLD, thresholds.packetThreshold());
    assertEquals(
        9 * MS + LossThresholds.MAX_EXTRA_NS, thresholds.timeThresholdNs(rtt, MS), "a second more");
  }

  @Test
  void narrowsAgainSlowly() {
    thresholds.onSpuriousLoss(99, 4 * MS);
    for (int i = 0; i < LossThresholds.PERSIST_ROUNDS; i++) {
      thresholds.onRoundTrip();
      assertEquals(LossThresholds.MAX_PACKET_THRESHOLD, thresholds.packetThreshold());
    }
    thresholds.onRoundTrip();
    int narrower = thresholds.packetThreshold();
    assertTrue(narrower < LossThresholds.MAX_PACKET_THRESHOLD);
    assertTrue(thresholds.timeThresholdNs(rtt, MS) < 13 * MS);
    thresholds.onSpuriousLoss(3, 0);
    thresholds.onRoundTrip();
    assertEquals(narrower, thresholds.packetThreshold(), "proof anew: hold again");
    for (int i = 0; i < 300; i++) {
      thresholds.onRoundTrip();
    }
    assertEquals(3, thresholds.packetThreshold());
    assertEquals(9 * MS, thresholds.timeThresholdNs(rtt, MS));
  }

  @Test
  void resetForgets() {
    thresholds.onSpuriousLoss(99, 4 * MS);
    thresholds.reset();
    assertEquals(3, thresholds.packetThreshold());
    assertEquals(9 * MS, thresholds.timeThresholdNs(rtt, MS));
  }
}

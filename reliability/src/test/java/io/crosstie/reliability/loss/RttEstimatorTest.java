// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.loss;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("R6")
class RttEstimatorTest {
  private static final long MS = 1_000_000;

  private final RttEstimator rtt = new RttEstimator(100 * MS);

  @Test
  void assumesTheInitialValueUntilTheFirstSample() {
    assertFalse(rtt.isMeasured());
    assertEquals(100 * MS, rtt.smoothedNs());
    assertEquals(50 * MS, rtt.varianceNs());
    assertEquals(100 * MS, rtt.minNs());
    assertEquals(100 * MS, rtt.windowedMinNs());
    assertEquals(100 * MS, rtt.latestNs());
  }

  @Test
  void firstSampleReplacesTheInitialValue() {
    rtt.onSample(8 * MS, 3 * MS, 0);
    assertTrue(rtt.isMeasured());
    assertEquals(8 * MS, rtt.smoothedNs(), "the first sample is not corrected");
    assertEquals(4 * MS, rtt.varianceNs());
    assertEquals(8 * MS, rtt.minNs());
    assertEquals(8 * MS, rtt.latestNs());
  }

  @Test
  void smoothesWithAnEighthAndAQuarter() {
    rtt.onSample(8 * MS, 0, 0);
    rtt.onSample(16 * MS, 0, 1);
    assertEquals(9 * MS, rtt.smoothedNs());
    assertEquals(5 * MS, rtt.varianceNs(), "4 + (8 - 4) / 4");
    assertEquals(8 * MS, rtt.minNs());
    assertEquals(16 * MS, rtt.latestNs());
  }

  @Test
  void takesThePeersDelayOffUnlessThatUndercutsTheMinimum() {
    rtt.onSample(8 * MS, 0, 0);
    rtt.onSample(16 * MS, 8 * MS, 1);
    assertEquals(8 * MS, rtt.smoothedNs(), "16 - 8 ms, as before");
    rtt.onSample(16 * MS, 9 * MS, 2);
    assertEquals(9 * MS, rtt.smoothedNs(), "a delay that cannot be true is not believed");
    rtt.onSample(16 * MS, -5 * MS, 3);
    assertEquals(9 * MS + 7 * MS / 8, rtt.smoothedNs());
    assertEquals(8 * MS, rtt.minNs());
  }

  @Test
  void theWindowedMinimumForgets() {
    rtt.onSample(MS, 0, 0);
    for (int i = 1; i <= 25; i++) {
      rtt.onSample(5 * MS, 0, i * 1_000L * MS);
    }
    assertEquals(MS, rtt.minNs());
    assertEquals(5 * MS, rtt.windowedMinNs());
  }

  @Test
  @Tag("R7")
  void timeoutIsSrttAndDeviationAndThePeersDelay() {
    rtt.onSample(80 * MS, 0, 0);
    assertEquals((80 + 160 + 1) * MS, rtt.timeoutNs(MS, MS));
    assertEquals((80 + 200 + 1) * MS, rtt.timeoutNs(MS, 200 * MS), "granularity is the floor");
  }

  @Test
  @Tag("R7")
  void theLessIsKnownTheLongerTheTimeout() {
    assertEquals((100 + 200) * MS, rtt.timeoutNs(0, MS), "nothing: the initial one and its half");
    rtt.seed(50_000, 0);
    assertEquals(40 * MS + 50_000, rtt.timeoutNs(0, MS), "no queue was ever seen");
    for (int i = 1; i < RttEstimator.CERTAIN_SAMPLES; i++) {
      rtt.onSample(50_000, 0, i);
      assertEquals(40 * MS + 50_000, rtt.timeoutNs(0, MS), "after " + i);
    }
    rtt.onSample(50_000, 0, RttEstimator.CERTAIN_NS);
    assertEquals(40 * MS + 50_000, rtt.timeoutNs(0, MS), "too soon");
    rtt.onSample(50_000, 0, RttEstimator.CERTAIN_NS + 1);
    assertEquals(MS + 50_000, rtt.timeoutNs(0, MS));
  }

  @Test
  void aSeedCountsUntilTheFirstSample() {
    rtt.seed(300 * MS, 0);
    assertTrue(rtt.isMeasured());
    assertEquals(300 * MS, rtt.smoothedNs());
    rtt.seed(200 * MS, 1);
    assertEquals(200 * MS, rtt.minNs(), "the last one counts");
    rtt.onSample(210 * MS, 0, 2);
    assertEquals(210 * MS, rtt.smoothedNs());
    assertEquals(210 * MS, rtt.windowedMinNs());
    rtt.seed(MS, 3);
    assertEquals(210 * MS, rtt.smoothedNs(), "what was measured is better than a guess");
  }

  @Test
  @Tag("R7")
  void onASteadyPathTheTimeoutFallsToTheGranularity() {
    for (int i = 0; i < 200; i++) {
      rtt.onSample(50_000, 0, i * MS);
    }
    assertEquals(50_000, rtt.smoothedNs());
    assertTrue(rtt.varianceNs() < 10, "variance " + rtt.varianceNs());
    assertEquals(50_000 + 300_000 + MS, rtt.timeoutNs(MS, 300_000));
  }

  @Test
  void tellsHowOldItsNewsIs() {
    assertFalse(rtt.isRecent(0), "nothing was measured");
    rtt.seed(MS, 5);
    assertTrue(rtt.isRecent(5 + RttEstimator.MIN_WINDOW_NS));
    assertFalse(rtt.isRecent(6 + RttEstimator.MIN_WINDOW_NS));
    rtt.onSample(MS, 0, 7 + RttEstimator.MIN_WINDOW_NS);
    assertTrue(rtt.isRecent(7 + 2 * RttEstimator.MIN_WINDOW_NS));
    rtt.reset(MS);
    assertFalse(rtt.isRecent(7 + RttEstimator.MIN_WINDOW_NS));
  }

  @Test
  void clampsWhatCannotBe() {
    rtt.onSample(-1, 0, 0);
    assertEquals(1, rtt.latestNs());
    rtt.onSample(Long.MAX_VALUE, 0, 1);
    assertEquals(RttEstimator.MAX_RTT_NS, rtt.latestNs());
    assertTrue(rtt.smoothedNs() > 0 && rtt.varianceNs() > 0);
  }

  @Test
  void resetForgetsThePath() {
    rtt.onSample(MS, 0, 5);
    rtt.reset(100 * MS);
    assertFalse(rtt.isMeasured());
    assertEquals(100 * MS, rtt.smoothedNs());
    assertEquals(100 * MS, rtt.windowedMinNs());
  }

  @Test
  void refusesAnInitialValueOutOfRange() {
    assertThrows(IllegalArgumentException.class, () -> new RttEstimator(0));
    assertThrows(
        IllegalArgumentException.class, () -> new RttEstimator(RttEstimator.MAX_RTT_NS + 1));
  }
}

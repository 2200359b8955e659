// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo.live;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

final class GapMeterTest {
  private static final long MS = 1_000_000L;

  private final GapMeter meter = new GapMeter();

  @Test
  void longestIntervalIsTheGap() {
    for (long ms = 0; ms < 1_000; ms++) {
      meter.beat(ms * MS, false);
    }
    meter.beat(1_024 * MS, false);
    Report.Gaps gaps = meter.report(1_030 * MS, true);
    assertEquals(25, gaps.maxMs(), 0.1);
    assertEquals(25, gaps.lastMs(), 0.1);
    assertEquals(1, gaps.p99Ms(), 0.01);
    assertEquals(6, gaps.silenceMs(), 0.01);
    assertEquals(1_000, gaps.count());
    for (int i = 0; i < 5; i++) {
      gaps = meter.report(1_030 * MS, true);
    }
    assertEquals(0, gaps.lastMs(), "it was more than a second ago");
    assertEquals(25, gaps.maxMs(), 0.1);
  }

  @Test
  void pauseOnPurposeIsNoGap() {
    meter.beat(0, false);
    meter.beat(MS, false);
    meter.beat(5_000 * MS, true);
    meter.beat(5_001 * MS, false);
    assertEquals(1, meter.report(5_001 * MS, true).maxMs(), 0.01);
    meter.reset();
    assertEquals(0, meter.report(5_001 * MS, true).count());
  }

  /** A heartbeat of another thread came between the look at the clock and the report. */
  @Test
  void silenceIsNeverNegative() {
    meter.beat(5 * MS, false);
    assertEquals(0, meter.report(3 * MS, true).silenceMs());
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

final class PausesTest {
  @Test
  void longestAroundASpan() {
    Pauses pauses = new Pauses();
    pauses.add(100, 900);
    pauses.add(1_000, 1_200);
    pauses.add(1_500, 1_600);
    pauses.add(2_000, 9_000);
    assertEquals(new Pauses.Pause(1_000, 1_200), pauses.longest(1_100, 1_700));
    assertEquals(0.8, pauses.longest(800, 1_700).ms());
    assertEquals(7, pauses.longest(1_100, 2_100).ms());
    assertEquals(0, pauses.longest(1_650, 1_700).ms());
  }

  @Test
  void logsOnlyWhatIsLong() {
    PauseLog log = new PauseLog();
    log.beat(1_000_000_000L); // before the first delivery there is no pause
    log.beat(1_000_500_000L);
    log.beat(1_001_000_000L);
    log.beat(1_004_000_000L);
    log.beat(1_004_200_000L);
    List<long[]> logged = log.drain(1_004_500_000L);
    assertEquals(1, logged.size());
    assertEquals(3_000, logged.getFirst()[1] - logged.getFirst()[0]);
    assertEquals(1, log.drain(1_010_000_000L).size(), "the pause under way");
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Rounds are told apart by where the processors were. */
final class PlacementTest {
  private static final CaseKey BARE = new CaseKey(Bench.RTT, "bare", 8, 0);
  private static final CaseKey OURS = new CaseKey(Bench.RTT, "crosstie", 8, 0);
  private static final Results.Group GROUP = Results.Group.of(BARE);

  @Test
  void bothBouncesDecide() {
    assertEquals(Placement.NEAR, Placement.of(60, 199));
    assertEquals(Placement.FAR, Placement.of(200, 600));
    assertEquals(Placement.MIXED, Placement.of(60, 600));
    assertEquals(Placement.MIXED, Placement.of(600, 60));
    assertEquals(Placement.MIXED, Placement.of(600, 1e6), "that was no cache line");
    assertEquals(Placement.UNKNOWN, Placement.of(0, 0));
    assertEquals("", Placement.UNKNOWN.label());
  }

  @Test
  void bounceEnds() {
    assertTrue(Bounce.roundTripNs() >= 0);
  }

  private static Results results() {
    Results results = new Results();
    results.add(BARE, SummaryTest.between(80, 80, 100));
    results.add(OURS, SummaryTest.between(80, 80, 110));
    results.add(OURS, SummaryTest.between(80, 80, 130));
    results.add(OURS, SummaryTest.between(80, 80, 112));
    results.add(BARE, SummaryTest.between(400, 400, 400));
    results.add(OURS, SummaryTest.between(400, 80, 999));
    return results;
  }

  @Test
  void mediansAndRatiosAreOfOnePlacement() {
    Results results = results();
    Results near = results.byPlacement().get(Placement.NEAR);
    assertEquals(112, near.find(GROUP, "crosstie").orElseThrow().figure().median());
    assertEquals(3, near.find(GROUP, "crosstie").orElseThrow().rounds());
    assertEquals(Optional.of(1.12), near.ratio(GROUP, "crosstie", "bare"));
    Results far = results.byPlacement().get(Placement.FAR);
    assertEquals(Optional.empty(), far.ratio(GROUP, "crosstie", "bare"));
    assertEquals(
        List.of(Placement.NEAR, Placement.MIXED),
        results.summaries().stream()
            .filter(summary -> summary.key().equals(OURS))
            .map(Summary::placement)
            .toList());
  }

  @Test
  void oneMissingPlacementIsLacking() {
    Results results = results();
    assertTrue(results.lacksRounds(OURS, 1), "none far");
    assertFalse(results.lacksRounds(BARE, 1), "mixed does not count");
    assertTrue(results.lacksRounds(BARE, 2));
    assertFalse(results.lacksRounds(new CaseKey(Bench.RTT, "aeron", 8, 0), 1), "it only fails");
  }

  @Test
  void onePlacementNeedsNoWord() {
    Results results = new Results();
    results.add(BARE, SummaryTest.between(80, 80, 100));
    results.add(new CaseKey(Bench.IDLE, "bare", 8, 0), SummaryTest.roundTrips(100));
    assertEquals("", results.suffix(Placement.NEAR));
    assertEquals(" (near)", results().suffix(Placement.NEAR));
  }
}

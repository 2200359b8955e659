// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

final class PairedRowTest {
  private static final double NEAR_NS = 60;
  private static final double FAR_NS = 500;

  private static Measured stream(long bytes, double bounceNs) {
    Tally none = new Tally(0, 0, 0, 0, 0, 0, "", "");
    Tally far = new Tally(bytes, 1, 1_000_000_000, 0, 0, 0, "", "");
    return new Measured(none, far, 0, bounceNs, bounceNs);
  }

  private static Measured roundTrip(long ns) {
    Histogram histogram = Histograms.create();
    histogram.recordValue(ns);
    Tally near = new Tally(8, 1, 1_000_000_000, 0, 0, 0, Histograms.encode(histogram), "");
    return new Measured(near, near);
  }

  private static PairedRow streams(long... news) {
    PairedRow row = new PairedRow(PairRow.of("udp-stream", 0));
    for (long fresh : news) {
      double unused = row.add(stream(1_000_000_000, NEAR_NS), stream(fresh * 1_000_000, NEAR_NS));
    }
    return row;
  }

  private static PairedRow roundTrips(long... news) {
    PairedRow row = new PairedRow(PairRow.of("shm-rtt", 0));
    for (long fresh : news) {
      double unused = row.add(roundTrip(1000), roundTrip(fresh));
    }
    return row;
  }

  @Test
  void failsOnlyIfTheWholeIntervalIsWorse() {
    assertEquals(PairedRow.Verdict.PASS, streams(990, 1000, 1010, 980, 1500, 1000).verdict());
    assertEquals(PairedRow.Verdict.OPEN, streams(960, 900, 960, 950, 940, 1000).verdict());
    assertEquals(PairedRow.Verdict.FAIL, streams(960, 900, 960, 950, 940, 969).verdict());
  }

  @Test
  void ofRoundTripsMoreIsWorse() {
    assertEquals(PairedRow.Verdict.PASS, roundTrips(900, 950, 1000, 1010, 1020, 800).verdict());
    assertEquals(PairedRow.Verdict.OPEN, roundTrips(1040, 1050, 1060, 1100, 1200, 900).verdict());
    assertEquals(PairedRow.Verdict.FAIL, roundTrips(1040, 1050, 1060, 1100, 1200, 1040).verdict());
  }

  @Test
  void doesNotCountPairsOfDifferentPlacement() {
    PairedRow row = streams(1000, 1000, 1000, 1000, 1000);
    double unused = row.add(stream(1_000_000_000, NEAR_NS), stream(500_000_000, FAR_NS));
    assertEquals(5, row.pairs());
    assertEquals(1, row.incomparable());
    assertEquals(PairedRow.Verdict.VOID, row.verdict());
    assertTrue(row.line().contains("near and far in 1 pairs"), row.line());
  }

  @Test
  void aRowThatFailedIsNotMeasured() {
    PairedRow row = streams(1000, 1000, 1000, 1000, 1000, 1000);
    row.fail("it did not connect");
    assertEquals(PairedRow.Verdict.VOID, row.verdict());
    assertTrue(row.line().contains("it did not connect"), row.line());
    assertEquals("it did not connect", row.fields().get("failure"));
  }

  @Test
  void rowsHaveNames() {
    assertEquals(new PairRow(Rail.UDP, Bench.RTT, 1024), PairRow.of("udp-rtt", 1024));
    assertEquals(
        List.of("shm-rtt", "shm-rate", "shm-stream", "udp-rtt", "udp-stream"),
        PairRow.USUAL.stream().map(PairRow::name).toList());
    for (PairRow row : PairRow.USUAL) {
      assertEquals(row, PairRow.of(row.name(), 0));
      for (boolean accelerator : new boolean[] {true, false}) {
        Subject subject = Subjects.named(row.rail(), row.subject(accelerator));
        assertTrue(subject.takes(row.bench(), row.size()));
      }
    }
    assertThrows(IllegalArgumentException.class, () -> PairRow.of("udp-bidi", 0));
    assertThrows(IllegalArgumentException.class, () -> PairRow.of("udp-loss", 64));
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.benchmarks.process.RankCase.What;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RankCaseTest {
  @Test
  void aWordIsReadAsItWasWritten() {
    for (RankCase each :
        List.of(
            new RankCase(What.RTT, 8),
            new RankCase(What.UNEXPECTED, 10_000),
            new RankCase(What.BARRIER, 0),
            new RankCase(What.ALLTOALL, 4 << 20))) {
      assertEquals(each, RankCase.parse(each.word()));
    }
    assertEquals(
        "round trip beside unexpected 10,000", new RankCase(What.UNEXPECTED, 10_000).text());
    assertEquals("stream of 1 MiB", new RankCase(What.STREAM, 1 << 20).text());
  }

  @Test
  void whatCannotBeMeasuredIsRefused() {
    for (String word :
        List.of("rtt", "rtt:12", "rtt:0", "barrier:8", "posted:0", "posted:70000", "x:8")) {
      assertThrows(IllegalArgumentException.class, () -> RankCase.parse(word), word);
    }
  }

  @Test
  void figuresAreFoundAmongOtherLines() {
    RankCase trip = new RankCase(What.RTT, 8);
    RankCase stream = new RankCase(What.STREAM, 1 << 20);
    String printed = "a warning\nfigure rtt:8 412.50\nfigure stream:1048576 9e9\n";
    Map<RankCase, Double> figures = RankJobs.parse(printed, List.of(trip, stream));
    assertEquals(Map.of(trip, 412.5, stream, 9e9), figures);
    CaseException missing =
        assertThrows(
            CaseException.class,
            () -> RankJobs.parse(printed, List.of(trip, new RankCase(What.RTT, 16))));
    assertTrue(String.valueOf(missing.getMessage()).contains("round trip of 16 B"));
  }

  /** Its defaults where each rank has a processor; else it is told so. */
  @Test
  void openMpiYieldsOnlyWhereRanksShareProcessors() {
    assertEquals(
        List.of("mpirun", "--allow-run-as-root", "-n", "2"), RankJobs.mpirun(2, 2, Rail.SHM));
    assertTrue(RankJobs.mpirun(4, 2, Rail.SHM).contains("mpi_yield_when_idle"));
    assertTrue(RankJobs.mpirun(2, 2, Rail.UDP).contains("tcp,self"));
  }

  /** Who shares processors with others waits for these, and not for messages. */
  @Test
  void goalsAreNotJudgedWhereMostTurnsWereDisturbed() {
    assertTrue(RankRounds.isJudged(List.of()));
    assertTrue(RankRounds.isJudged(List.of(Placement.NEAR, Placement.MIXED)));
    assertFalse(RankRounds.isJudged(List.of(Placement.FAR, Placement.MIXED, Placement.MIXED)));
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.examples.mpi.Heat;
import io.crosstie.examples.mpi.Sort;
import io.crosstie.testkit.Facility;
import io.crosstie.testkit.process.ChildProcess;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Programs of either dialect of MPI for Java, as four processes. */
final class MpiIT {
  private static void run(String expected, String rails, Class<?> program, String... arguments) {
    List<String> options = List.of("-n", "4", "-x", "CROSSTIE_RAILS=" + rails);
    try (ChildProcess job = RunningJob.start(options, program, arguments)) {
      RunningJob.awaitEnd(0, job);
      assertEquals(expected, job.unread().strip(), () -> RunningJob.said(job));
    }
  }

  @Test
  void heatForOpenMpi() {
    run("heat with 4 ranks, 50 steps: right", "shm:", Heat.class, "60", "50");
  }

  @Test
  void sortForMpjExpress() {
    Facility.TIME.require("the second program");
    run("sort with 4 ranks, 3 steps: right", "udp://127.0.0.1:0", Sort.class, "20000", "3");
  }

  /** Kills the last rank, for which the others wait. */
  private static void killOne(ChildProcess job) {
    String line = job.read("start", RunningJob.PATIENCE);
    long victim = Long.parseLong(line.substring("process ".length()));
    assertTrue(ProcessHandle.of(victim).orElseThrow().destroyForcibly());
  }

  @ParameterizedTest
  @ValueSource(ints = {3, 6})
  void whoWaitsForAKilledRankIsTold(int ranks) {
    if (ranks > 3) {
      Facility.TIME.require("a rank that is killed, and five that wait for it, each in its way");
    }
    List<String> options = List.of("-n", "" + ranks, "--on-death", "continue");
    try (ChildProcess job = RunningJob.start(options, MpiSurvivors.class, "return")) {
      killOne(job);
      RunningJob.awaitEnd(128 + 9, job);
      TreeSet<String> due = new TreeSet<>();
      for (int rank = 0; rank < ranks - 1; rank++) {
        due.add("rank " + rank + ": ERR_PROC_FAILED, ERR_PROC_FAILED, ERR_PROC_FAILED");
      }
      assertEquals(due, new TreeSet<>(job.unread().lines().toList()), () -> RunningJob.said(job));
    }
  }

  @Test
  void aKilledRankEndsTheJobWhereErrorsAreFatal() {
    Facility.TIME.require("fatal errors");
    List<String> options = List.of("-n", "6", "--on-death", "continue");
    try (ChildProcess job = RunningJob.start(options, MpiSurvivors.class, "fatal")) {
      killOne(job);
      RunningJob.awaitEnd(128 + 9, job);
      assertEquals("", job.unread().strip(), "no rank gets beyond its error");
      for (int rank = 0; rank < 5; rank++) {
        String end = "rank " + rank + " has ended with exit status 75";
        assertTrue(RunningJob.said(job).contains(end), () -> RunningJob.said(job));
      }
    }
  }

  @Test
  void aKilledRankEndsTheJobByDefault() {
    Facility.TIME.require("the end of a job by a rank that is killed");
    try (ChildProcess job = RunningJob.start(List.of("-n", "6"), MpiSurvivors.class, "return")) {
      killOne(job);
      RunningJob.awaitEnd(128 + 9, job);
      assertTrue(
          RunningJob.said(job).contains("rank 5 was ended by signal 9; the others are ended"),
          () -> RunningJob.said(job));
    }
  }
}

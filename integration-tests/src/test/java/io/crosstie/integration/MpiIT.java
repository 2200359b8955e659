// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.crosstie.testkit.Facility;
import io.crosstie.testkit.process.ChildProcess;
import java.util.List;
import org.junit.jupiter.api.Test;

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
    run("heat with 4 ranks: right", "shm:", MpiHeat.class, "60", "50");
  }

  @Test
  void sortForMpjExpress() {
    Facility.TIME.require("the second program");
    run("sort with 4 ranks: right", "udp://127.0.0.1:0", MpiSort.class, "20000");
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.cli.Main;
import io.crosstie.testkit.process.ChildProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Programs of either dialect of MPI for Java, as four processes. */
final class MpiIT {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final List<String> QUICK = List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");

  private static void run(String expected, String rails, Class<?> program, String... arguments) {
    List<String> words = new ArrayList<>(List.of("run", "-n", "4", "--"));
    List<String> flags = new ArrayList<>(QUICK);
    flags.add("--enable-native-access=ALL-UNNAMED");
    words.addAll(ChildProcess.java(flags, program, arguments));
    ProcessBuilder builder =
        new ProcessBuilder(ChildProcess.java(QUICK, Main.class, words.toArray(new String[0])));
    builder.environment().put("CROSSTIE_RAILS", rails);
    try (ChildProcess job = ChildProcess.start("run", builder, null)) {
      assertTrue(job.awaitExit(PATIENCE), () -> "does not end: " + said(job));
      assertEquals(0, job.exitValue(), () -> said(job));
      assertEquals(expected, job.unread().strip(), () -> said(job));
    }
  }

  private static String said(ChildProcess job) {
    return job.unread() + "\n" + String.join("\n", job.lastWords(50));
  }

  @Test
  void heatForOpenMpi() {
    run("heat with 4 ranks: right", "shm:", MpiHeat.class, "60", "50");
  }

  @Test
  void sortForMpjExpress() {
    run("sort with 4 ranks: right", "udp://127.0.0.1:0", MpiSort.class, "20000");
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.testkit.Facility;
import io.crosstie.testkit.process.ChildProcess;
import io.crosstie.testkit.process.Shell;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One program, unchanged, under all launchers of Debian's packages. */
final class LaunchersIT {
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final int RANKS = 4;
  private static final List<String> FLAGS =
      List.of(
          "-XX:TieredStopAtLevel=1",
          "-XX:+UseSerialGC",
          "-Xmx128m",
          "--enable-native-access=ALL-UNNAMED");

  /**
   * Four ranks find one another and add their numbers.
   *
   * @param way that they say they have gone; a pattern
   */
  private static void run(String way, Map<String, String> environment, String... launcher) {
    List<String> words = new ArrayList<>(List.of(launcher));
    words.addAll(
        ChildProcess.java(
            FLAGS,
            System.getProperty("java.class.path"),
            RankProgram.class.getName(),
            List.of("sum")));
    ProcessBuilder builder = new ProcessBuilder(words);
    builder.environment().putAll(environment);
    builder.environment().put("CROSSTIE_JOIN_TIMEOUT", "60");
    Shell.Outcome outcome = Shell.attempt("", builder, PATIENCE);
    assertEquals(0, outcome.status(), outcome::output);
    TreeSet<String> expected = new TreeSet<>();
    for (int rank = 0; rank < RANKS; rank++) {
      expected.add("rank " + rank + " of " + RANKS + " has 10");
    }
    TreeSet<String> said = new TreeSet<>();
    outcome
        .output()
        .lines()
        .filter(line -> line.contains(" has "))
        .forEach(
            line -> {
              said.add(line.replaceAll(" by .*", ""));
              assertTrue(line.matches(".* by " + way), outcome::output);
            });
    assertEquals(expected, said, outcome::output);
    assertTrue(
        outcome.output().contains("rank 0 of 4 by "), () -> "no line of log: " + outcome.output());
  }

  @Test
  void openMpi() {
    Facility.OPEN_MPI.require("PMIx under Open MPI's mpirun");
    run(
        "PMIx [0-9.]+[a-z0-9]* of Open MPI",
        Map.of(),
        "mpirun.openmpi",
        "--allow-run-as-root",
        "--oversubscribe",
        "-n",
        "4");
  }

  @Test
  void mpich() {
    Facility.MPICH.require("PMI-1 under MPICH's mpiexec.hydra");
    run("PMI-1 \\(PMI_FD\\)", Map.of(), "mpiexec.hydra", "-n", "4");
    run("PMI-1 \\(PMI_PORT\\)", Map.of(), "mpiexec.hydra", "-pmi-port", "-n", "4");
  }

  @Test
  void slurm(@TempDir Path folder) throws Exception {
    Facility.SLURM.require("PMI-1, PMIx and variables under Slurm's srun");
    try (SlurmCluster slurm = new SlurmCluster(folder)) {
      Map<String, String> of = slurm.environment();
      run("PMI-1 \\(PMI_FD\\)", of, "srun", "--mpi=pmi2", "-n", "4");
      run("PMIx [0-9.]+[a-z0-9]* of Slurm", of, "srun", "--mpi=pmix", "-N", "2", "-n", "4");
      run("Slurm's variables", of, "srun", "--mpi=none", "-n", "4");
    }
  }
}

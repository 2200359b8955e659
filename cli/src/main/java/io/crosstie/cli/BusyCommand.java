// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.cli;

import io.crosstie.benchmarks.BusyBench;
import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code crosstie bench busy}. */
@Command(
    name = "busy",
    description = {
      "Round trips, and arrivals at a node that nobody calls, beside threads that compute.",
      "",
      "Crosstie's nodes have the settings that users have by default. Beside them, in the same"
          + " process: two threads at a blocking TCP socket, and one that blocks on a UDP socket."
          + " Takes about four minutes."
    },
    mixinStandardHelpOptions = true,
    versionProvider = Main.Version.class,
    sortOptions = false,
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {"0:measured", "2:wrong words on the command line"})
final class BusyCommand implements Callable<Integer> {
  private static final int MAX_ROUNDS = 1000;
  private static final int MAX_THREADS = 1000;
  private static final long MAX_SLICE_MS = 60_000;
  private static final long NS_PER_MS = 1_000_000;

  @Option(
      names = "--threads",
      paramLabel = "N",
      split = ",",
      description = "How many threads compute, one row each. Default: 0,2,4,12.")
  private List<Integer> threads = List.of(0, 2, 4, 12);

  @Option(names = "--rounds", paramLabel = "N", description = "Default: ${DEFAULT-VALUE}.")
  private int rounds = 5;

  @Option(
      names = "--slice",
      paramLabel = "MS",
      description = "How long each is measured in a round. Default: ${DEFAULT-VALUE}.")
  private long sliceMs = 1000;

  @Option(names = "--no-warm-up", description = "Measure at once.")
  private boolean cold;

  @Spec private CommandSpec spec = CommandSpec.create();

  private final PrintStream out;

  BusyCommand(PrintStream out) {
    this.out = out;
  }

  @Override
  public Integer call() throws IOException {
    within("--rounds", rounds, 1, MAX_ROUNDS);
    within("--slice", sliceMs, 1, MAX_SLICE_MS);
    threads.forEach(count -> within("--threads", count, 0, MAX_THREADS));
    BusyBench.run(threads, rounds, sliceMs * NS_PER_MS, !cold, out);
    return 0;
  }

  private void within(String option, long value, long least, long most) {
    if (value < least || value > most) {
      throw new ParameterException(
          spec.commandLine(), option + " " + value + " must be " + least + " to " + most);
    }
  }
}

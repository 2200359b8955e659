// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.cli;

import io.crosstie.benchmarks.ManyBench;
import java.io.PrintStream;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code crosstie bench many}. */
@Command(
    name = "many",
    description = {
      "What 10,000 channels, 1000 connections and 10,000 known peers cost beside one.",
      "",
      "One poll serves all channels of a node. All nodes are driven by one thread, so a round trip"
          + " is what both ends do for it. Takes about a minute, and 1100 open files."
    },
    mixinStandardHelpOptions = true,
    versionProvider = Main.Version.class,
    sortOptions = false,
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {"0:measured", "2:wrong words on the command line"})
final class ManyCommand implements Callable<Integer> {
  private static final int MAX_ROUNDS = 1000;

  @Option(names = "--rounds", paramLabel = "N", description = "Default: ${DEFAULT-VALUE}.")
  private int rounds = 7;

  @Spec private CommandSpec spec = CommandSpec.create();

  private final PrintStream out;

  ManyCommand(PrintStream out) {
    this.out = out;
  }

  @Override
  public Integer call() {
    if (rounds < 1 || rounds > MAX_ROUNDS) {
      throw new ParameterException(
          spec.commandLine(), "--rounds " + rounds + " must be 1 to " + MAX_ROUNDS);
    }
    ManyBench.run(rounds, out);
    return 0;
  }
}

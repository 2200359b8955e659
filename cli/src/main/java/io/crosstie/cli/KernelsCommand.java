// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.cli;

import io.crosstie.benchmarks.process.KernelSettings;
import io.crosstie.benchmarks.process.KernelsRun;
import java.io.PrintStream;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code crosstie bench kernels}. */
@Command(
    name = "kernels",
    description = {
      "Kernels after the NAS Parallel Benchmarks on ranks: what the checksum costs them, and a rail"
          + " that is cut in the middle.",
      "",
      "Each kernel runs as it usually does, without a checksum over payloads, and while the first"
          + " of two UDP rails of each rank gets no packet any more, in turn, each time in new"
          + " processes. A result that is not the published one is a failure. Ratios: usual to no"
          + " checksum, and cut to usual. Needs Linux. Run nothing else meanwhile."
    },
    mixinStandardHelpOptions = true,
    versionProvider = Main.Version.class,
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  crosstie bench kernels --class S --rounds 1",
      "  crosstie bench kernels --kernels CG,FT --ranks 2"
    },
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {"0:measured", "1:some kernel failed", "2:wrong words on the command line"})
final class KernelsCommand implements Callable<Integer> {
  @Option(
      names = "--kernels",
      paramLabel = "NAME,...",
      split = ",",
      description = "Only these of EP, IS, CG, FT and MG.")
  private List<String> kernels = List.of();

  @Option(
      names = "--class",
      paramLabel = "S|W|A",
      description = "Size of the problem. Default: ${DEFAULT-VALUE}.")
  private String problemClass = "W";

  @Option(
      names = {"-n", "--ranks"},
      paramLabel = "N",
      description = "A power of two. Default: ${DEFAULT-VALUE}.")
  private int ranks = 4;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description = "Rounds, in which the three take turns. Default: ${DEFAULT-VALUE}.")
  private int rounds = 3;

  @Spec private CommandSpec spec = CommandSpec.create();

  private final PrintStream out;

  KernelsCommand(PrintStream out) {
    this.out = out;
  }

  @Override
  public Integer call() {
    try {
      return KernelsRun.run(new KernelSettings(kernels, problemClass, ranks, rounds), out);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }
}

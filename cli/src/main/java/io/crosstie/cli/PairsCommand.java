// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.cli;

import io.crosstie.benchmarks.process.PairRow;
import io.crosstie.benchmarks.process.PairsRun;
import io.crosstie.benchmarks.process.PairsSettings;
import io.crosstie.demo.ByteSize;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code crosstie bench pairs}. */
@Command(
    name = "pairs",
    description = {
      "Compares this build with an older one by pairs of runs in fresh JVMs.",
      "",
      "Each run has two new processes and counts once both have compiled; of a pair, one run is of"
          + " the old library and one of the new, by turns the old or the new one first. The loops"
          + " that measure are those of this build in both, unless --own-loops is given. Prints for"
          + " each row the median of the pairs' ratios new/old and its 95 %% confidence interval by"
          + " order statistics."
    },
    mixinStandardHelpOptions = true,
    versionProvider = Main.Version.class,
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  crosstie bench pairs --against ../old/cli/target/quick/lib",
      "  crosstie bench pairs --against ../old/cli/target/quick/lib --only shm-rtt,udp-rtt:1KiB"
          + " --pairs 20",
      "  crosstie bench pairs --against cli/target/quick/lib --no-accelerator   what it gives"
    },
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:no row is worse beyond doubt",
      "1:in some row the whole interval is more than 3 %% worse, or a run failed",
      "2:wrong words on the command line"
    })
final class PairsCommand implements Callable<Integer> {
  @Option(
      names = "--against",
      paramLabel = "FOLDER",
      required = true,
      description =
          "The jars of the older build and of what it needs; \"./crosstie version\" in its source"
              + " tree leaves them in cli/target/quick/lib.")
  private @Nullable Path against;

  @Option(
      names = "--pairs",
      paramLabel = "N",
      description = "For each row, at least 6. Default: ${DEFAULT-VALUE}; some 2 minutes each.")
  private int pairs = PairsSettings.USUAL_PAIRS;

  @Option(
      names = "--only",
      paramLabel = "ROW,...",
      split = ",",
      description =
          "Only these. Default: shm-rtt (8 B), shm-rate (32 B), shm-stream (1 MiB), udp-rtt (8 B),"
              + " udp-stream (1 MiB). Any of rtt, rate, stream, bidi and send with a size, as in"
              + " udp-rtt:1KiB.")
  private List<String> only = new ArrayList<>();

  @Option(
      names = "--wait-quiet",
      paramLabel = "SECONDS",
      description =
          "Wait so long, in all, for other programs to leave the machine alone, and measure again"
              + " what they disturbed. Default: not at all.")
  private int waitQuiet;

  @Option(
      names = "--own-loops",
      description =
          "Measure the older build by its own benchmarks: for one whose public API is another.")
  private boolean ownLoops;

  @Option(
      names = "--no-accelerator",
      description =
          "Measure this build by Java alone. Against itself that shows what the accelerator gives.")
  private boolean noAccelerator;

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Write the results there too, one JSON object a line, with all values.")
  private @Nullable Path json;

  @Spec private CommandSpec spec = CommandSpec.create();

  private final PrintStream out;

  PairsCommand(PrintStream out) {
    this.out = out;
  }

  @Override
  public Integer call() throws IOException {
    try {
      return PairsRun.run(settings(), out);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }

  /**
   * What was asked for, checked.
   *
   * @throws IllegalArgumentException if it makes no sense
   */
  private PairsSettings settings() {
    Path folder = against;
    if (folder == null) {
      throw new IllegalArgumentException("--against needs a folder");
    }
    if (waitQuiet < 0) {
      throw new IllegalArgumentException("--wait-quiet " + waitQuiet + " is negative");
    }
    return new PairsSettings(
        folder,
        pairs,
        only.stream().map(PairsCommand::row).toList(),
        TimeUnit.SECONDS.toNanos(waitQuiet),
        ownLoops,
        !noAccelerator,
        json);
  }

  private static PairRow row(String text) {
    int colon = text.indexOf(':');
    return colon < 0
        ? PairRow.of(text, 0)
        : PairRow.of(text.substring(0, colon), ByteSize.parse(text.substring(colon + 1)));
  }
}

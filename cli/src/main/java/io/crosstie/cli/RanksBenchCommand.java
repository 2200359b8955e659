// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.cli;

import io.crosstie.benchmarks.process.Rail;
import io.crosstie.benchmarks.process.RankCase;
import io.crosstie.benchmarks.process.RankSettings;
import io.crosstie.benchmarks.process.RanksRun;
import io.crosstie.demo.ByteSize;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code crosstie bench ranks}. */
@Command(
    name = "ranks",
    description = {
      "Two ranks: round trips by tag, streams, and what matching costs, beside what lies below and"
          + " beside Open MPI in C.",
      "",
      "Each subject in turn is a job of two new processes: ranks of our launcher, the plain channel"
          + " (round trips) and puts with notifications (streams) between the same two processes,"
          + " and the same loops in C under mpirun, compiled by mpicc; if these are not installed,"
          + " a line says so. All use native memory and windows of 64 messages, and whoever"
          + " receives sums every word and compares.",
      "",
      "Posted and unexpected are round trips of 8 B while so many other receives are posted, or so"
          + " many other messages lie untaken, at both ends; a round trip matches twice. Figures"
          + " are medians over rounds of medians over batches of 16 round trips, or windows. Takes"
          + " about six minutes, with --quick one; run nothing else meanwhile."
    },
    mixinStandardHelpOptions = true,
    versionProvider = Main.Version.class,
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  crosstie bench ranks --quick",
      "  crosstie bench ranks --rails shm --cases rtt:8,unexpected:10000,stream:1MiB",
      "  crosstie bench ranks --idle adaptive     as programs wait by default"
    },
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {"0:measured", "1:some subject failed", "2:wrong words on the command line"})
final class RanksBenchCommand implements Callable<Integer> {
  private static final int RANKS = 2;

  @Mixin private RankBenchOptions options = new RankBenchOptions();

  @Option(
      names = "--cases",
      paramLabel = "CASE:SIZE,...",
      split = ",",
      description =
          "Only these: rtt and stream with a size in bytes, posted and unexpected with a number of"
              + " others.")
  private List<String> cases = new ArrayList<>();

  @Spec private CommandSpec spec = CommandSpec.create();

  private final PrintStream out;

  RanksBenchCommand(PrintStream out) {
    this.out = out;
  }

  @Override
  public Integer call() throws IOException {
    try {
      return RanksRun.run(settings(), out);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }

  private RankSettings settings() {
    return options.settings(
        List.of(RANKS),
        List.of(Rail.SHM, Rail.UDP),
        cases.isEmpty()
            ? RankCase.pointToPoint(options.isQuick())
            : cases.stream().map(RanksBenchCommand::parse).toList(),
        List.of());
  }

  private static RankCase parse(String text) {
    int colon = text.indexOf(':');
    if (colon < 0) {
      throw new IllegalArgumentException("--cases " + text + ": write one as rtt:8");
    }
    RankCase.What what = RankCase.What.of(text.substring(0, colon));
    if (what.isCollective()) {
      throw new IllegalArgumentException(
          "--cases " + text + ": that is for \"crosstie bench collectives\"");
    }
    return new RankCase(what, ByteSize.parse(text.substring(colon + 1)));
  }
}

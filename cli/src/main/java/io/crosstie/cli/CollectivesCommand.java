// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.cli;

import io.crosstie.benchmarks.process.CollectivesRun;
import io.crosstie.benchmarks.process.Rail;
import io.crosstie.benchmarks.process.RankCase;
import io.crosstie.benchmarks.process.RankSettings;
import io.crosstie.demo.ByteSize;
import io.crosstie.ranks.WorldConfig;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code crosstie bench collectives}. */
@Command(
    name = "collectives",
    description = {
      "Collective operations of ranks, by each of their algorithms, beside Open MPI in C.",
      "",
      "Each subject in turn is a job of new processes on this host: ranks of our launcher with the"
          + " usual algorithms and then with each of the others, and the same loops in C under"
          + " mpirun, by its defaults, or with --oversubscribe --mca mpi_yield_when_idle 1 where"
          + " there are more ranks than processors; if Open MPI is not installed, a line says so."
          + " The first result of each is looked at word by word. The root of a broadcast goes"
          + " round, so that each waits for the one before; sizes are those of one rank's part. All"
          + " ranks are on one host, so two-level, for several hosts, is not among the algorithms.",
      "",
      "Prints which algorithm is the quickest from which size on, as --algorithm and"
          + " CROSSTIE_ALGORITHM read it. Takes about an hour, with --quick twenty minutes; run"
          + " nothing else meanwhile."
    },
    mixinStandardHelpOptions = true,
    versionProvider = Main.Version.class,
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  crosstie bench collectives --quick --ranks 2",
      "  crosstie bench collectives --operations allreduce --sizes 1KiB,8KiB,64KiB,512KiB",
      "  crosstie bench collectives --algorithm allreduce@65536=ring --idle adaptive"
    },
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {"0:measured", "1:some subject failed", "2:wrong words on the command line"})
final class CollectivesCommand implements Callable<Integer> {
  @Mixin private RankBenchOptions options = new RankBenchOptions();

  @Option(
      names = {"-n", "--ranks"},
      paramLabel = "N,...",
      split = ",",
      description = "How many ranks, one table each. Default: 2,4.")
  private List<Integer> ranks = List.of(2, 4);

  @Option(
      names = "--operations",
      paramLabel = "NAME,...",
      split = ",",
      description =
          "Only these. Default: barrier,bcast,allreduce,alltoall; there is also allgather.")
  private List<String> operations = List.of("barrier", "bcast", "allreduce", "alltoall");

  @Option(
      names = "--sizes",
      paramLabel = "SIZE,...",
      split = ",",
      description = "Multiples of 8 up to 64MiB. Default: 8,4KiB,256KiB,4MiB.")
  private List<String> sizes = List.of("8", "4KiB", "256KiB", "4MiB");

  @Option(
      names = "--algorithm",
      paramLabel = "CHOICE",
      description =
          "Beside the usual ones only this choice, as \"crosstie run --algorithm\" takes it.")
  private @Nullable String algorithm;

  @Spec private CommandSpec spec = CommandSpec.create();

  private final PrintStream out;

  CollectivesCommand(PrintStream out) {
    this.out = out;
  }

  @Override
  public Integer call() throws IOException {
    try {
      return CollectivesRun.run(settings(), out);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }

  private RankSettings settings() {
    List<RankCase> cases = new ArrayList<>();
    for (String operation : operations) {
      RankCase.What what = RankCase.What.of(operation);
      if (!what.isCollective()) {
        throw new IllegalArgumentException(
            "--operations " + operation + ": that is for \"crosstie bench ranks\"");
      }
      if (what == RankCase.What.BARRIER) {
        cases.add(new RankCase(what, 0));
      } else {
        sizes.forEach(size -> cases.add(new RankCase(what, ByteSize.parse(size))));
      }
    }
    String choice = algorithm;
    if (choice != null) {
      WorldConfig unused = new WorldConfig().algorithm(choice);
    }
    return options.settings(
        ranks, List.of(Rail.SHM), cases, choice == null ? List.of() : List.of(choice));
  }
}

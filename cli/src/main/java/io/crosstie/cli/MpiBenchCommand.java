// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.cli;

import io.crosstie.benchmarks.process.MpiRun;
import io.crosstie.benchmarks.process.Rail;
import io.crosstie.benchmarks.process.RankCase;
import io.crosstie.demo.ByteSize;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code crosstie bench mpi}. */
@Command(
    name = "mpi",
    description = {
      "Programs of MPI for Java: round trips, streams, broadcast, allreduce, alltoall.",
      "",
      "Each subject in turn is a job of new processes: one program in the dialect of Open MPI's"
          + " Java bindings, with arrays and with direct buffers, and the same in that of mpiJava"
          + " and MPJ Express; the ranks below; and, where they are installed, MPJ Express itself"
          + " with the latter's very class files (Debian's libmpj-java: threads of one JVM beside"
          + " shm, its niodev over TCP beside udp), and the same loops in C under Open MPI's"
          + " mpirun, compiled by mpicc. Whoever receives sums every word and compares. Programs of"
          + " MPI wait as they do by default, whatever --idle says of ranks.",
      "",
      "Figures are medians over rounds of medians over batches. Run nothing else meanwhile."
    },
    mixinStandardHelpOptions = true,
    versionProvider = Main.Version.class,
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  crosstie bench mpi --quick",
      "  crosstie bench mpi --ranks 2,4 --rails shm --cases allreduce:8,alltoall:64KiB"
    },
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {"0:measured", "1:some subject failed", "2:wrong words on the command line"})
final class MpiBenchCommand implements Callable<Integer> {
  private static final Set<RankCase.What> KNOWN =
      Set.of(
          RankCase.What.RTT,
          RankCase.What.STREAM,
          RankCase.What.BARRIER,
          RankCase.What.BCAST,
          RankCase.What.ALLREDUCE,
          RankCase.What.ALLTOALL);

  @Mixin private RankBenchOptions options = new RankBenchOptions();

  @Option(
      names = "--ranks",
      paramLabel = "N,...",
      split = ",",
      description = "Numbers of ranks; round trips and streams are between two. Default: 2.")
  private List<Integer> ranks = new ArrayList<>();

  @Option(
      names = "--cases",
      paramLabel = "CASE:SIZE,...",
      split = ",",
      description =
          "Only these: rtt, stream, bcast, allreduce, alltoall with a size in bytes, barrier:0.")
  private List<String> cases = new ArrayList<>();

  @Spec private CommandSpec spec = CommandSpec.create();

  private final PrintStream out;

  MpiBenchCommand(PrintStream out) {
    this.out = out;
  }

  @Override
  public Integer call() throws IOException {
    try {
      return MpiRun.run(
          options.settings(
              ranks.isEmpty() ? List.of(2) : ranks,
              List.of(Rail.SHM, Rail.UDP),
              cases.isEmpty()
                  ? RankCase.ofMpi(options.isQuick())
                  : cases.stream().map(MpiBenchCommand::parse).toList(),
              List.of()),
          out);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }

  private static RankCase parse(String text) {
    int colon = text.indexOf(':');
    if (colon < 0) {
      throw new IllegalArgumentException("--cases " + text + ": write one as rtt:8");
    }
    RankCase.What what = RankCase.What.of(text.substring(0, colon));
    if (!KNOWN.contains(what)) {
      throw new IllegalArgumentException("--cases " + text + ": programs of MPI have no such case");
    }
    return new RankCase(what, ByteSize.parse(text.substring(colon + 1)));
  }
}

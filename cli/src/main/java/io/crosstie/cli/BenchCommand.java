// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code crosstie bench}. */
@Command(
    name = "bench",
    description = {"Measures Crosstie on this machine, beside its peers and the bare limits.", ""},
    mixinStandardHelpOptions = true,
    versionProvider = Main.Version.class,
    subcommands = {
      MicroBenchCommand.class,
      ProcessBenchCommand.Udp.class,
      ProcessBenchCommand.Shm.class,
      ChecksumsCommand.class,
      ManyCommand.class,
      BusyCommand.class,
      RanksBenchCommand.class,
      CollectivesCommand.class,
      KernelsCommand.class,
      MpiBenchCommand.class,
      PairsCommand.class
    },
    synopsisSubcommandLabel = "WHAT",
    footerHeading = "%nExamples:%n",
    footer = {
      "  crosstie bench micro --quick      checksums, packets and round trips within one process",
      "  crosstie bench udp --quick        two processes over loopback, ours and others",
      "  crosstie bench checksums          what each checksum leaves of the bandwidth",
      "  crosstie bench many               10,000 channels, 1000 connections, 10,000 known peers",
      "  crosstie bench busy               round trips beside threads that compute",
      "  crosstie bench ranks              tags, matching and rendezvous beside Open MPI",
      "  crosstie bench collectives        collective operations, by each algorithm",
      "  crosstie bench kernels            whole programs, and what a cut rail costs them",
      "  crosstie bench mpi                both dialects of MPI for Java, beside Open MPI in C",
      "  crosstie bench udp --help         which subjects, benches and sizes there are",
      "  crosstie bench pairs --against ../old/cli/target/quick/lib    this build beside an older"
          + " one"
    })
final class BenchCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  BenchCommand() {
    this.spec = CommandSpec.create();
  }

  @Override
  public Integer call() {
    throw new ParameterException(
        spec.commandLine(),
        "say what to measure: bench micro, udp, shm, checksums, many, busy, ranks, collectives,"
            + " kernels, mpi or pairs");
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.cli;

import io.crosstie.simulation.Plant;
import io.crosstie.simulation.Scenario;
import io.crosstie.simulation.SimMain;
import java.io.PrintStream;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code crosstie sim}. */
@Command(
    name = "sim",
    description = {
      "Simulates seeded networks around the protocol's own classes.",
      "",
      "Each seed is a network of its own, with loss, repeats, delay, corruption, dying rails and"
          + " restarts, in virtual time. Everything that must never happen is checked after every"
          + " step. A failure prints its seed, commit and trace, and replays identically.",
      ""
    },
    mixinStandardHelpOptions = true,
    versionProvider = Main.Version.class,
    sortOptions = false,
    footerHeading = "%nExamples:%n",
    footer = {
      "  crosstie sim --seeds 20000                 seeds 1 to 20000",
      "  crosstie sim --seeds 1 --from 4711 --trace all that happens in one",
      "  crosstie sim --plant no-such-fault         which faults can be planted",
    },
    exitCodeListHeading = "%nExit status:%n",
    exitCodeList = {
      "0:nothing was found",
      "1:some seed failed",
      "2:wrong words on the command line"
    })
final class SimCommand implements Callable<Integer> {
  @Option(
      names = "--seeds",
      paramLabel = "N",
      description = "How many seeds. Default: ${DEFAULT-VALUE}.")
  private long seeds = 1_000;

  @Option(
      names = "--from",
      paramLabel = "S",
      description = "The first seed. Default: ${DEFAULT-VALUE}.")
  private long from = 1;

  @Option(
      names = "--plant",
      paramLabel = "FAULT",
      description = "Put a fault into the core, which the simulation then has to find.")
  private String plant = "";

  @Option(
      names = "--memory",
      description = "Nothing but short messages over shared memory, between processes that stop.")
  private boolean memory;

  @Option(
      names = "--ranks",
      description =
          "Nothing but ranks: tags, rendezvous and collective operations among 2 to 16 nodes.")
  private boolean ranks;

  @Option(
      names = "--no-shortcuts",
      description =
          "Short messages over shared memory go the way of all others: no inline sends, no header"
              + " prediction.")
  private boolean noShortcuts;

  @Option(names = "--trace", description = "Print everything that happens.")
  private boolean trace;

  @Option(names = "--first", description = "Stop at the first seed that fails.")
  private boolean first;

  @Option(
      names = "--threads",
      paramLabel = "N",
      description = "How many seeds at a time. Default: as many as there are processors.")
  private int threads = Runtime.getRuntime().availableProcessors();

  @Spec private CommandSpec spec;

  private final PrintStream out;

  SimCommand(PrintStream out) {
    this.out = out;
    this.spec = CommandSpec.create();
  }

  @Override
  public Integer call() {
    if (seeds < 1) {
      throw new ParameterException(spec.commandLine(), "--seeds " + seeds + " is less than 1");
    }
    if (threads < 1) {
      throw new ParameterException(spec.commandLine(), "--threads " + threads + " is less than 1");
    }
    if (memory && ranks) {
      throw new ParameterException(spec.commandLine(), "--memory and --ranks exclude one another");
    }
    Scenario.Kind only = memory ? Scenario.Kind.MEMORY : ranks ? Scenario.Kind.RANKS : null;
    return SimMain.run(
        seeds,
        from,
        out,
        new SimMain.Options(planted(), only, !noShortcuts, trace, first, threads));
  }

  private Plant planted() {
    try {
      return plant.isEmpty() ? Plant.NONE : Plant.of(plant);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), "--plant: " + e.getMessage(), e);
    }
  }
}

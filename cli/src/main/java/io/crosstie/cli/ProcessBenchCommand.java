// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.cli;

import io.crosstie.benchmarks.process.Bench;
import io.crosstie.benchmarks.process.BenchRun;
import io.crosstie.benchmarks.process.BenchSettings;
import io.crosstie.benchmarks.process.Rail;
import io.crosstie.demo.ByteSize;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
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

/** {@code crosstie bench udp} and {@code crosstie bench shm}. */
abstract class ProcessBenchCommand implements Callable<Integer> {
  private static final int MAX_ROUNDS = 100;

  @Option(
      names = "--quick",
      description = "Few sizes and benches, short times, 3 rounds: minutes instead of hours.")
  private boolean quick;

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Write the results there too, one JSON object a line.")
  private @Nullable Path json;

  @Option(
      names = "--subjects",
      paramLabel = "NAME,...",
      split = ",",
      description = "Only these, in this order. Default: all that work here.")
  private List<String> subjects = new ArrayList<>();

  @Option(names = "--benches", paramLabel = "NAME,...", split = ",", description = "Only these.")
  private List<String> benches = new ArrayList<>();

  @Option(
      names = "--sizes",
      paramLabel = "SIZE,...",
      split = ",",
      description = "Message sizes, for example 8,1KiB,1MiB; multiples of 8 up to 64MiB.")
  private List<String> sizes = new ArrayList<>();

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description = "Timed rounds, in which the subjects take turns. Default: 5, with --quick 3.")
  private int rounds;

  @Option(
      names = "--balance",
      description =
          "For virtual machines whose host moves their processors about: run up to four times as"
              + " many rounds, until each subject has enough of each placement that occurs.")
  private boolean balance;

  @Option(
      names = "--wait-quiet",
      paramLabel = "SECONDS",
      description =
          "Wait so long, in all, for other programs to leave the machine alone, and measure again"
              + " what they disturbed. Default: not at all.")
  private int waitQuiet;

  @Option(
      names = "--results",
      paramLabel = "FOLDER",
      description =
          "Where results, tables and histograms are kept. Default: a new folder in bench-results.")
  private @Nullable Path folder;

  @Spec private CommandSpec spec = CommandSpec.create();

  private final Rail rail;
  private final PrintStream out;

  ProcessBenchCommand(Rail rail, PrintStream out) {
    this.rail = rail;
    this.out = out;
  }

  @Override
  public Integer call() throws IOException {
    try {
      return BenchRun.run(settings(), out);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), e.getMessage(), e);
    }
  }

  /**
   * What was asked for, checked.
   *
   * @throws IllegalArgumentException if it makes no sense
   */
  BenchSettings settings() {
    if (rounds < 0 || rounds > MAX_ROUNDS) {
      throw new IllegalArgumentException("--rounds " + rounds + " must be 1 to " + MAX_ROUNDS);
    }
    if (waitQuiet < 0) {
      throw new IllegalArgumentException("--wait-quiet " + waitQuiet + " is negative");
    }
    Path into = folder;
    if (into == null) {
      String now =
          LocalDateTime.now(ZoneId.systemDefault())
              .format(DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss"));
      into = Path.of("bench-results", rail.label() + '-' + now);
    }
    return BenchSettings.of(
        rail,
        quick,
        subjects,
        benches.stream().map(this::bench).toList(),
        sizes.stream().map(ByteSize::parse).toList(),
        rounds,
        balance,
        TimeUnit.SECONDS.toNanos(waitQuiet),
        json,
        into);
  }

  /** With or without the rail's name before it. */
  private Bench bench(String name) {
    String prefix = rail.label() + '-';
    return Bench.of(name.startsWith(prefix) ? name.substring(prefix.length()) : name);
  }

  /** {@code crosstie bench udp}. */
  @Command(
      name = "udp",
      description = {
        "Two processes over loopback UDP: Crosstie, its peers, and what bare sockets can do.",
        "",
        "Subjects take turns in rounds, each with two new processes and the same JVM flags. First"
            + " each runs once with every byte verified. Prints a table for every size, ratios to"
            + " bare, goals, and where we lose; keeps JSON lines, tables and histograms.",
        "",
        "Spinning processes need a processor each: run nothing else meanwhile. How close the"
            + " processors are is measured before and after each round; rounds are compared only"
            + " with others of the same placement, near or far."
      },
      mixinStandardHelpOptions = true,
      versionProvider = Main.Version.class,
      sortOptions = false,
      footerHeading = "%nExamples:%n",
      footer = {
        "  crosstie bench udp --quick",
        "  crosstie bench udp --subjects bare,crosstie-linux,aeron --benches rtt --sizes 8"
            + " --rounds 5",
        "  crosstie bench udp --json results.jsonl"
      },
      exitCodeListHeading = "%nExit status:%n",
      exitCodeList = {
        "0:measured",
        "1:some subject failed, or a peer did so badly that the run is void",
        "2:wrong words on the command line"
      })
  static final class Udp extends ProcessBenchCommand {
    Udp(PrintStream out) {
      super(Rail.UDP, out);
    }
  }

  /** {@code crosstie bench shm}. */
  @Command(
      name = "shm",
      description = {
        "Two processes over shared memory: Crosstie, its peers, and what a bare slot can do.",
        "",
        "Subjects take turns in rounds, each with two new processes and the same JVM flags. First"
            + " each runs once with every byte verified. Prints a table for every size, ratios to"
            + " bare, goals, and where we lose; keeps JSON lines, tables and histograms.",
        "",
        "Spinning processes need a processor each: run nothing else meanwhile. How close the"
            + " processors are is measured before and after each round; rounds are compared only"
            + " with others of the same placement, near or far."
      },
      mixinStandardHelpOptions = true,
      versionProvider = Main.Version.class,
      sortOptions = false,
      footerHeading = "%nExamples:%n",
      footer = {
        "  crosstie bench shm --quick",
        "  crosstie bench shm --subjects bare-crc,crosstie,aeron --benches rtt --sizes 8"
      },
      exitCodeListHeading = "%nExit status:%n",
      exitCodeList = {
        "0:measured",
        "1:some subject failed, or a peer did so badly that the run is void",
        "2:wrong words on the command line"
      })
  static final class Shm extends ProcessBenchCommand {
    Shm(PrintStream out) {
      super(Rail.SHM, out);
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import io.crosstie.launch.LocalJob;
import io.crosstie.launch.LocalJobOptions;
import io.crosstie.ranks.WorldConfig;
import io.crosstie.testkit.process.ChildProcess;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Runs the cases of {@code bench ranks} and {@code bench collectives} as processes of our own
 * launcher, or as the same program in C under Open MPI's, and reads what they have found.
 */
final class RankJobs {
  private static final String RAILS = "CROSSTIE_RAILS";

  /** For the start of a job, and for what each case does beside its loop. */
  private static final Duration START = Duration.ofSeconds(60);

  private static final Duration BESIDE = Duration.ofSeconds(3);

  /** So much of what a job that failed has said is told. */
  private static final int MOST_TOLD = 600;

  private final MpiProgram program = new MpiProgram("mpi-ranks");
  private final MpjExpress mpjExpress = new MpjExpress();
  private final boolean spins;
  private final long warmUpNs;
  private final long measureNs;

  /**
   * Nothing is run yet.
   *
   * @param spins whether ranks of ours spin while they wait, or wait by the defaults
   */
  RankJobs(boolean spins, long warmUpNs, long measureNs) {
    this.spins = spins;
    this.warmUpNs = warmUpNs;
    this.measureNs = measureNs;
  }

  /** Says which programs for Open MPI are not installed, null if all are. */
  static @Nullable String missing() {
    return NativePeer.missing("mpirun", "mpicc");
  }

  private Duration patience(List<RankCase> cases) {
    return START.plus(
        BESIDE
            .plusNanos(RankClock.MOST_TIMES * warmUpNs + measureNs)
            .multipliedBy(cases.size() + 1));
  }

  /**
   * By ours.
   *
   * @param by {@link RankWorker#BY_RANKS} or {@link RankWorker#BY_CHANNEL}
   * @param algorithm for collective operations, empty for the usual ones
   * @return a figure of each case
   * @throws CaseException if that fails
   */
  Map<RankCase, Double> ours(
      String by, int ranks, Rail rail, String algorithm, List<RankCase> cases) {
    List<String> arguments = new ArrayList<>(List.of(by, spins ? RankWorker.SPIN : "adaptive"));
    return program(RankWorker.class.getName(), arguments, ranks, rail, algorithm, cases);
  }

  /**
   * By any program that is a rank of ours, and takes the times and the cases after its own words.
   *
   * @param main its class, on this class path
   * @throws CaseException if that fails
   */
  Map<RankCase, Double> program(
      String main,
      List<String> first,
      int ranks,
      Rail rail,
      String algorithm,
      List<RankCase> cases) {
    List<String> arguments = new ArrayList<>(first);
    arguments.addAll(words(warmUpNs, measureNs, cases));
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    LocalJobOptions options =
        new LocalJobOptions(
            ranks,
            patience(cases),
            false,
            null,
            false,
            LocalJobOptions.Binding.NONE,
            Map.of(
                RAILS,
                rail == Rail.SHM ? "shm:" : "udp://127.0.0.1:0",
                WorldConfig.ALGORITHM,
                algorithm),
            null,
            LocalJobOptions.OnDeath.ABORT,
            ChildProcess.java(Flags.JVM, System.getProperty("java.class.path"), main, arguments));
    int status = new LocalJob(options, stream(out), stream(err)).run();
    if (status != 0) {
      throw new CaseException("status " + status + ": " + shortened(text(err)));
    }
    return parse(text(out), cases);
  }

  private static PrintStream stream(ByteArrayOutputStream bytes) {
    return new PrintStream(bytes, true, StandardCharsets.UTF_8);
  }

  private static String text(ByteArrayOutputStream bytes) {
    return bytes.toString(StandardCharsets.UTF_8);
  }

  /**
   * The first case is measured once more at the end, and that figure counts: the first time a
   * compiler may still work at what all cases have in common.
   */
  private static List<String> words(long warmUpNs, long measureNs, List<RankCase> cases) {
    List<String> words = new ArrayList<>();
    words.add(Long.toString(warmUpNs));
    words.add(Long.toString(measureNs));
    cases.forEach(each -> words.add(each.word()));
    words.add(cases.getFirst().word());
    return words;
  }

  /** How Open MPI is started: by its defaults, unless there are more ranks than processors. */
  static List<String> mpirun(int ranks, int processors, Rail rail) {
    List<String> words = new ArrayList<>(List.of("mpirun", "--allow-run-as-root"));
    if (ranks > processors) {
      words.addAll(List.of("--oversubscribe", "--mca", "mpi_yield_when_idle", "1"));
    }
    if (rail == Rail.UDP) {
      words.addAll(
          List.of(
              "--mca",
              "pml",
              "ob1",
              "--mca",
              "btl",
              "tcp,self",
              "--mca",
              "btl_tcp_if_include",
              "lo"));
    }
    words.addAll(List.of("-n", Integer.toString(ranks)));
    return words;
  }

  /**
   * By Open MPI in C: over shared memory, or over TCP by loopback where the rail is UDP.
   *
   * @throws CaseException if that fails
   */
  Map<RankCase, Double> openMpi(int ranks, Rail rail, List<RankCase> cases) {
    List<String> words = mpirun(ranks, Runtime.getRuntime().availableProcessors(), rail);
    words.add(program.path().toString());
    words.addAll(words(warmUpNs / 4, measureNs, cases)); // nothing to compile
    String printed = NativePeer.run(new ProcessBuilder(words), patience(cases).toNanos());
    return parse(printed, cases);
  }

  /**
   * By MPJ Express, with arrays.
   *
   * @throws CaseException if that fails
   */
  Map<RankCase, Double> mpjExpress(int ranks, Rail rail, List<RankCase> cases) {
    List<String> words = new ArrayList<>(List.of("array"));
    words.addAll(words(warmUpNs, measureNs, cases));
    return parse(mpjExpress.run(ranks, rail, words, patience(cases)), cases);
  }

  /** Lines {@code figure CASE VALUE} among others; the last one of a case counts. */
  static Map<RankCase, Double> parse(String printed, List<RankCase> cases) {
    Map<RankCase, Double> figures = new LinkedHashMap<>();
    for (String line : printed.lines().toList()) {
      if (line.startsWith(RankWorker.FIGURE)) {
        String[] words = line.split(" ", -1);
        Double unused = figures.put(RankCase.parse(words[1]), Double.valueOf(words[2]));
      }
    }
    for (RankCase each : cases) {
      if (!figures.containsKey(each)) {
        throw new CaseException(each.text() + " has no figure: " + shortened(printed));
      }
    }
    return figures;
  }

  private static String shortened(String text) {
    String line = text.strip().replaceAll("\\s+", " ");
    return line.length() <= MOST_TOLD ? line : line.substring(0, MOST_TOLD) + " ...";
  }
}

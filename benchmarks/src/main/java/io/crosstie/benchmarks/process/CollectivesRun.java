// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import io.crosstie.ranks.WorldConfig;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** {@code crosstie bench collectives}. */
public final class CollectivesRun {
  /** Exit status: measured. */
  public static final int DONE = 0;

  /** Exit status: some subject failed. */
  public static final int FAILED = 1;

  private static final String USUAL = "usual";

  private final RankSettings settings;
  private final PrintStream out;
  private final RankRounds rounds;

  private CollectivesRun(RankSettings settings, PrintStream out) {
    this.settings = settings;
    this.out = out;
    this.rounds = new RankRounds(settings, out);
  }

  /**
   * Runs it.
   *
   * @return exit status
   */
  public static int run(RankSettings settings, PrintStream out) throws IOException {
    return new CollectivesRun(settings, out).run();
  }

  private int run() throws IOException {
    RankJobs jobs = new RankJobs(settings.spins(), settings.warmUpNs(), settings.measureNs());
    List<RankRounds.Turn> turns = new ArrayList<>();
    turns.add(RankRounds.Turn.of(USUAL, settings.cases(), job(jobs, "")));
    if (settings.algorithms().isEmpty()) {
      for (Map<String, String> choice : choices(onOneHost(WorldConfig.algorithms()))) {
        String text =
            choice.entrySet().stream()
                .map(each -> each.getKey() + "=" + each.getValue())
                .collect(Collectors.joining(","));
        turns.add(
            new RankRounds.Turn(
                text,
                of(choice.keySet()::contains),
                of -> choice.getOrDefault(of.what().label(), USUAL),
                job(jobs, text)));
      }
    } else {
      for (String text : settings.algorithms()) {
        turns.add(RankRounds.Turn.of(text, of(text::contains), job(jobs, text)));
      }
    }
    rounds.runBesideOpenMpi(turns, jobs);
    for (int ranks : settings.ranks()) {
      settings.rails().forEach(rail -> print(ranks, rail));
    }
    rounds.save("collectives");
    return rounds.hasFailed() ? FAILED : DONE;
  }

  private static RankRounds.Job job(RankJobs jobs, String algorithm) {
    return (ranks, rail, cases) -> jobs.ours(RankWorker.BY_RANKS, ranks, rail, algorithm, cases);
  }

  private List<RankCase> of(java.util.function.Predicate<String> operations) {
    return settings.cases().stream().filter(each -> operations.test(each.what().label())).toList();
  }

  /** What there is to choose where all ranks share a host. */
  static Map<String, List<String>> onOneHost(Map<String, List<String>> algorithms) {
    Map<String, List<String>> all = new LinkedHashMap<>();
    algorithms.forEach(
        (operation, names) -> {
          List<String> some =
              names.stream().filter(name -> !name.equals(WorldConfig.TWO_LEVEL)).toList();
          if (some.size() > 1) {
            List<String> unused = all.put(operation, some);
          }
        });
    return all;
  }

  /** So many jobs that each algorithm of each operation has its turn in one. */
  static List<Map<String, String>> choices(Map<String, List<String>> algorithms) {
    List<Map<String, String>> all = new ArrayList<>();
    algorithms.forEach(
        (operation, names) -> {
          for (int i = 0; i < names.size(); i++) {
            if (i == all.size()) {
              all.add(new LinkedHashMap<>());
            }
            String unused = all.get(i).put(operation, names.get(i));
          }
        });
    return all;
  }

  private List<String> algorithms(RankCase of) {
    return settings.algorithms().isEmpty()
        ? onOneHost(WorldConfig.algorithms()).getOrDefault(of.what().label(), List.of())
        : settings.algorithms();
  }

  private void print(int ranks, Rail rail) {
    out.printf(
        Locale.ROOT,
        "%n%-24s %12s %12s %7s  %s%n",
        ranks + " ranks, " + rail.label(),
        USUAL,
        RankRounds.OPEN_MPI,
        "ratio",
        "by algorithm");
    Map<String, SortedMap<Long, Map<String, Double>>> measured = new LinkedHashMap<>();
    for (RankCase each : settings.cases()) {
      OptionalDouble usual = rounds.median(ranks, rail, each, USUAL);
      OptionalDouble mpi = rounds.median(ranks, rail, each, RankRounds.OPEN_MPI);
      List<String> by = new ArrayList<>();
      Map<String, Double> figures = new LinkedHashMap<>();
      for (String algorithm : algorithms(each)) {
        rounds
            .median(ranks, rail, each, algorithm)
            .ifPresent(
                value -> {
                  by.add(algorithm + " " + each.figure(value));
                  Double unused = figures.put(algorithm, value);
                });
      }
      if (!figures.isEmpty() && settings.algorithms().isEmpty()) {
        Map<String, Double> unused =
            measured
                .computeIfAbsent(each.what().label(), unusedToo -> new TreeMap<>())
                .put(each.size(), figures);
      }
      out.printf(
          Locale.ROOT,
          "%-24s %12s %12s %7s  %s%n",
          each.text(),
          usual.isPresent() ? each.figure(usual.getAsDouble()) : "",
          mpi.isPresent() ? each.figure(mpi.getAsDouble()) : "",
          usual.isPresent() && mpi.isPresent()
              ? String.format(Locale.ROOT, "%.2f", usual.getAsDouble() / mpi.getAsDouble())
              : "",
          String.join(", ", by));
    }
    List<String> thresholds = new ArrayList<>();
    measured.forEach((operation, sizes) -> thresholds.add(RankThresholds.of(operation, sizes)));
    if (!thresholds.isEmpty()) {
      out.println("quickest here: --algorithm " + String.join(",", thresholds));
    }
    out.flush();
  }
}

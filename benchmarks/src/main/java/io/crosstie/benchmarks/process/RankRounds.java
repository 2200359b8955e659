// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import io.crosstie.benchmarks.Environment;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.function.Function;

/** Subjects of ranks take turns, in rounds; each turn is a job of new processes. */
final class RankRounds {
  static final String OPEN_MPI = "Open MPI";

  private static final Gson GSON = new GsonBuilder().disableHtmlEscaping().create();

  /** As it is kept. */
  private record Line(
      String bench,
      int ranks,
      String rail,
      String measured,
      long size,
      String subject,
      boolean spins,
      String unit,
      double median,
      List<Double> rounds) {}

  /**
   * One that takes turns.
   *
   * @param name for people
   * @param cases that it can measure
   * @param subjectOf under what name a figure of a case is kept
   * @param job measures
   */
  record Turn(String name, List<RankCase> cases, Function<RankCase, String> subjectOf, Job job) {
    /** One whose figures are kept under its name. */
    static Turn of(String name, List<RankCase> cases, Job job) {
      return new Turn(name, cases, of -> name, job);
    }
  }

  /** Measures some cases. */
  @FunctionalInterface
  interface Job {
    Map<RankCase, Double> run(int ranks, Rail rail, List<RankCase> cases);
  }

  private final RankSettings settings;
  private final PrintStream out;
  private final RankFigures figures = new RankFigures();
  private final List<String> failures = new ArrayList<>();
  private final List<Placement> placements = new ArrayList<>();

  RankRounds(RankSettings settings, PrintStream out) {
    this.settings = settings;
    this.out = out;
  }

  RankFigures figures() {
    return figures;
  }

  /** The median over rounds. */
  OptionalDouble median(int ranks, Rail rail, RankCase of, String subject) {
    return figures.median(ranks, rail, of, subject);
  }

  /** Runs all rounds with Open MPI as the last one of each; where it is missing that is told. */
  void runBesideOpenMpi(List<Turn> turns, RankJobs jobs) {
    List<Turn> all = new ArrayList<>(turns);
    String missing = RankJobs.missing();
    if (missing == null) {
      all.add(Turn.of(OPEN_MPI, settings.cases(), jobs::openMpi));
    } else {
      out.println("left out: " + OPEN_MPI + ", " + missing);
    }
    run(all);
  }

  /** Runs all rounds; what cannot be measured is told, and the others go on. */
  private void run(List<Turn> turns) {
    Environment.lines(Flags.JVM).forEach(out::println);
    out.println(
        "# Ranks of ours "
            + (settings.spins() ? "spin while they wait" : "wait by the defaults")
            + "; medians of "
            + settings.rounds()
            + " rounds, new processes in each");
    out.flush();
    Bounce.warmUp();
    for (int round = 1; round <= settings.rounds(); round++) {
      for (int ranks : settings.ranks()) {
        for (Rail rail : settings.rails()) {
          for (Turn turn : turns) {
            run(round, ranks, rail, turn);
          }
        }
      }
    }
  }

  private void run(int round, int ranks, Rail rail, Turn turn) {
    String what =
        String.format(
            Locale.ROOT,
            "round %d/%d  %d ranks  %s  %s",
            round,
            settings.rounds(),
            ranks,
            rail.label(),
            turn.name());
    if (turn.cases().isEmpty()) {
      return;
    }
    double beforeNs = Bounce.roundTripNs();
    try {
      turn.job()
          .run(ranks, rail, turn.cases())
          .forEach(
              (of, value) ->
                  figures.add(ranks, rail, turn.subjectOf().apply(of), Map.of(of, value)));
      Placement placement = Placement.of(beforeNs, Bounce.roundTripNs());
      placements.add(placement);
      out.println(what + "  " + placement.label());
    } catch (CaseException e) {
      failures.add(what + ": " + e.getMessage());
      out.println("FAILED  " + failures.getLast());
    }
    out.flush();
  }

  /** Whether goals may be judged: not where most turns were mixed. */
  boolean isJudged() {
    return isJudged(placements);
  }

  static boolean isJudged(List<Placement> placements) {
    return 2 * placements.stream().filter(Placement::isJudged).count() >= placements.size();
  }

  /** Which figures came to nothing. */
  boolean hasFailed() {
    return !failures.isEmpty();
  }

  /** One JSON object for each subject of each case, with the values of all rounds. */
  void save(String bench) throws IOException {
    Path file = settings.json();
    if (file != null) {
      List<String> lines = new ArrayList<>();
      figures
          .all()
          .forEach(
              (key, values) ->
                  lines.add(
                      GSON.toJson(
                          new Line(
                              bench,
                              key.ranks(),
                              key.rail().label(),
                              key.of().what().label(),
                              key.of().size(),
                              key.subject(),
                              settings.spins(),
                              key.of().what().isStream() ? "B/s" : "ns",
                              Statistics.of(values).median(),
                              values))));
      Path unused = Files.write(file, lines);
    }
  }
}

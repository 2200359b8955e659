// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import io.crosstie.benchmarks.process.RankCase.What;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;

/**
 * {@code crosstie bench mpi}: one program in each dialect of MPI for Java, beside its like in C.
 */
public final class MpiRun {
  private static final String OURS = "io.crosstie.examples.mpi.OpenMpiBench";
  private static final String MPJ = "io.crosstie.examples.mpi.MpjBench";
  private static final String ARRAYS = "arrays";
  private static final String BUFFERS = "buffers";
  private static final String MPJ_ARRAYS = "MPJ's arrays";
  private static final String RANKS = "ranks";
  private static final String MPJ_EXPRESS = "MPJ Express";
  private static final String LINE = "%-24s %12s %12s %12s %12s %12s %12s %10s %10s%n";
  private static final double MOST_OVER_RANKS_NS = 30;
  private static final double LEAST_OF_RANKS = 0.97;
  private static final double MOST_OF_OPEN_MPI = 1.3;
  private static final double LEAST_OF_OPEN_MPI = 0.9;

  private final RankSettings settings;
  private final PrintStream out;
  private final RankRounds rounds;

  private MpiRun(RankSettings settings, PrintStream out) {
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
    return new MpiRun(settings, out).run();
  }

  private RankRounds.Turn turn(RankJobs jobs, String name, String main, String memory) {
    return RankRounds.Turn.of(
        name,
        settings.cases(),
        (ranks, rail, cases) -> jobs.program(main, List.of(memory), ranks, rail, "", cases));
  }

  private int run() throws IOException {
    RankJobs jobs = new RankJobs(settings.spins(), settings.warmUpNs(), settings.measureNs());
    List<RankRounds.Turn> turns = new ArrayList<>();
    turns.add(turn(jobs, ARRAYS, OURS, "array"));
    turns.add(turn(jobs, BUFFERS, OURS, "buffer"));
    turns.add(turn(jobs, MPJ_ARRAYS, MPJ, "array"));
    turns.add(
        RankRounds.Turn.of(
            RANKS,
            settings.cases(),
            (ranks, rail, cases) -> jobs.ours(RankWorker.BY_RANKS, ranks, rail, "", cases)));
    String missing = MpjExpress.missing();
    if (missing == null) {
      turns.add(RankRounds.Turn.of(MPJ_EXPRESS, settings.cases(), jobs::mpjExpress));
    } else {
      out.println("left out: " + MPJ_EXPRESS + ", " + missing);
    }
    rounds.runBesideOpenMpi(turns, jobs);
    for (int ranks : settings.ranks()) {
      settings.rails().forEach(rail -> print(ranks, rail));
    }
    rounds.save("mpi");
    return rounds.hasFailed() ? RanksRun.FAILED : RanksRun.DONE;
  }

  private void print(int ranks, Rail rail) {
    out.printf(
        Locale.ROOT,
        "%n" + LINE,
        ranks + (rail == Rail.SHM ? " ranks, shm" : " ranks, UDP (TCP)"),
        ARRAYS,
        BUFFERS,
        MPJ_ARRAYS,
        RANKS,
        MPJ_EXPRESS,
        RankRounds.OPEN_MPI,
        "to MPJ",
        "to MPI");
    for (RankCase each : settings.cases()) {
      out.printf(
          Locale.ROOT,
          LINE,
          each.text(),
          figure(ranks, rail, each, ARRAYS),
          figure(ranks, rail, each, BUFFERS),
          figure(ranks, rail, each, MPJ_ARRAYS),
          figure(ranks, rail, each, RANKS),
          figure(ranks, rail, each, MPJ_EXPRESS),
          figure(ranks, rail, each, RankRounds.OPEN_MPI),
          ratio(ranks, rail, each, MPJ_ARRAYS, MPJ_EXPRESS),
          ratio(ranks, rail, each, ARRAYS, RankRounds.OPEN_MPI));
    }
    if (!rounds.isJudged()) {
      out.println(
          "goals are not judged: in most turns other programs had the processors, or a host moved"
              + " them (mixed)");
    } else if (ranks == 2) {
      goals(rail);
    }
    out.flush();
  }

  private String figure(int ranks, Rail rail, RankCase of, String subject) {
    OptionalDouble value = rounds.median(ranks, rail, of, subject);
    return value.isPresent() ? of.figure(value.getAsDouble()) : "";
  }

  private String ratio(int ranks, Rail rail, RankCase of, String subject, String to) {
    OptionalDouble ours = rounds.median(ranks, rail, of, subject);
    OptionalDouble theirs = rounds.median(ranks, rail, of, to);
    return ours.isEmpty() || theirs.isEmpty() || theirs.getAsDouble() == 0
        ? ""
        : String.format(Locale.ROOT, "%.2f", ours.getAsDouble() / theirs.getAsDouble());
  }

  /** Of the round trip a message has half. */
  private void goals(Rail rail) {
    RankCase shortest = new RankCase(What.RTT, 8);
    RankCase large = new RankCase(What.STREAM, 1 << 20);
    OptionalDouble ours = rounds.median(2, rail, shortest, ARRAYS);
    OptionalDouble below = rounds.median(2, rail, shortest, RANKS);
    OptionalDouble theirs = rounds.median(2, rail, shortest, RankRounds.OPEN_MPI);
    if (ours.isPresent() && below.isPresent()) {
      double over = (ours.getAsDouble() - below.getAsDouble()) / 2;
      goal("8 B one way, ns more than ranks", over, MOST_OVER_RANKS_NS, true);
    }
    if (ours.isPresent() && theirs.isPresent() && rail == Rail.SHM) {
      double times = ours.getAsDouble() / theirs.getAsDouble();
      goal("8 B, times Open MPI's", times, MOST_OF_OPEN_MPI, true);
    }
    ours = rounds.median(2, rail, large, ARRAYS);
    below = rounds.median(2, rail, large, RANKS);
    theirs = rounds.median(2, rail, large, RankRounds.OPEN_MPI);
    if (ours.isPresent() && below.isPresent()) {
      double share = ours.getAsDouble() / below.getAsDouble();
      goal("stream of 1 MiB, of ranks'", share, LEAST_OF_RANKS, false);
    }
    if (ours.isPresent() && theirs.isPresent() && rail == Rail.SHM) {
      double share = ours.getAsDouble() / theirs.getAsDouble();
      goal("stream of 1 MiB, of Open MPI's", share, LEAST_OF_OPEN_MPI, false);
    }
  }

  private void goal(String what, double value, double bound, boolean most) {
    boolean met = most ? value <= bound : value >= bound;
    out.printf(
        Locale.ROOT,
        "goal: %s: %.2f, at %s %.2f: %s%n",
        what,
        value,
        most ? "most" : "least",
        bound,
        met ? "met" : "missed");
  }
}

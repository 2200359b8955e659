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

/** {@code crosstie bench ranks}. */
public final class RanksRun {
  /** Exit status: measured. */
  public static final int DONE = 0;

  /** Exit status: some subject failed. */
  public static final int FAILED = 1;

  private static final int RANKS = 2;
  private static final String OURS = "ranks";
  private static final String CHANNEL = "channel, put";
  private static final double MOST_OVER_CHANNEL_SHM_NS = 60;
  private static final double MOST_OVER_CHANNEL_UDP_NS = 300;
  private static final double LEAST_OF_PUT = 0.9;
  private static final double MOST_AMONG_MANY_NS = 150;
  private static final long MIB = 1 << 20;

  private final RankSettings settings;
  private final PrintStream out;
  private final RankRounds rounds;

  private RanksRun(RankSettings settings, PrintStream out) {
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
    return new RanksRun(settings, out).run();
  }

  private int run() throws IOException {
    RankJobs jobs = new RankJobs(settings.spins(), settings.warmUpNs(), settings.measureNs());
    List<RankRounds.Turn> turns = new ArrayList<>();
    turns.add(
        RankRounds.Turn.of(
            OURS,
            settings.cases(),
            (ranks, rail, cases) -> jobs.ours(RankWorker.BY_RANKS, ranks, rail, "", cases)));
    turns.add(
        RankRounds.Turn.of(
            CHANNEL,
            settings.cases().stream()
                .filter(each -> each.what() == What.RTT || each.what() == What.STREAM)
                .toList(),
            (ranks, rail, cases) -> jobs.ours(RankWorker.BY_CHANNEL, ranks, rail, "", cases)));
    rounds.runBesideOpenMpi(turns, jobs);
    settings.rails().forEach(this::print);
    rounds.save("ranks");
    return rounds.hasFailed() ? FAILED : DONE;
  }

  private OptionalDouble median(Rail rail, RankCase of, String subject) {
    return rounds.median(RANKS, rail, of, subject);
  }

  private void print(Rail rail) {
    out.printf(
        Locale.ROOT,
        "%n%-36s %12s %12s %12s %12s %10s%n",
        rail == Rail.SHM ? "shm" : "UDP by loopback (Open MPI: TCP)",
        OURS,
        CHANNEL,
        RankRounds.OPEN_MPI,
        "to channel",
        "to MPI");
    for (RankCase each : settings.cases()) {
      OptionalDouble ours = median(rail, each, OURS);
      OptionalDouble channel = median(rail, each, CHANNEL);
      OptionalDouble mpi = median(rail, each, RankRounds.OPEN_MPI);
      out.printf(
          Locale.ROOT,
          "%-36s %12s %12s %12s %12s %10s%n",
          each.text(),
          figure(each, ours),
          figure(each, channel),
          figure(each, mpi),
          ours.isEmpty() || channel.isEmpty()
              ? ""
              : each.what().isStream()
                  ? ratio(ours, channel)
                  : String.format(
                      Locale.ROOT, "%+.0f ns", ours.getAsDouble() - channel.getAsDouble()),
          ratio(ours, mpi));
    }
    if (rounds.isJudged()) {
      goals(rail);
    } else {
      out.println(
          "goals are not judged: in most turns other programs had the processors, or a host moved"
              + " them (mixed)");
    }
    out.flush();
  }

  private static String figure(RankCase of, OptionalDouble value) {
    return value.isPresent() ? of.figure(value.getAsDouble()) : "";
  }

  private static String ratio(OptionalDouble one, OptionalDouble other) {
    return one.isEmpty() || other.isEmpty() || other.getAsDouble() == 0
        ? ""
        : String.format(Locale.ROOT, "%.2f", one.getAsDouble() / other.getAsDouble());
  }

  private void goals(Rail rail) {
    RankCase shortest = new RankCase(What.RTT, 8);
    RankCase large = new RankCase(What.STREAM, MIB);
    OptionalDouble ours = median(rail, shortest, OURS);
    OptionalDouble channel = median(rail, shortest, CHANNEL);
    if (ours.isPresent() && channel.isPresent()) {
      goal(
          "round trip of 8 B, above the channel's",
          ours.getAsDouble() - channel.getAsDouble(),
          rail == Rail.SHM ? MOST_OVER_CHANNEL_SHM_NS : MOST_OVER_CHANNEL_UDP_NS);
    }
    OptionalDouble mpi = median(rail, shortest, RankRounds.OPEN_MPI);
    if (rail == Rail.SHM && ours.isPresent() && mpi.isPresent()) {
      goal("round trip of 8 B, against Open MPI's", ours.getAsDouble(), mpi.getAsDouble());
    }
    OptionalDouble stream = median(rail, large, OURS);
    OptionalDouble put = median(rail, large, CHANNEL);
    if (stream.isPresent() && put.isPresent()) {
      double share = stream.getAsDouble() / put.getAsDouble();
      out.printf(
          Locale.ROOT,
          "goal: stream of 1 MiB, of put's: %.2f, at least %.2f: %s%n",
          share,
          LEAST_OF_PUT,
          share >= LEAST_OF_PUT
              ? "met"
              : String.format(Locale.ROOT, "missed by %.0f %%", 100 * (1 - share / LEAST_OF_PUT)));
    }
    for (What what : List.of(What.POSTED, What.UNEXPECTED)) {
      OptionalDouble one = median(rail, new RankCase(what, 1), OURS);
      OptionalDouble many = median(rail, new RankCase(what, 10_000), OURS);
      if (one.isPresent() && many.isPresent()) { // two ranks match in a round trip
        goal(
            "matching among 10,000 " + what.label() + ", more than among one",
            (many.getAsDouble() - one.getAsDouble()) / 2,
            MOST_AMONG_MANY_NS);
      }
    }
  }

  private void goal(String what, double value, double most) {
    out.printf(
        Locale.ROOT,
        "goal: %s: %.0f ns, at most %.0f: %s%n",
        what,
        value,
        most,
        value <= most ? "met" : String.format(Locale.ROOT, "missed by %.0f ns", value - most));
  }
}

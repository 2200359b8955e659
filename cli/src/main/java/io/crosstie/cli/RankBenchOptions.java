// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.cli;

import io.crosstie.benchmarks.process.Rail;
import io.crosstie.benchmarks.process.RankCase;
import io.crosstie.benchmarks.process.RankSettings;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What {@code crosstie bench ranks} and {@code bench collectives} have in common. */
final class RankBenchOptions {
  private static final long NS_PER_MS = 1_000_000;
  private static final int USUAL_ROUNDS = 5;
  private static final int QUICK_ROUNDS = 3;
  private static final long USUAL_WARM_UP_MS = 600;
  private static final long USUAL_MEASURE_MS = 300;
  private static final long QUICK_MS = 200;

  /** How ranks wait. */
  enum Waiting {
    SPIN,
    ADAPTIVE
  }

  @Option(names = "--quick", description = "Short times, 3 rounds.")
  private boolean quick;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      description = "Rounds, in which the subjects take turns. Default: 5, with --quick 3.")
  private int rounds;

  @Option(
      names = "--rails",
      paramLabel = "NAME,...",
      split = ",",
      description = "shm, udp (by loopback, beside Open MPI over TCP). Default: ${DEFAULT-VALUE}.")
  private List<String> rails = new ArrayList<>();

  @Option(
      names = "--idle",
      paramLabel = "spin|adaptive",
      description =
          "How our ranks wait: they spin, as Open MPI's do, or as programs do by default. Default:"
              + " spin.")
  private Waiting waiting = Waiting.SPIN;

  @Option(
      names = "--measure",
      paramLabel = "MS",
      description =
          "How long each case is measured; it is warmed up for twice as long, and until nothing is"
              + " compiled any more, eight times as long at most. Default: 300, with --quick 200.")
  private long measureMs;

  @Option(
      names = "--json",
      paramLabel = "FILE",
      description = "Write the results there too, one JSON object a line, with all values.")
  private @Nullable Path json;

  RankBenchOptions() {}

  boolean isQuick() {
    return quick;
  }

  /**
   * What was asked for, checked.
   *
   * @throws IllegalArgumentException if it makes no sense
   */
  RankSettings settings(
      List<Integer> ranks, List<Rail> usualRails, List<RankCase> cases, List<String> algorithms) {
    if (rounds < 0) {
      throw new IllegalArgumentException("--rounds " + rounds + " is negative");
    }
    if (measureMs < 0) {
      throw new IllegalArgumentException("--measure " + measureMs + " is negative");
    }
    long usualMs = quick ? QUICK_MS : USUAL_MEASURE_MS;
    long warmUpMs = measureMs != 0 ? 2 * measureMs : quick ? 2 * QUICK_MS : USUAL_WARM_UP_MS;
    return new RankSettings(
        ranks,
        rails.isEmpty() ? usualRails : rails.stream().map(RankBenchOptions::rail).toList(),
        cases,
        algorithms,
        rounds != 0 ? rounds : quick ? QUICK_ROUNDS : USUAL_ROUNDS,
        waiting == Waiting.SPIN,
        warmUpMs * NS_PER_MS,
        (measureMs != 0 ? measureMs : usualMs) * NS_PER_MS,
        json);
  }

  private static Rail rail(String name) {
    for (Rail rail : Rail.values()) {
      if (rail.label().equals(name)) {
        return rail;
      }
    }
    throw new IllegalArgumentException(
        "--rails " + name.toLowerCase(Locale.ROOT) + ": there are shm and udp");
  }
}

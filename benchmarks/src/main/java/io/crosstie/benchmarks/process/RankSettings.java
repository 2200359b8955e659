// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What {@code bench ranks} or {@code bench collectives} is asked to do.
 *
 * @param ranks numbers of ranks, one table each
 * @param rails what carries the messages, one table each
 * @param cases what is measured
 * @param algorithms choices for collective operations, beside the usual ones
 * @param rounds in which the subjects take turns
 * @param spins whether ranks of ours spin while they wait, in place of what they do by default
 * @param warmUpNs of each case
 * @param measureNs of each case
 * @param json where results go as JSON lines
 */
public record RankSettings(
    List<Integer> ranks,
    List<Rail> rails,
    List<RankCase> cases,
    List<String> algorithms,
    int rounds,
    boolean spins,
    long warmUpNs,
    long measureNs,
    @Nullable Path json) {
  private static final int MOST_ROUNDS = 100;
  private static final int MOST_RANKS = 64;

  /**
   * Checks.
   *
   * @throws IllegalArgumentException if it makes no sense
   */
  public RankSettings {
    ranks = List.copyOf(ranks);
    rails = List.copyOf(rails);
    cases = List.copyOf(cases);
    algorithms = List.copyOf(algorithms);
    if (rounds < 1 || rounds > MOST_ROUNDS) {
      throw new IllegalArgumentException("--rounds " + rounds + " must be 1 to " + MOST_ROUNDS);
    }
    for (int each : ranks) {
      if (each < 2 || each > MOST_RANKS) {
        throw new IllegalArgumentException("--ranks " + each + " must be 2 to " + MOST_RANKS);
      }
    }
    if (json != null && !isInFolder(json)) {
      throw new IllegalArgumentException("--json " + json + ": its folder does not exist");
    }
  }

  private static boolean isInFolder(Path file) {
    Path folder = file.toAbsolutePath().getParent();
    return folder != null && Files.isDirectory(folder);
  }
}

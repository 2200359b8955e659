// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

/** What the rounds of {@code bench ranks} and {@code bench collectives} have brought. */
final class RankFigures {
  /**
   * Whose figure it is, and of what.
   *
   * @param subject what carries the messages, and by which algorithm
   */
  record Key(int ranks, Rail rail, RankCase of, String subject) {}

  private final Map<Key, List<Double>> rounds = new LinkedHashMap<>();

  void add(int ranks, Rail rail, String subject, Map<RankCase, Double> figures) {
    figures.forEach(
        (of, value) ->
            rounds
                .computeIfAbsent(new Key(ranks, rail, of, subject), unused -> new ArrayList<>())
                .add(value));
  }

  /** The median over rounds. */
  OptionalDouble median(int ranks, Rail rail, RankCase of, String subject) {
    List<Double> values = rounds.get(new Key(ranks, rail, of, subject));
    return values == null
        ? OptionalDouble.empty()
        : OptionalDouble.of(Statistics.of(values).median());
  }

  Map<Key, List<Double>> all() {
    return rounds;
  }
}

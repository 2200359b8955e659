// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/** Which algorithm of a collective operation is the quickest, from which size on. */
final class RankThresholds {
  /** Another one is taken where it is quicker by so much; less is chance. */
  private static final double LEAST_GAIN = 0.05;

  private RankThresholds() {}

  /**
   * A choice for {@code --algorithm}.
   *
   * @param operation its name
   * @param measured for each size in bytes what each algorithm took
   * @return such as {@code allreduce=doubling,allreduce@65536=ring}; empty if nothing was measured
   */
  static String of(String operation, SortedMap<Long, Map<String, Double>> measured) {
    List<String> choices = new ArrayList<>();
    @Nullable String taken = null;
    for (Map.Entry<Long, Map<String, Double>> size : measured.entrySet()) {
      String best = best(size.getValue(), taken);
      if (best != null && !best.equals(taken)) {
        choices.add(
            choices.isEmpty()
                ? operation + "=" + best
                : operation + "@" + size.getKey() + "=" + best);
        taken = best;
      }
    }
    return String.join(",", choices);
  }

  private static @Nullable String best(Map<String, Double> figures, @Nullable String taken) {
    @Nullable String best = taken;
    Double kept = taken == null ? null : figures.get(taken);
    double least = kept == null ? Double.POSITIVE_INFINITY : kept * (1 - LEAST_GAIN);
    for (Map.Entry<String, Double> each : figures.entrySet()) {
      if (each.getValue() < least) {
        least = each.getValue();
        best = each.getKey();
      }
    }
    return best;
  }
}

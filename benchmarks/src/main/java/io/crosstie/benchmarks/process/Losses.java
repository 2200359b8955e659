// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Where a peer does better than our best subject. */
final class Losses {
  private record Loss(double factor, String line) {}

  private Losses() {}

  /** One line for each, the worst first; a peer that is level with us is not listed. */
  static List<String> find(Plan plan, Results results) {
    List<Loss> losses = new ArrayList<>();
    results
        .judged()
        .forEach((placement, part) -> find(plan, part, results.suffix(placement), losses));
    return losses.stream()
        .sorted(Comparator.comparingDouble(Loss::factor).reversed())
        .map(Loss::line)
        .toList();
  }

  private static void find(Plan plan, Results results, String suffix, List<Loss> losses) {
    for (Results.Group group : results.groups()) {
      Optional<Summary> ours = best(plan, results, group, true);
      if (ours.isEmpty() || group.bench().kind() == Bench.Kind.COUNT) {
        continue;
      }
      for (Subject subject : plan.subjects()) {
        Optional<Summary> theirs =
            subject.peer() ? results.find(group, subject.name()) : Optional.empty();
        if (theirs.isPresent()) {
          double factor = worse(group.bench(), ours.get(), theirs.get());
          if (factor > 1) {
            losses.add(new Loss(factor, line(group, ours.get(), theirs.get(), factor) + suffix));
          }
        }
      }
    }
  }

  private static Optional<Summary> best(
      Plan plan, Results results, Results.Group group, boolean ours) {
    Comparator<Summary> byFigure = Comparator.comparingDouble(summary -> summary.figure().median());
    boolean lowerIsBetter = group.bench().kind() == Bench.Kind.LATENCY;
    return plan.subjects().stream()
        .filter(subject -> subject.ours() == ours)
        .flatMap(subject -> results.find(group, subject.name()).stream())
        .min(lowerIsBetter ? byFigure : byFigure.reversed());
  }

  private static double worse(Bench bench, Summary ours, Summary theirs) {
    double ratio = ours.figure().median() / theirs.figure().median();
    return bench.kind() == Bench.Kind.LATENCY ? ratio : 1 / ratio;
  }

  private static String line(Results.Group group, Summary ours, Summary theirs, double factor) {
    return String.format(
        Locale.ROOT,
        "%-9s %8s%s  %s %s, our best %s %s: %.2f times worse",
        group.bench().label(),
        Text.size(group.size()),
        group.rate() == 0 ? "" : " at " + group.rate() + "/s",
        theirs.key().subject(),
        Text.figure(theirs),
        ours.key().subject(),
        Text.figure(ours),
        factor);
  }
}

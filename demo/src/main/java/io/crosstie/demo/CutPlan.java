// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One cut: the rails and how each is taken away.
 *
 * @param rails kinds by rail name
 * @param holdMs the cut lasts at least that long
 * @param exact whether it lasts just as long; otherwise until failover was seen
 */
record CutPlan(Map<String, Step> rails, long holdMs, boolean exact) {
  /**
   * How and where a rail is cut.
   *
   * @param sender whether in the sender's process
   * @param receiver whether in the receiver's process
   */
  record Step(CutKind kind, boolean sender, boolean receiver) {}

  private static final Step CLOSED_AT_RECEIVER = new Step(CutKind.CLOSE, false, true);
  private static final Step CLOSED_AT_SENDER = new Step(CutKind.CLOSE, true, false);
  private static final Step CLOSED = new Step(CutKind.CLOSE, true, true);
  private static final Step DEAF = new Step(CutKind.BLACK_HOLE, true, true);
  private static final Step ISOLATED = new Step(CutKind.BLACK_HOLE, false, true);

  /** One rail of either kind at once, each taken away in its own way. */
  static CutPlan rehearsal(String shared, String first) {
    return new CutPlan(ordered(shared, CLOSED, first, DEAF), 1_000, false);
  }

  /** Shared memory alone, a UDP rail, both at once, and all three for two seconds. */
  static List<CutPlan> all(String shared, String first, String second) {
    return List.of(
        new CutPlan(ordered(shared, CLOSED), 1_500, false),
        new CutPlan(ordered(first, DEAF), 1_500, false),
        new CutPlan(ordered(shared, ISOLATED, second, CLOSED_AT_RECEIVER), 1_500, false),
        new CutPlan(ordered(shared, CLOSED, first, CLOSED_AT_SENDER, second, DEAF), 2_000, true));
  }

  private static Map<String, Step> ordered(Object... namesAndSteps) {
    Map<String, Step> steps = new LinkedHashMap<>();
    for (int i = 0; i < namesAndSteps.length; i += 2) {
      steps.put((String) namesAndSteps[i], (Step) namesAndSteps[i + 1]);
    }
    return steps;
  }

  boolean isTotal(int rails) {
    return this.rails.size() == rails;
  }

  /** How often some process cuts some rail. */
  int cuts() {
    return rails.values().stream()
        .mapToInt(step -> (step.sender() ? 1 : 0) + (step.receiver() ? 1 : 0))
        .sum();
  }

  String name() {
    return String.join(" + ", rails.keySet());
  }
}

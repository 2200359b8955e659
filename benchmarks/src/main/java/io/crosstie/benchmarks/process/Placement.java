// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import java.util.Locale;

/**
 * How close to each other the processors were while something was measured, as told by {@link
 * Bounce}. The host of a virtual machine moves its processors about: two of them are now two
 * threads of one core, now two cores with nothing in common but the last cache, and a median over
 * both says nothing.
 */
enum Placement {
  /** They shared a core or a near cache, before and after. */
  NEAR,
  /** They did not, before and after. */
  FAR,
  /** They were moved meanwhile, or it could not be told: shown, but not judged. */
  MIXED,
  /** Nobody looked: it makes no difference, or there is only one processor. */
  UNKNOWN;

  /** There and back between threads of a core takes 60 to 130 ns, and from 350 on beyond that. */
  private static final double NEAR_NS = 200;

  /** What takes longer was not the way of a cache line, but other programs' time. */
  private static final double MOST_NS = 2_000;

  /**
   * By two round trips of a cache line.
   *
   * @param beforeNs before the measurement, 0 if nobody looked
   * @param afterNs after it, 0 if nobody looked
   */
  static Placement of(double beforeNs, double afterNs) {
    if (beforeNs <= 0 || afterNs <= 0) {
      return UNKNOWN;
    }
    if (beforeNs < NEAR_NS && afterNs < NEAR_NS) {
      return NEAR;
    }
    return Math.min(beforeNs, afterNs) >= NEAR_NS && Math.max(beforeNs, afterNs) < MOST_NS
        ? FAR
        : MIXED;
  }

  /** For people and programs; empty if it is unknown. */
  String label() {
    return this == UNKNOWN ? "" : name().toLowerCase(Locale.ROOT);
  }

  /** Whether results may be compared with others of the same placement. */
  boolean isJudged() {
    return this != MIXED;
  }
}

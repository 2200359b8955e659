// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

/**
 * What two processes are asked to measure at once.
 *
 * @param bench what
 * @param subject of what
 * @param size bytes of a message
 * @param rate messages a second in an open loop, else 0
 * @param verifies whether every message is another and every word is compared; such a run is not a
 *     measurement
 * @param warmUpNs run before, at least, and not counted
 * @param measureNs counted
 * @param messages how many are counted, where that and not the time ends it; else 0
 */
record CaseSpec(
    Bench bench,
    String subject,
    int size,
    long rate,
    boolean verifies,
    long warmUpNs,
    long measureNs,
    long messages) {
  /** Whether each message is another and every word is compared: in a loss, in timed runs too. */
  boolean comparesBytes() {
    return verifies || bench == Bench.LOSS;
  }

  /** Whether the way of a cache line decides its figures. */
  boolean dependsOnPlacement() {
    return !verifies && bench.kind() != Bench.Kind.COUNT;
  }

  /** What it is of, apart from the subject and the round. */
  String key() {
    return rate == 0 ? Integer.toString(size) : size + "@" + rate;
  }
}

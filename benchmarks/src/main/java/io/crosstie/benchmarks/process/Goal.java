// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * What Crosstie sets out to reach, as a ratio of two subjects of one run.
 *
 * @param bench of which bench
 * @param size of which size
 * @param subject whose figure
 * @param to divided by whose
 * @param percentile of round trips, 50 or 99; else 0
 * @param bound of the ratio
 * @param atMost whether the bound is the most, or else the least
 */
record Goal(
    Bench bench,
    int size,
    String subject,
    String to,
    double percentile,
    double bound,
    boolean atMost) {
  private static final int MIB = 1 << 20;

  private static final List<Goal> UDP =
      List.of(
          latency("crosstie-linux", "bare", 50, 1.15),
          latency("crosstie-linux", "aeron", 50, 0.98),
          latency("crosstie-linux", "aeron", 99, 1.00),
          least(Bench.STREAM, MIB, "crosstie-linux", "bare-gso-copy-crc", 0.90),
          least(Bench.STREAM, MIB, "crosstie-linux", "aeron", 10),
          least(Bench.STREAM, MIB, "crosstie-linux-64k", "bare-64k-copy-crc", 0.90),
          least(Bench.STREAM, MIB, "crosstie-linux-64k", "aeron-64k", 1.5),
          least(Bench.RATE, 32, "crosstie-linux", "aeron", 2),
          least(Bench.STREAM, MIB, "crosstie-netty", "crosstie-linux", 0.6),
          latency("crosstie-netty-block", "netty-block", 50, 1.3),
          latency("crosstie-linux-1000-peers", "crosstie-linux-1-peer", 50, 1.5),
          least(Bench.STREAM, MIB, "crosstie-linux", "crosstie-linux-nocrc", 0.95));

  private static final List<Goal> SHM =
      List.of(
          latency("crosstie", "bare-crc", 50, 1.10),
          latency("crosstie", "aeron", 50, 1.00),
          latency("crosstie", "aeron", 99, 1.00),
          latency("crosstie-udp2", "crosstie", 50, 1.10),
          least(Bench.STREAM, 32, "crosstie", "aeron", 1.5),
          least(Bench.RATE, 32, "crosstie", "aeron", 1.5),
          least(Bench.STREAM, 1 << 10, "crosstie", "aeron", 2),
          least(Bench.STREAM, MIB, "crosstie-ring", "aeron", 4),
          least(Bench.STREAM, MIB, "crosstie", "crosstie-nocrc", 0.90),
          least(Bench.STREAM, 64 << 10, "crosstie-cma", "openmpi", 0.70),
          least(Bench.STREAM, MIB, "crosstie-cma", "openmpi", 0.70));

  private static Goal latency(String subject, String to, double percentile, double most) {
    return new Goal(Bench.RTT, 8, subject, to, percentile, most, true);
  }

  private static Goal least(Bench bench, int size, String subject, String to, double least) {
    return new Goal(bench, size, subject, to, 0, least, false);
  }

  static List<Goal> of(Rail rail) {
    return rail == Rail.UDP ? UDP : SHM;
  }

  /** The ratio in these results, if both subjects were measured. */
  Optional<Double> ratio(Results results) {
    Results.Group group = new Results.Group(bench, size, 0);
    if (percentile == 0) {
      return results.ratio(group, subject, to);
    }
    Optional<Summary> of = results.find(group, subject);
    Optional<Summary> base = results.find(group, to);
    return of.isPresent() && base.isPresent()
        ? Optional.of(
            of.get().percentile(percentile).median() / base.get().percentile(percentile).median())
        : Optional.empty();
  }

  boolean isMet(double ratio) {
    return atMost ? ratio <= bound : ratio >= bound;
  }

  /** One line for each goal that these results can judge. */
  static List<String> judge(Rail rail, Results results) {
    List<String> lines = new ArrayList<>();
    for (Goal goal : of(rail)) {
      goal.ratio(results).ifPresent(ratio -> lines.add(goal.line(rail, ratio)));
    }
    return lines;
  }

  private String line(Rail rail, double ratio) {
    return String.format(
        Locale.ROOT,
        "%-6s %-12s %8s %-4s %s / %s = %.3f, goal %s %.2f",
        isMet(ratio) ? "met" : "MISSED",
        rail.label() + '-' + bench.label(),
        Text.size(size),
        percentile == 0 ? "" : "p" + Math.round(percentile),
        subject,
        to,
        ratio,
        atMost ? "<=" : ">=",
        bound);
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * What Crosstie sets out to reach, by figures of one run.
 *
 * @param bench of which bench
 * @param size of which size
 * @param subject whose figure
 * @param by how it is judged
 * @param to compared to whose; empty for nobody's
 * @param percentile of round trips, 50 or 99; else 0
 * @param bound of what comes of it
 * @param atMost whether the bound is the most, or else the least
 */
record Goal(
    Bench bench,
    int size,
    String subject,
    By by,
    String to,
    double percentile,
    double bound,
    boolean atMost) {
  /** How a figure is judged. */
  enum By {
    /** Divided by the other one's. */
    RATIO,
    /** Less the other one's. */
    EXCESS,
    /** As it is. */
    ITSELF
  }

  private static final int MIB = 1 << 20;

  /** What the checksums of a round trip may cost, in nanoseconds. */
  private static final double CHECKSUM_NS = 60;

  /** What a node that waits may cost beside a process that sleeps, in percent of a processor. */
  private static final double IDLE_PERCENT = 1;

  /** What both threads of ten million messages may allocate, in bytes. */
  private static final double ALLOCATED_BYTES = 64 << 10;

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
          least(Bench.STREAM, MIB, "crosstie-linux", "crosstie-linux-nocrc", 0.95),
          excess(Bench.RTT, "crosstie-linux", "crosstie-linux-nocrc", 50, CHECKSUM_NS),
          least(Bench.STREAM, 64 << 10, "crosstie-linux-put", "crosstie-linux-copied", 1.2),
          least(Bench.STREAM, MIB, "crosstie-linux-put", "crosstie-linux-copied", 1.2),
          least(Bench.STREAM, 64 << 10, "crosstie-linux-put", "crosstie-linux", 0.95),
          least(Bench.STREAM, MIB, "crosstie-linux-put", "crosstie-linux", 0.95),
          latency("crosstie-linux-put", "crosstie-linux", 50, 1.1),
          idle("crosstie-linux-block"),
          idle("crosstie-linux-adaptive"),
          idle("crosstie-linux-thread"),
          idle("crosstie-linux-thread-block"),
          idle("crosstie-netty-block"),
          idle("crosstie-netty-thread"),
          allocation("crosstie-linux"));

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
          least(Bench.STREAM, MIB, "crosstie-cma", "openmpi", 0.70),
          least(Bench.STREAM, 64 << 10, "crosstie-put", "crosstie-copied", 1.2),
          least(Bench.STREAM, MIB, "crosstie-put", "crosstie-copied", 1.2),
          least(Bench.STREAM, 64 << 10, "crosstie-put", "crosstie", 0.95),
          least(Bench.STREAM, MIB, "crosstie-put", "crosstie", 0.95),
          latency("crosstie-put", "crosstie", 50, 1.1),
          idle("crosstie-block"),
          idle("crosstie-adaptive"),
          allocation("crosstie"));

  private static Goal latency(String subject, String to, double percentile, double most) {
    return new Goal(Bench.RTT, 8, subject, By.RATIO, to, percentile, most, true);
  }

  private static Goal least(Bench bench, int size, String subject, String to, double least) {
    return new Goal(bench, size, subject, By.RATIO, to, 0, least, false);
  }

  private static Goal excess(
      Bench bench, String subject, String to, double percentile, double most) {
    return new Goal(bench, 8, subject, By.EXCESS, to, percentile, most, true);
  }

  private static Goal idle(String subject) {
    return excess(Bench.IDLE, subject, "bare", 0, IDLE_PERCENT);
  }

  private static Goal allocation(String subject) {
    return new Goal(Bench.ALLOC, 32, subject, By.ITSELF, "", 0, ALLOCATED_BYTES, true);
  }

  static List<Goal> of(Rail rail) {
    return rail == Rail.UDP ? UDP : SHM;
  }

  /** What these results say, if all that it takes was measured. */
  Optional<Double> value(Results results) {
    Optional<Double> own = figure(results, subject);
    if (by == By.ITSELF || own.isEmpty()) {
      return own;
    }
    return figure(results, to)
        .filter(other -> by == By.EXCESS || other != 0)
        .map(other -> by == By.RATIO ? own.get() / other : own.get() - other);
  }

  private Optional<Double> figure(Results results, String of) {
    return results
        .find(new Results.Group(bench, size, 0), of)
        .map(found -> percentile == 0 ? found.figure() : found.percentile(percentile))
        .map(Statistics::median);
  }

  boolean isMet(double value) {
    return atMost ? value <= bound : value >= bound;
  }

  /** One line for each goal that these results can judge, and each placement of the processors. */
  static List<String> judge(Rail rail, Results results) {
    List<String> lines = new ArrayList<>();
    Map<Placement, Results> judged = results.judged();
    for (Goal goal : of(rail)) {
      judged.forEach(
          (placement, part) ->
              goal.value(part)
                  .ifPresent(
                      value -> lines.add(goal.line(rail, value) + results.suffix(placement))));
    }
    return lines;
  }

  private String line(Rail rail, double value) {
    String what =
        switch (by) {
          case RATIO -> subject + " / " + to;
          case EXCESS -> subject + " - " + to;
          case ITSELF -> subject;
        };
    String relation = atMost ? "<=" : ">=";
    String figures =
        by == By.RATIO
            ? String.format(Locale.ROOT, "%.3f, goal %s %.2f", value, relation, bound)
            : String.format(
                Locale.ROOT, "%.2f, goal %s %.0f %s", value, relation, bound, bench.unit());
    return String.format(
        Locale.ROOT,
        "%-6s %-12s %8s %-4s %s = %s",
        isMet(value) ? "met" : "MISSED",
        rail.label() + '-' + bench.label(),
        Text.size(size),
        percentile == 0 ? "" : "p" + Math.round(percentile),
        what,
        figures);
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * When one case is warm, when it is over, and what its batches took. It is warm after its time and
 * once this JVM has compiled little for a while; two ranks run the same, so one of them looks.
 */
final class RankClock {
  /** A warm-up is at most so many times as long as it is meant to be. */
  static final int MOST_TIMES = 30;

  private static final int LOOKS = 4;

  /** So many in a row: what takes long to compile is counted when it is compiled. */
  private static final int QUIET_LOOKS = 8;

  private static final long QUIET_MS = 5;
  private static final @Nullable CompilationMXBean COMPILER =
      ManagementFactory.getCompilationMXBean();

  private final long warmUpNs;
  private final long measureNs;
  private final long beganNs = System.nanoTime();
  private double[] samples = new double[1 << 12];
  private int count;
  private long lookedNs = beganNs;
  private long compiledMs = compiledMs();
  private int quietLooks;
  private long warmNs;

  RankClock(long warmUpNs, long measureNs) {
    this.warmUpNs = warmUpNs;
    this.measureNs = measureNs;
  }

  private static long compiledMs() {
    return COMPILER == null || !COMPILER.isCompilationTimeMonitoringSupported()
        ? 0
        : COMPILER.getTotalCompilationTime();
  }

  /** A batch ends. */
  void add(long fromNs, long toNs, double sample) {
    if (warmNs != 0 && fromNs >= warmNs) {
      if (count == samples.length) {
        samples = Arrays.copyOf(samples, 2 * count);
      }
      samples[count++] = sample;
    } else if (warmNs == 0 && toNs - lookedNs >= warmUpNs / LOOKS) {
      long ms = compiledMs();
      quietLooks = ms - compiledMs <= QUIET_MS ? quietLooks + 1 : 0;
      long tookNs = toNs - beganNs;
      if (tookNs >= warmUpNs && (quietLooks >= QUIET_LOOKS || tookNs >= MOST_TIMES * warmUpNs)) {
        warmNs = toNs;
      }
      compiledMs = ms;
      lookedNs = toNs;
    }
  }

  /** Whether it was measured for long enough. */
  boolean isOver(long nowNs) {
    return warmNs != 0 && nowNs - warmNs >= measureNs && count > 0;
  }

  /** Of the batches since it was warm. */
  double median() {
    double[] sorted = Arrays.copyOf(samples, count);
    Arrays.sort(sorted);
    return count == 0 ? 0 : sorted[count / 2];
  }
}

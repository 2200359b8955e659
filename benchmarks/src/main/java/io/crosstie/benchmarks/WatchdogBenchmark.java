// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks;

import io.crosstie.transport.thread.Watchdog;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.NullUnmarked;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/**
 * What it costs to notice that the thread of a rail hangs: one look per duty cycle of the engine,
 * one turn per cycle of the thread, and nothing else. Their rail pays for its thread besides.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@NullUnmarked // JMH makes the instance
public class WatchdogBenchmark {
  private static final long CYCLE_NS = 300;

  private final Watchdog watchdog = new Watchdog();
  private long nowNs;

  /** A duty cycle of the engine; one in some eighty thousand is time for a look. */
  @Benchmark
  public boolean look() {
    nowNs += CYCLE_NS;
    return watchdog.hangs(nowNs);
  }

  /** A turn of the thread. */
  @Benchmark
  public void turn() {
    watchdog.turn();
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks;

import java.io.PrintStream;
import java.util.Collection;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.format.OutputFormat;

/** One line for each benchmark as it ends; what JMH says besides is left out unless asked for. */
final class LineFormat implements OutputFormat {
  private static final String ALLOCATED = "gc.alloc.rate.norm";
  private static final String SIZE = "size";
  private static final String KIND = "kind";
  private static final double NANOS_PER_SECOND = 1e9;

  private final PrintStream out;
  private final boolean verbose;

  LineFormat(PrintStream out, boolean verbose) {
    this.out = out;
    this.verbose = verbose;
  }

  @Override
  public void startRun() {
    out.printf(
        Locale.ROOT,
        "%-40s %-32s %22s %8s %10s%n",
        "Benchmark",
        "Parameters",
        "Time ± error (99.9 %)",
        "GB/s",
        "B/op");
  }

  @Override
  public void endBenchmark(@Nullable BenchmarkResult result) {
    if (result == null) {
      return;
    }
    BenchmarkParams params = result.getParams();
    Result<?> time = result.getPrimaryResult();
    StringBuilder settings = new StringBuilder();
    for (String key : params.getParamsKeys()) {
      settings.append(settings.isEmpty() ? "" : " ").append(key).append('=');
      settings.append(params.getParam(key));
    }
    double error = time.getScoreError();
    String score =
        String.format(
            Locale.ROOT,
            Double.isNaN(error) ? "%.3f%s" : "%.3f ±%.3f %s",
            Double.isNaN(error)
                ? new Object[] {time.getScore(), ' ' + time.getScoreUnit()}
                : new Object[] {time.getScore(), error, time.getScoreUnit()});
    Result<?> allocated = result.getSecondaryResults().get(ALLOCATED);
    out.printf(
        Locale.ROOT,
        "%-40s %-32s %22s %8s %10s%n",
        shortName(params.getBenchmark()),
        settings,
        score,
        rate(params, time),
        allocated == null ? "" : String.format(Locale.ROOT, "%.1f", allocated.getScore()));
    out.flush();
  }

  private static String shortName(String benchmark) {
    int method = benchmark.lastIndexOf('.');
    return benchmark.substring(benchmark.lastIndexOf('.', method - 1) + 1);
  }

  /** Of those that touch every byte just once or twice; for the others it would say nothing. */
  private static String rate(BenchmarkParams params, Result<?> time) {
    String size = params.getParam(SIZE);
    if (size == null || params.getParam(KIND) == null || time.getScore() <= 0) {
      return "";
    }
    double seconds = time.getScore() * params.getTimeUnit().toNanos(1) / NANOS_PER_SECOND;
    return String.format(Locale.ROOT, "%.2f", Double.parseDouble(size) / seconds / 1e9);
  }

  @Override
  public void println(String line) {
    if (verbose) {
      out.println(line);
    }
  }

  @Override
  public void print(String text) {
    if (verbose) {
      out.print(text);
    }
  }

  @Override
  public void verbosePrintln(String line) {
    println(line);
  }

  @Override
  public void write(int value) {
    if (verbose) {
      out.write(value);
    }
  }

  @Override
  public void write(byte[] bytes) {
    if (verbose) {
      out.write(bytes, 0, bytes.length);
    }
  }

  @Override
  public void flush() {
    out.flush();
  }

  @Override
  public void iteration(BenchmarkParams params, IterationParams iteration, int number) {}

  @Override
  public void iterationResult(
      BenchmarkParams params, IterationParams iteration, int number, IterationResult result) {}

  @Override
  public void startBenchmark(BenchmarkParams params) {}

  @Override
  public void endRun(Collection<RunResult> results) {}

  @Override
  public void close() {}
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import java.util.Locale;

/** Numbers for people. */
final class Text {
  private static final String[] SIZE_UNITS = {"B", "KiB", "MiB", "GiB"};

  private Text() {}

  /** A summary's figure with its unit. */
  static String figure(Summary summary) {
    return value(summary.key().bench(), summary.figure().median());
  }

  /** A figure of a bench with its unit. */
  static String value(Bench bench, double value) {
    return switch (bench.kind()) {
      case LATENCY -> nanos(value);
      case BANDWIDTH -> String.format(Locale.ROOT, "%.0f MB/s", value);
      case RATE -> String.format(Locale.ROOT, "%.3f M/s", value / 1e6);
      case COUNT -> String.format(Locale.ROOT, "%.2f ", value) + bench.unit();
    };
  }

  static String nanos(double value) {
    if (value < 10_000) {
      return String.format(Locale.ROOT, "%.0f ns", value);
    }
    return value < 10_000_000
        ? String.format(Locale.ROOT, "%.1f us", value / 1e3)
        : String.format(Locale.ROOT, "%.1f ms", value / 1e6);
  }

  static String size(long bytes) {
    int unit = 0;
    long value = bytes;
    while (value >= 1024 && value % 1024 == 0 && unit < SIZE_UNITS.length - 1) {
      value /= 1024;
      unit++;
    }
    return value + " " + SIZE_UNITS[unit];
  }
}

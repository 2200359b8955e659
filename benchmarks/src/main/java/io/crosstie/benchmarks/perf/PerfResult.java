// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.perf;

import java.util.LinkedHashMap;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * What one test has brought.
 *
 * @param test which
 * @param size bytes of a message
 * @param messages that were timed
 * @param elapsedNs in how many nanoseconds
 * @param histogram of round trips in nanoseconds, null for streams
 */
record PerfResult(
    PerfTest test, int size, long messages, long elapsedNs, @Nullable Histogram histogram) {
  double megabytesPerSecond() {
    return messages * (double) size * 1e3 / elapsedNs;
  }

  double messagesPerSecond() {
    return messages * 1e9 / elapsedNs;
  }

  /** What the machine-readable line says. */
  Map<String, Object> fields() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("bench", "perf-" + test.label());
    fields.put("size", size);
    Histogram values = histogram;
    if (values == null) {
      fields.put("unit", "MB/s");
      fields.put("mean", Math.round(megabytesPerSecond() * 100) / 100.0);
    } else {
      fields.put("unit", "ns");
      fields.put("p50", values.getValueAtPercentile(50));
      fields.put("p90", values.getValueAtPercentile(90));
      fields.put("p99", values.getValueAtPercentile(99));
      fields.put("p999", values.getValueAtPercentile(99.9));
      fields.put("max", values.getMaxValue());
      fields.put("mean", Math.round(values.getMean()));
    }
    fields.put("msgsPerSecond", Math.round(messagesPerSecond()));
    fields.put("messages", messages);
    return fields;
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;

/** Histograms of nanoseconds, and as text between processes. */
final class Histograms {
  private static final long MAX_NS = 60_000_000_000L;
  private static final int DIGITS = 3;

  private Histograms() {}

  /** One that allocates nothing when it records. */
  static Histogram create() {
    return new Histogram(MAX_NS, DIGITS);
  }

  static void record(Histogram histogram, long valueNs) {
    histogram.recordValue(Math.clamp(valueNs, 0, MAX_NS));
  }

  static String encode(Histogram histogram) {
    ByteBuffer buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
    int length = histogram.encodeIntoCompressedByteBuffer(buffer);
    return Base64.getEncoder().encodeToString(java.util.Arrays.copyOf(buffer.array(), length));
  }

  static Histogram decode(String text) {
    try {
      return Histogram.decodeFromCompressedByteBuffer(
          ByteBuffer.wrap(Base64.getDecoder().decode(text)), 0);
    } catch (DataFormatException e) {
      throw new IllegalArgumentException("not a histogram: " + e.getMessage(), e);
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Messages of which every byte follows from a seed, an index and its place, so that whoever
 * receives one can check all of it and knows which it is. The first 24 bytes say seed, index and
 * length.
 */
final class Content {
  static final int LEAST_LENGTH = 24;

  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
  private static final int CHUNK = 1024;

  /** One thread's scratch memory. */
  private final long[] expected = new long[CHUNK];

  private final long[] found = new long[CHUNK];

  static long seed(MemorySegment m, long offset) {
    return m.get(LONG, offset);
  }

  static long index(MemorySegment m, long offset) {
    return m.get(LONG, offset + 8);
  }

  /** Writes message {@code index} of a source. */
  void fill(MemorySegment m, long offset, int length, long seed, long index) {
    for (long at = 0; at < length; at += CHUNK * 8L) {
      int bytes = (int) Math.min(CHUNK * 8L, length - at);
      generate(length, seed, index, at / 8);
      MemorySegment.copy(MemorySegment.ofArray(expected), 0, m, offset + at, bytes);
    }
  }

  /** What is wrong with a message, or null. */
  @Nullable String fault(MemorySegment m, long offset, long length) {
    if (length < LEAST_LENGTH) {
      return "a message of " + length + " bytes, and none was sent";
    }
    long seed = seed(m, offset);
    long index = index(m, offset);
    for (long at = 0; at < length; at += CHUNK * 8L) {
      int bytes = (int) Math.min(CHUNK * 8L, length - at);
      generate(length, seed, index, at / 8);
      MemorySegment found = MemorySegment.ofArray(this.found);
      MemorySegment.copy(m, offset + at, found, 0, bytes);
      long mismatch =
          MemorySegment.mismatch(found, 0, bytes, MemorySegment.ofArray(expected), 0, bytes);
      if (mismatch >= 0) {
        return "message " + index + " of " + length + " bytes is wrong at " + (at + mismatch);
      }
    }
    return null;
  }

  private void generate(long length, long seed, long index, long firstWord) {
    long base = seed * 0x9E3779B97F4A7C15L + index * 0xD1B54A32D192ED03L;
    for (int i = 0; i < CHUNK; i++) {
      expected[i] = mix(base + (firstWord + i) * 0x8CB92BA72F3D8DD7L);
    }
    if (firstWord == 0) {
      expected[0] = seed;
      expected[1] = index;
      expected[2] = length;
    }
  }

  private static long mix(long z) {
    long y = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    y = (y ^ (y >>> 27)) * 0x94D049BB133111EBL;
    return y ^ (y >>> 31);
  }

  /** The length of message {@code index}, between the two bounds. */
  static int length(int least, int most, long seed, long index) {
    return least + new SplittableRandom(seed ^ mix(index)).nextInt(most - least + 1);
  }
}

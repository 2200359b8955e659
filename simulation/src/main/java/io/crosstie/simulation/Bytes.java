// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.simulation;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;

/**
 * The simulator's own message contents and its own hash, which share nothing with the protocol's
 * checksums.
 */
final class Bytes {
  private static final long GOLDEN = 0x9e3779b97f4a7c15L;

  private Bytes() {}

  /** A good mixture of 64 bits. */
  static long mix(long x) {
    long z = (x ^ (x >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return z ^ (z >>> 31);
  }

  /** Fills memory with what the seed says. */
  static void fill(MemorySegment memory, long offset, long length, long seed) {
    long state = seed;
    long i = 0;
    for (; i + 8 <= length; i += 8) {
      state += GOLDEN;
      memory.set(JAVA_LONG_UNALIGNED, offset + i, mix(state));
    }
    for (; i < length; i++) {
      state += GOLDEN;
      memory.set(JAVA_BYTE, offset + i, (byte) mix(state));
    }
  }

  /** A hash of memory and its length. */
  static long hash(MemorySegment memory, long offset, long length) {
    long h = length * GOLDEN;
    long i = 0;
    for (; i + 8 <= length; i += 8) {
      h = (Long.rotateLeft(h, 23) ^ memory.get(JAVA_LONG_UNALIGNED, offset + i)) * GOLDEN;
    }
    for (; i < length; i++) {
      h = (Long.rotateLeft(h, 23) ^ memory.get(JAVA_BYTE, offset + i)) * GOLDEN;
    }
    return mix(h);
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.examples.kernels;

/**
 * The generator of all kernels: s(k+1) = 5^13 s(k) modulo 2^46, and numbers s(k) / 2^46, of which
 * the seed itself is not one. Any place of the sequence is reached in logarithmic time, so each
 * rank makes its own part of it. Not thread safe.
 *
 * <p>Source: report RNR-94-007, section 2.3. Products wrap around modulo 2^64 here, and 2^46
 * divides that, so whole numbers do what was done there by parts of floating-point numbers.
 */
final class PseudoRandom {
  /** The seed of all kernels but one. */
  static final long SEED = 314_159_265;

  private static final long MULTIPLIER = 1_220_703_125;
  private static final long MASK = (1L << 46) - 1;
  private static final double UNIT = 0x1p-46;

  private long state;

  PseudoRandom(long seed) {
    this.state = seed;
  }

  /** The next number, above 0 and below 1. */
  double next() {
    state = state * MULTIPLIER & MASK;
    return state * UNIT;
  }

  /** Leaves out so many numbers, 0 or more. */
  void skip(long count) {
    long power = MULTIPLIER;
    for (long left = count; left > 0; left >>= 1) {
      if ((left & 1) != 0) {
        state = state * power & MASK;
      }
      power = power * power & MASK;
    }
  }
}

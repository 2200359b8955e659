// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks.p2p;

import java.util.BitSet;

/**
 * Whole numbers from 0 on, which are added in about their order: nothing for those up to the first
 * one that is missing, about, and a bit for each one behind it.
 */
final class NumberSet {
  /** So many are taken out of the bits at once. */
  private static final int STEP = 1024;

  private BitSet bits = new BitSet();

  /** All below are in. */
  private int base;

  void add(int number) {
    if (number < base) {
      return;
    }
    bits.set(number - base);
    int full = bits.nextClearBit(0);
    if (full >= STEP) {
      bits = bits.get(full, Math.max(full, bits.length()));
      base += full;
    }
  }

  boolean contains(int number) {
    return number < base || bits.get(number - base);
  }

  /** How many bits it takes. */
  long bits() {
    return bits.size();
  }
}

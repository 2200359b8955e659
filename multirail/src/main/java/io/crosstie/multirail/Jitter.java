// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail;

import java.util.random.RandomGenerator;

/**
 * Quick chance for what need not be secret and is drawn for every packet: splitmix64 (Steele, Lea
 * and Flood, OOPSLA 2014), seeded by the endpoint's own generator.
 */
final class Jitter implements RandomGenerator {
  private long state;

  Jitter(long seed) {
    state = seed;
  }

  @Override
  public long nextLong() {
    state += 0x9e3779b97f4a7c15L;
    long z = (state ^ (state >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return z ^ (z >>> 31);
  }
}

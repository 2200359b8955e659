// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.checksum;

/** MurmurHash3_x86_32. */
final class Murmur3 extends WordChecksum {

  private final int seed;

  Murmur3() {
    this(0);
  }

  Murmur3(int seed) {
    this.seed = seed;
  }

  @Override
  public ChecksumKind kind() {
    return ChecksumKind.MURMUR;
  }

  @Override
  long initial() {
    return seed;
  }

  @Override
  long word(long state, int word) {
    int hash = Integer.rotateLeft((int) state ^ scramble(word), 13) * 5 + 0xE6546B64;
    return hash;
  }

  @Override
  long words(long state, int from, int count) {
    long next = state;
    for (int i = 0; i < count; i++) {
      next = word(next, (int) INT.get(scratch, from + i * Integer.BYTES));
    }
    return next;
  }

  @Override
  int result(long state, int partial, long length) {
    // Without a partial word, zero scrambles to zero.
    int hash = (int) state ^ scramble(partial) ^ (int) length;
    hash = (hash ^ (hash >>> 16)) * 0x85EBCA6B;
    hash = (hash ^ (hash >>> 13)) * 0xC2B2AE35;
    return hash ^ (hash >>> 16);
  }

  private static int scramble(int word) {
    return Integer.rotateLeft(word * 0xCC9E2D51, 15) * 0x1B873593;
  }
}

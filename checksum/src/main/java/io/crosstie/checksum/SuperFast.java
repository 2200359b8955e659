// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.checksum;

/** Hsieh's SuperFastHash with a given start. */
final class SuperFast extends WordChecksum {

  /** Not zero, or all ranges of zero bytes would hash to zero whatever their length. */
  private static final int DEFAULT_SEED = 0x9E3779B9;

  private final int seed;

  SuperFast() {
    this(DEFAULT_SEED);
  }

  /** Hsieh's original is the hash with the length in bytes as its seed. */
  SuperFast(int seed) {
    this.seed = seed;
  }

  @Override
  public ChecksumKind kind() {
    return ChecksumKind.SUPERFAST;
  }

  @Override
  long initial() {
    return seed;
  }

  @Override
  long word(long state, int word) {
    int hash = (int) state + (word & 0xFFFF);
    hash = (hash << 16) ^ ((word >>> 16) << 11) ^ hash;
    hash += hash >>> 11;
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
    int hash = (int) state;
    switch ((int) length & 3) {
      case 1 -> {
        hash += (byte) partial; // the original takes a char here, signed on x86
        hash ^= hash << 10;
        hash += hash >>> 1;
      }
      case 2 -> {
        hash += partial;
        hash ^= hash << 11;
        hash += hash >>> 17;
      }
      case 3 -> {
        hash += partial & 0xFFFF;
        hash ^= hash << 16;
        hash ^= (byte) (partial >>> 16) << 18;
        hash += hash >>> 11;
      }
      default -> {}
    }
    hash ^= hash << 3;
    hash += hash >>> 5;
    hash ^= hash << 4;
    hash += hash >>> 17;
    hash ^= hash << 25;
    return hash + (hash >>> 6);
  }
}

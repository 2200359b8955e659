// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.checksum;

/** 32-bit FNV-1a. */
final class Fnv1a extends BlockChecksum {

  private static final int OFFSET_BASIS = 0x811C9DC5;
  private static final int PRIME = 0x01000193;

  @Override
  public ChecksumKind kind() {
    return ChecksumKind.FNV1A;
  }

  @Override
  public long begin() {
    return OFFSET_BASIS;
  }

  @Override
  long absorb(long state, int length) {
    int hash = (int) state;
    for (int i = 0; i < length; i++) {
      hash = (hash ^ Byte.toUnsignedInt(scratch[i])) * PRIME;
    }
    return hash;
  }

  @Override
  public int finish(long state) {
    return (int) state;
  }
}

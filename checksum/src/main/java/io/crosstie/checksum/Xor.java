// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.checksum;

/** The exclusive or of the words. */
final class Xor extends WordChecksum {

  @Override
  public ChecksumKind kind() {
    return ChecksumKind.XOR;
  }

  @Override
  long initial() {
    return 0;
  }

  @Override
  long word(long state, int word) {
    return (int) state ^ word;
  }

  @Override
  long words(long state, int from, int count) {
    long result = state & 0xFFFF_FFFFL;
    byte[] block = scratch;
    int end = from + count * Integer.BYTES;
    int i = from;
    for (; i < end - Integer.BYTES; i += Long.BYTES) { // two words at once
      result ^= (long) LONG.get(block, i);
    }
    if (i < end) {
      result ^= Integer.toUnsignedLong((int) INT.get(block, i));
    }
    return result ^ (result >>> 32); // only the low half counts
  }

  @Override
  int result(long state, int partial, long length) {
    return (int) state ^ partial;
  }
}

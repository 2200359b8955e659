// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.checksum;

/** The sum modulo 2<sup>32</sup> of the words. */
final class Sum extends WordChecksum {

  @Override
  public ChecksumKind kind() {
    return ChecksumKind.SUM;
  }

  @Override
  long initial() {
    return 0;
  }

  @Override
  long word(long state, int word) {
    return state + word; // only the low half counts
  }

  @Override
  long words(long state, int from, int count) {
    long result = state & 0xFFFF_FFFFL;
    byte[] block = scratch;
    int end = from + count * Integer.BYTES;
    int i = from;
    for (; i < end - Integer.BYTES; i += Long.BYTES) { // two words at once
      long two = (long) LONG.get(block, i);
      result += two + (two >>> 32);
    }
    if (i < end) {
      result += Integer.toUnsignedLong((int) INT.get(block, i));
    }
    return result; // only the low half counts
  }

  @Override
  int result(long state, int partial, long length) {
    return (int) state + partial;
  }
}

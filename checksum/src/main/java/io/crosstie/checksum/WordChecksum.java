// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.checksum;

import java.lang.foreign.MemorySegment;

/**
 * A checksum over little-endian 32-bit words. The bytes of a word that is not complete yet, and the
 * length so far, do not fit the state beside the sums and are kept here.
 */
abstract sealed class WordChecksum extends BlockChecksum
    permits Fletcher64, Murmur3, Sum, SuperFast, Xor {

  /** The bytes of the incomplete word, the first in the lowest bits, the missing ones zero. */
  private int partial;

  /** The length of the data so far in bytes. */
  private long length;

  /** Returns the state before any data. */
  abstract long initial();

  /** Continues a computation with one word. */
  abstract long word(long state, int word);

  /** Continues a computation with words of {@link #scratch} that start at byte {@code from}. */
  abstract long words(long state, int from, int count);

  /**
   * Returns the checksum.
   *
   * @param state the state after all complete words
   * @param partial the bytes of the incomplete word, padded with zeros
   * @param length the length of all data in bytes; modulo 4 it tells how many bytes are in {@code
   *     partial}
   */
  abstract int result(long state, int partial, long length);

  @Override
  public final long begin() {
    partial = 0;
    length = 0;
    return initial();
  }

  @Override
  final long absorb(long state, int blockLength) {
    long next = state;
    int i = 0;
    int inPartial = (int) length & 3;
    length += blockLength;
    if (inPartial != 0) {
      while (i < blockLength && inPartial < Integer.BYTES) {
        partial |= Byte.toUnsignedInt(scratch[i++]) << (inPartial++ * Byte.SIZE);
      }
      if (inPartial < Integer.BYTES) {
        return next;
      }
      next = word(next, partial);
      partial = 0;
    }
    int count = (blockLength - i) >>> 2;
    next = words(next, i, count);
    i += count * Integer.BYTES;
    for (int shift = 0; i < blockLength; shift += Byte.SIZE) {
      partial |= Byte.toUnsignedInt(scratch[i++]) << shift;
    }
    return next;
  }

  @Override
  public final int finish(long state) {
    return result(state, partial, length);
  }

  @Override
  public final int compute(MemorySegment src, long offset, long length) {
    int openPartial = partial;
    long openLength = this.length;
    try {
      return super.compute(src, offset, length);
    } finally {
      partial = openPartial;
      this.length = openLength;
    }
  }

  @Override
  public final int compute(byte[] src, int offset, int length) {
    int openPartial = partial;
    long openLength = this.length;
    try {
      return super.compute(src, offset, length);
    } finally {
      partial = openPartial;
      this.length = openLength;
    }
  }

  @Override
  public final int copy(
      MemorySegment src, long srcOffset, MemorySegment dst, long dstOffset, long length) {
    int openPartial = partial;
    long openLength = this.length;
    try {
      return super.copy(src, srcOffset, dst, dstOffset, length);
    } finally {
      partial = openPartial;
      this.length = openLength;
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.link;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * What messages are made of: every 8 bytes tell which message they belong to and where they stand
 * in it, so that any piece can be judged without a header. Sizes are multiples of 8.
 */
public final class Content {
  /** Bytes of a word, of which every message has a whole number. */
  public static final int WORD = Long.BYTES;

  private static final int INDEX_BITS = 24;
  private static final long INDEX_MASK = (1L << INDEX_BITS) - 1;

  /** Spreads the bits; odd, so that it can be undone. */
  private static final long SPREAD = 0x9E37_79B9_7F4A_7C15L;

  private static final long UNSPREAD = inverse(SPREAD);

  private Content() {}

  /** Newton's iteration for the inverse modulo 2^64; each step doubles the right bits. */
  private static long inverse(long odd) {
    long x = odd;
    for (int bits = 3; bits < Long.SIZE; bits *= 2) {
      x *= 2 - odd * x;
    }
    return x;
  }

  /** The word at that place of that message. */
  static long word(long message, long index) {
    return (message << INDEX_BITS | index) * SPREAD;
  }

  /** What so many words of a message sum to, from that place on. */
  public static long sum(long message, long index, long words) {
    return (words * ((message << INDEX_BITS) + index) + words * (words - 1) / 2) * SPREAD;
  }

  /** Writes a whole message. */
  public static void fill(MemorySegment memory, long offset, long length, long message) {
    for (long at = 0; at < length; at += WORD) {
      memory.set(ValueLayout.JAVA_LONG_UNALIGNED, offset + at, word(message, at / WORD));
    }
  }

  /** Writes the first word, for the one who wants only to recognise the message. */
  public static void mark(MemorySegment memory, long offset, long message) {
    memory.set(ValueLayout.JAVA_LONG_UNALIGNED, offset, word(message, 0));
  }

  /** Which message the word there belongs to. */
  public static long messageAt(MemorySegment memory, long offset) {
    return messageOf(memory.get(ValueLayout.JAVA_LONG_UNALIGNED, offset));
  }

  /** Where in its message the word there stands, counted in words. */
  static long indexAt(MemorySegment memory, long offset) {
    return indexOf(memory.get(ValueLayout.JAVA_LONG_UNALIGNED, offset));
  }

  /** Which message a word belongs to. */
  static long messageOf(long word) {
    return (word * UNSPREAD) >>> INDEX_BITS;
  }

  /** Where in its message a word stands, counted in words. */
  static long indexOf(long word) {
    return (word * UNSPREAD) & INDEX_MASK;
  }
}

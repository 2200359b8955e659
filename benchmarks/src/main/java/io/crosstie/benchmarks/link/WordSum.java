// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.link;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The sum of all 64-bit words of a piece of memory, modulo 2^64: the cheapest way to read every
 * byte. Allocates nothing.
 *
 * <p>Each kind of memory has code of its own, in which the segment's class is known to the
 * compiler. One loop over any segment is thirty times slower as soon as a process has seen native
 * memory and arrays of two types: it is then compiled with a type check for each word.
 */
public final class WordSum {
  /** All of memory; an offset is an address. */
  private static final MemorySegment MEMORY = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

  /**
   * The compiler's vectors are quicker from some kilobytes on. Below, most words are left to what
   * it does before and after them: a kilobyte then takes ten times as long.
   */
  private static final int FEW = 1024;

  private WordSum() {}

  /**
   * Sums.
   *
   * @param words how many, each of 8 bytes in the byte order of this machine
   */
  public static long of(MemorySegment memory, long offset, int words) {
    if (memory.isNative()) {
      if (offset < 0 || offset + (long) words * Content.WORD > memory.byteSize()) {
        throw new IndexOutOfBoundsException(offset + ", " + words + " words");
      }
      return in(MEMORY, memory.address() + offset, words);
    }
    return memory.heapBase().orElse(null) instanceof byte[] array
        ? in(MemorySegment.ofArray(array), memory.address() + offset, words)
        : in(memory, offset, words);
  }

  /** Has to be inlined, so that the class of the segment is known. */
  private static long in(MemorySegment memory, long offset, int words) {
    return words <= FEW ? few(memory, offset, words) : many(memory, offset, words);
  }

  /** A plain loop, which the compiler turns into vectors and several accumulators. */
  private static long many(MemorySegment memory, long offset, int words) {
    long sum = 0;
    for (int i = 0; i < words; i++) {
      sum += word(memory, offset + (long) i * Content.WORD);
    }
    return sum;
  }

  /** Eight words at a time. */
  private static long few(MemorySegment memory, long offset, int words) {
    long a = 0;
    long b = 0;
    long c = 0;
    long d = 0;
    long at = offset;
    int left = words;
    for (; left >= 8; left -= 8) {
      a += word(memory, at) + word(memory, at + 4 * Content.WORD);
      b += word(memory, at + Content.WORD) + word(memory, at + 5 * Content.WORD);
      c += word(memory, at + 2 * Content.WORD) + word(memory, at + 6 * Content.WORD);
      d += word(memory, at + 3 * Content.WORD) + word(memory, at + 7 * Content.WORD);
      at += 8 * Content.WORD;
    }
    for (; left > 0; left--) {
      a += word(memory, at);
      at += Content.WORD;
    }
    return a + b + c + d;
  }

  private static long word(MemorySegment memory, long offset) {
    return memory.get(ValueLayout.JAVA_LONG_UNALIGNED, offset);
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.testkit.stream;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Endless rows of bytes, one for each key, that two processes can both make: written and compared
 * at the speed of memory, byte by byte, without any checksum. A row is put together of blocks out
 * of one stretch of random numbers; where each begins follows from key and block. Any thread.
 */
public final class Pattern {
  private static final int BLOCK = 256 << 10;
  private static final int STRETCH = 2 << 20;
  private static final MemorySegment NUMBERS = numbers();

  private Pattern() {}

  private static MemorySegment numbers() {
    MemorySegment numbers = Arena.global().allocate(STRETCH + BLOCK, 64);
    for (long at = 0; at < numbers.byteSize(); at += Long.BYTES) {
      numbers.set(ValueLayout.JAVA_LONG, at, mix(at * 0x9E3779B97F4A7C15L + 1));
    }
    return numbers;
  }

  /** SplitMix64's mixer: every bit of the result depends on every bit of the value. */
  public static long mix(long value) {
    long z = (value ^ (value >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }

  /** Where in the stretch the block begins that the position is in, and how far in it that is. */
  private static long place(long key, long position) {
    long block = mix(key + (position / BLOCK) * 0xD1B54A32D192ED03L);
    return (block & (STRETCH - Long.BYTES)) + position % BLOCK;
  }

  private static long part(long position, long left) {
    return Math.min(BLOCK - position % BLOCK, left);
  }

  /** Writes the bytes of a row from a position on. */
  public static void copy(long key, long position, MemorySegment target, long offset, long length) {
    for (long done = 0; done < length; ) {
      long part = part(position + done, length - done);
      MemorySegment.copy(NUMBERS, place(key, position + done), target, offset + done, part);
      done += part;
    }
  }

  /** Where memory first differs from the bytes of a row from a position on; -1 if nowhere. */
  public static long mismatch(
      long key, long position, MemorySegment memory, long offset, long length) {
    for (long done = 0; done < length; ) {
      long part = part(position + done, length - done);
      long from = place(key, position + done);
      long at =
          MemorySegment.mismatch(
              NUMBERS, from, from + part, memory, offset + done, offset + done + part);
      if (at >= 0) {
        return done + at;
      }
      done += part;
    }
    return -1;
  }
}

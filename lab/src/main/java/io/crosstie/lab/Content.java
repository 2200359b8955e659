// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.lab;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;

/**
 * What is in a message: its number, its length, and bytes that both sides can make from the number,
 * so that the receiver compares every byte with what was meant, and does not trust a checksum of
 * the protocol's. Immutable, for any thread.
 */
final class Content {
  /** Bytes of number and length. */
  static final int HEADER = 16;

  private static final int BLOCK = 256 << 10;
  private static final int PATTERN = 2 << 20;
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

  private final MemorySegment pattern = Arena.global().allocate(PATTERN + BLOCK, 64);

  Content(long seed) {
    RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
    for (long at = 0; at < pattern.byteSize(); at += 8) {
      pattern.set(LONG, at, random.nextLong());
    }
  }

  /** Writes the message of that number into the whole of a segment. */
  void write(MemorySegment message, long number) {
    long length = message.byteSize();
    message.set(LONG, 0, number);
    message.set(LONG, 8, length);
    for (long at = HEADER; at < length; at += BLOCK) {
      MemorySegment.copy(pattern, start(number, at), message, at, Math.min(BLOCK, length - at));
    }
  }

  /** Whether these bytes are the message of that number. */
  boolean is(MemorySegment message, long offset, long length, long number) {
    if (length < HEADER
        || message.get(LONG, offset) != number
        || message.get(LONG, offset + 8) != length) {
      return false;
    }
    for (long at = HEADER; at < length; at += BLOCK) {
      long some = Math.min(BLOCK, length - at);
      long from = start(number, at);
      if (MemorySegment.mismatch(
              pattern, from, from + some, message, offset + at, offset + at + some)
          >= 0) {
        return false;
      }
    }
    return true;
  }

  /** The number that a message claims to have. */
  static long claimedNumber(MemorySegment message, long offset, long length) {
    return length < HEADER ? -1 : message.get(LONG, offset);
  }

  private static long start(long number, long at) {
    long mixed = (number * 0x9E3779B97F4A7C15L) ^ (at * 0xD1B54A32D192ED03L);
    mixed = (mixed ^ (mixed >>> 29)) * 0xBF58476D1CE4E5B9L;
    return ((mixed ^ (mixed >>> 32)) & (PATTERN - 1)) & ~7L;
  }
}

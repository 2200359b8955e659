// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * XXH64 over memory segments: the demo's own hash of each message. It shares no code with the
 * checksums of the protocol on purpose.
 */
public final class XxHash64 {
  private static final long P1 = 0x9E3779B185EBCA87L;
  private static final long P2 = 0xC2B2AE3D27D4EB4FL;
  private static final long P3 = 0x165667B19E3779F9L;
  private static final long P4 = 0x85EBCA77C2B2AE63L;
  private static final long P5 = 0x27D4EB2F165667C5L;

  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private XxHash64() {}

  /** The hash of a stretch of memory. */
  public static long hash(MemorySegment segment, long offset, long length, long seed) {
    long at = offset;
    long end = offset + length;
    long hash;
    if (length >= 32) {
      long v1 = seed + P1 + P2;
      long v2 = seed + P2;
      long v3 = seed;
      long v4 = seed - P1;
      for (long last = end - 32; at <= last; at += 32) {
        v1 = round(v1, segment.get(LONG, at));
        v2 = round(v2, segment.get(LONG, at + 8));
        v3 = round(v3, segment.get(LONG, at + 16));
        v4 = round(v4, segment.get(LONG, at + 24));
      }
      hash =
          Long.rotateLeft(v1, 1)
              + Long.rotateLeft(v2, 7)
              + Long.rotateLeft(v3, 12)
              + Long.rotateLeft(v4, 18);
      hash = merge(merge(merge(merge(hash, v1), v2), v3), v4);
    } else {
      hash = seed + P5;
    }
    hash += length;
    for (; at <= end - 8; at += 8) {
      hash = Long.rotateLeft(hash ^ round(0, segment.get(LONG, at)), 27) * P1 + P4;
    }
    if (at <= end - 4) {
      hash ^= (segment.get(INT, at) & 0xFFFFFFFFL) * P1;
      hash = Long.rotateLeft(hash, 23) * P2 + P3;
      at += 4;
    }
    for (; at < end; at++) {
      hash ^= (segment.get(ValueLayout.JAVA_BYTE, at) & 0xFFL) * P5;
      hash = Long.rotateLeft(hash, 11) * P1;
    }
    hash = (hash ^ (hash >>> 33)) * P2;
    hash = (hash ^ (hash >>> 29)) * P3;
    return hash ^ (hash >>> 32);
  }

  private static long round(long accumulator, long input) {
    return Long.rotateLeft(accumulator + input * P2, 31) * P1;
  }

  private static long merge(long hash, long value) {
    return (hash ^ round(0, value)) * P1 + P4;
  }
}

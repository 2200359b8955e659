// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.channel;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Objects;

/**
 * A message that lies in several pieces, of which the first may be its header. Used again and
 * again; one thread at a time.
 */
public final class Pieces {
  private MemorySegment[] segment = new MemorySegment[4];
  private long[] offset = new long[4];
  private long[] length = new long[4];
  private int count;
  private int headerLength;
  private long total;

  /** None. */
  public Pieces() {}

  /** Forgets all. */
  public void clear() {
    Arrays.fill(segment, 0, count, MemorySegment.NULL);
    count = 0;
    headerLength = 0;
    total = 0;
  }

  /** Puts one behind the others. */
  public void add(MemorySegment of, long from, long bytes) {
    Objects.checkFromIndexSize(from, bytes, of.byteSize());
    if (count == segment.length) {
      segment = Arrays.copyOf(segment, 2 * count);
      offset = Arrays.copyOf(offset, 2 * count);
      length = Arrays.copyOf(length, 2 * count);
    }
    segment[count] = of;
    offset[count] = from;
    length[count++] = bytes;
    total += bytes;
  }

  /** How many. */
  public int count() {
    return count;
  }

  /** All of them together are that long. */
  public long total() {
    return total;
  }

  /** So many of the first bytes are header. */
  public int headerLength() {
    return headerLength;
  }

  /** Says how many of the first bytes are header. */
  public void headerLength(int bytes) {
    headerLength = bytes;
  }

  /** One copy of them all, one behind the other. */
  public void copyTo(MemorySegment to, long at) {
    long next = at;
    for (int i = 0; i < count; i++) {
      MemorySegment.copy(segment[i], offset[i], to, next, length[i]);
      next += length[i];
    }
  }

  /** Whether reading any of it may fault: see {@link io.crosstie.checksum.MemoryFaults}. */
  public boolean isAnyNative() {
    for (int i = 0; i < count; i++) {
      if (segment[i].isNative()) {
        return true;
      }
    }
    return false;
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability;

import io.crosstie.checksum.MemoryWords;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * A bounded ring of native memory that hands out contiguous stretches and takes them back in any
 * order.
 *
 * <p>In front of each stretch stands a word with its size and a bit that says whether it was given
 * back; the tail moves on over everything that was. When there is no room and the bound is not
 * reached, a ring of twice the size takes the place of the old one, which lives on until its last
 * stretch is forgotten (the collector frees it). So memory follows need, and the steady state
 * allocates nothing.
 *
 * <p>Not thread safe: one owner, or callers that exclude one another.
 */
final class GrowingRing {
  /** What a stretch costs besides its own bytes. */
  static final int OVERHEAD = 8;

  private static final long FREE = 1L << 62;
  private static final long SIZE_MASK = FREE - 1;

  private final long maxCapacity;
  private MemorySegment memory;
  private MemoryWords words;
  private MemorySegment readOnly;
  private long capacity;
  private long head;
  private long tail;

  /**
   * @param initialCapacity first size in bytes, a power of two
   * @param maxCapacity bound in bytes, a power of two; while a ring is replaced, the old one exists
   *     beside the new one
   */
  GrowingRing(long initialCapacity, long maxCapacity) {
    this.maxCapacity = maxCapacity;
    this.capacity = Math.min(initialCapacity, maxCapacity);
    this.memory = Arena.ofAuto().allocate(capacity, 64);
    this.words = MemoryWords.of(memory);
    this.readOnly = memory.asReadOnly();
  }

  /** Memory of the stretch claimed last. */
  MemorySegment memory() {
    return memory;
  }

  /** The same memory by words. */
  MemoryWords words() {
    return words;
  }

  /** The same memory, for handlers. */
  MemorySegment readOnly() {
    return readOnly;
  }

  /** Bytes of the present ring. */
  long capacity() {
    return capacity;
  }

  /** Bytes claimed and not yet given back, overheads and padding included. */
  long usedBytes() {
    return head - tail;
  }

  /**
   * Claims a stretch.
   *
   * @return its offset in {@link #memory()}, a multiple of 8, or -1 if there is no room within the
   *     bound
   */
  long claim(long length) {
    long size = OVERHEAD + ((length + 7) & ~7L);
    while (true) {
      long index = head & (capacity - 1);
      long toEnd = capacity - index;
      long needed = size <= toEnd ? size : toEnd + size;
      if (head - tail + needed <= capacity && size <= capacity) {
        if (size > toEnd) {
          words.set(index, toEnd | FREE);
          head += toEnd;
          index = 0;
        }
        words.set(index, size);
        head += size;
        return index + OVERHEAD;
      }
      if (!grow(size)) {
        return -1;
      }
    }
  }

  private boolean grow(long size) {
    long wanted = capacity * 2;
    while (wanted < 2 * size) {
      wanted *= 2;
    }
    if (wanted > maxCapacity) {
      return false;
    }
    MemorySegment larger = Arena.ofAuto().allocate(wanted, 64);
    MemorySegment largerReadOnly = larger.asReadOnly();
    words = MemoryWords.of(larger); // from here on nothing throws, or the old ring stays
    memory = larger;
    readOnly = largerReadOnly;
    capacity = wanted;
    head = 0;
    tail = 0;
    return true;
  }

  /** Takes back the newest stretch: what was to be copied there is wrong, or could not be read. */
  void unclaim(MemorySegment of, long offset) {
    release(of, offset);
    if (head == tail) {
      head = 0;
      tail = 0;
    }
  }

  /**
   * Whether a stretch lies in the present ring. (An old ring that somebody still refers to cannot
   * have lent its address to the new one.)
   */
  @SuppressWarnings({"ReferenceEquality", "MemorySegmentReferenceEquality"}) // quickest first
  boolean owns(MemorySegment segment) {
    return segment == memory || segment == readOnly || segment.address() == memory.address();
  }

  /** Gives a stretch back. A stretch of a ring that was replaced meanwhile needs nothing. */
  void release(MemorySegment of, long offset) {
    if (!owns(of)) {
      return;
    }
    long index = offset - OVERHEAD;
    long word = words.get(index);
    if ((word & FREE) != 0) {
      throw new IllegalStateException("stretch at " + offset + " given back twice");
    }
    words.set(index, word | FREE);
    while (tail < head) {
      long next = words.get(tail & (capacity - 1));
      if ((next & FREE) == 0) {
        return;
      }
      tail += next & SIZE_MASK;
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.channel;

import io.crosstie.checksum.MemoryWords;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * A bounded ring of native memory for messages that are given back in the order in which they were
 * claimed.
 *
 * <p>Stretches lie one behind the other with nothing between them but the padding to a multiple of
 * 8 bytes, so that a run of small messages can be copied and summed in one go. Only the position up
 * to which all was given back is kept; a stretch's offset and length tell where it goes next.
 *
 * <p>A ring that is too small is replaced by one of twice the size, if the caller asks for it. The
 * old one lives on while a message in it is referred to; giving that back does nothing any more.
 *
 * <p>Not thread safe: callers exclude one another.
 */
final class SendLog {
  private static final MemorySegment NO_MEMORY = Arena.ofAuto().allocate(Long.BYTES, Long.BYTES);
  private static final MemoryWords NO_WORDS = MemoryWords.of(NO_MEMORY);

  private final long initialCapacity;
  private final long maxCapacity;
  private MemorySegment memory = NO_MEMORY;
  private MemoryWords words = NO_WORDS;

  /** 0 until something is claimed. */
  private long capacity;

  private long head;
  private long tail;

  /** Claims that end here or before need not be looked at: they are free, and in one piece. */
  private long open;

  /**
   * The newest stretch begins at the second, and what was left out before it at the first; or -1.
   */
  private long skippedFrom;

  private long skippedTo = -1;

  /**
   * @param initialCapacity first size in bytes, a power of two
   * @param maxCapacity usual bound in bytes, a power of two; while a ring is replaced, the old one
   *     exists beside the new one
   */
  SendLog(long initialCapacity, long maxCapacity) {
    this.initialCapacity = Math.min(initialCapacity, maxCapacity);
    this.maxCapacity = maxCapacity;
  }

  /** Memory of the stretch claimed last. */
  MemorySegment memory() {
    return memory;
  }

  /** The same memory by words; any thread, though perhaps that of a ring that was replaced. */
  MemoryWords words() {
    return words;
  }

  /** Whether the present ring is larger than it need be on a short path. */
  boolean isWide() {
    return capacity > maxCapacity;
  }

  /** Bytes of the present ring. */
  long capacity() {
    return capacity;
  }

  /** What a message takes; an empty one something too, so that none is left means none at all. */
  private static long padded(long length) {
    return length == 0 ? 8 : (length + 7) & ~7L;
  }

  /**
   * Claims a stretch. The ring is never quite filled, so that where a stretch ends always tells how
   * far the position has to move.
   *
   * @return its offset in {@link #memory()}, a multiple of 8, or -1 if there is no room now
   */
  long claim(long length) {
    long begin = head;
    long end = begin + padded(length);
    if (end > open) {
      return claimAnew(length);
    }
    head = end;
    return begin & (capacity - 1);
  }

  /** Looks at what was given back meanwhile, and goes on at the beginning where that is needed. */
  private long claimAnew(long length) {
    if (head == tail) {
      restart();
    }
    if (capacity == 0) {
      return -1;
    }
    long size = padded(length);
    long index = head & (capacity - 1);
    long toEnd = capacity - index;
    long skipped = size <= toEnd ? 0 : toEnd;
    long full = tail + capacity;
    if (head + skipped + size >= full) {
      return -1;
    }
    skippedFrom = head;
    skippedTo = skipped == 0 ? -1 : head + skipped;
    head += skipped;
    open = Math.min(head - (head & (capacity - 1)) + capacity, full - Long.BYTES);
    head += size;
    return skipped == 0 ? index : 0;
  }

  /**
   * The size of the next ring: twice that of the present one, or as much as lets a stretch of that
   * length in.
   *
   * @param most if that is more than the usual bound, the bound
   * @return 0 if that would exceed the bound
   */
  long nextCapacity(long length, long most) {
    long wanted = Math.max(capacity * 2, initialCapacity);
    while (wanted < 2 * padded(length)) {
      wanted *= 2;
    }
    return wanted > Math.max(maxCapacity, most) ? 0 : wanted;
  }

  /**
   * Takes that larger ring.
   *
   * @return false if it would exceed the bound
   */
  boolean grow(long length, long most) {
    long wanted = nextCapacity(length, most);
    if (wanted == 0) {
      return false;
    }
    MemorySegment larger = Arena.ofAuto().allocate(wanted, 64);
    words = MemoryWords.of(larger); // from here on nothing throws, or the old ring stays
    memory = larger;
    capacity = wanted;
    restart();
    return true;
  }

  /** Everything was given back: has no ring until something is claimed. */
  void drop() {
    memory = NO_MEMORY;
    words = NO_WORDS;
    capacity = 0;
    restart();
  }

  /** Nothing is in use. */
  private void restart() {
    head = 0;
    tail = 0;
    open = 0;
    skippedTo = -1;
  }

  /** Takes back the newest stretch, and what was left out before it: all is as before the claim. */
  void unclaim(long offset) {
    long begin = tail + ((offset - tail) & (capacity - 1));
    head = begin == skippedTo ? skippedFrom : begin;
    skippedTo = -1;
    open = 0; // of the lap that the next claim is in nothing is known
  }

  /** Gives back the stretch, and with it all that were claimed before it. */
  @SuppressWarnings({"ReferenceEquality", "MemorySegmentReferenceEquality"}) // this very memory
  void release(MemorySegment of, long offset, long length) {
    if (of == memory) {
      tail += (offset + padded(length) - tail) & (capacity - 1);
    }
  }
}

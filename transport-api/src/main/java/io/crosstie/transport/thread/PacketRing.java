// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.thread;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Packets on their way from one thread to another, in order, in one stretch of native memory: one
 * thread writes, one reads.
 *
 * <p>Each record is a header of {@value #HEADER} bytes (length, tag, key) and the packet, rounded
 * up to eight bytes and never wrapped: where the end of the memory is too near, a record without a
 * packet fills it. Positions count bytes from the beginning and never decrease. The writer
 * publishes its position with release after the record is complete; the reader publishes its own
 * after it is done with the bytes. Both keep a copy of the other's position, and read it anew only
 * when that says full or empty (as in the queues of Lamport's FastForward line and JCTools).
 */
public class PacketRing {
  private static final int HEADER = 16;
  private static final int FILLER = -1;
  private static final VarHandle POSITION = MethodHandles.arrayElementVarHandle(long[].class);

  /** Each in cache lines of its own. */
  private static final int TAIL = 16;

  private static final int HEAD = 48;

  private final MemorySegment memory;
  private final int mask;
  private final long[] positions = new long[64];

  // The writer's.
  private long tail;

  /**
   * Where the record of the open claim begins: behind a filler if it did not fit before the end.
   */
  private long start;

  private long seenHead;

  // The reader's.
  private long head;
  private long seenTail;

  /**
   * An empty one.
   *
   * @param capacity in bytes, a power of two
   */
  public PacketRing(int capacity) {
    if (Integer.bitCount(capacity) != 1) {
      throw new IllegalArgumentException("not a power of two: " + capacity);
    }
    memory = Arena.ofAuto().allocate(capacity, 64);
    mask = capacity - 1;
  }

  /** Where the packets lie. */
  public MemorySegment memory() {
    return memory;
  }

  private static long recordBytes(long length) {
    return HEADER + ((length + 7) & ~7L);
  }

  // ---- the writer

  /** How many bytes are free at least, headers included. */
  public long room() {
    seenHead = (long) POSITION.getAcquire(positions, HEAD);
    return memory.byteSize() - (tail - seenHead);
  }

  /**
   * Where a packet of at most so many bytes may be written.
   *
   * @return offset in {@link #memory()}, or -1 if there is no room
   */
  public long claim(int length) {
    long bytes = recordBytes(length);
    long toEnd = memory.byteSize() - (tail & mask);
    long wanted = bytes <= toEnd ? bytes : toEnd + bytes;
    if (memory.byteSize() - (tail - seenHead) < wanted && room() < wanted) {
      return -1;
    }
    start = tail; // a claim that is not committed takes nothing
    if (bytes > toEnd) {
      memory.set(JAVA_INT, tail & mask, FILLER); // records are multiples of eight bytes
      start += toEnd;
    }
    return (start & mask) + HEADER;
  }

  /** Hands over the packet that was written where {@link #claim} said. */
  public void commit(int length, int tag, long key) {
    long at = start & mask;
    memory.set(JAVA_INT, at, length);
    memory.set(JAVA_INT, at + 4, tag);
    memory.set(JAVA_LONG, at + 8, key);
    tail = start + recordBytes(length);
    POSITION.setRelease(positions, TAIL, tail);
  }

  // ---- the reader

  /** Whether there is a record; it is the same until {@link #release}. */
  public boolean hasNext() {
    while (true) {
      if (head == seenTail) {
        seenTail = (long) POSITION.getAcquire(positions, TAIL);
        if (head == seenTail) {
          return false;
        }
      }
      if (memory.get(JAVA_INT, head & mask) != FILLER) {
        return true;
      }
      head += memory.byteSize() - (head & mask);
    }
  }

  /** Offset of the record's packet in {@link #memory()}. */
  public long offset() {
    return (head & mask) + HEADER;
  }

  /** The record's packet's length in bytes, as it was committed. */
  public int length() {
    return memory.get(JAVA_INT, head & mask);
  }

  /** The record's tag, as it was committed. */
  public int tag() {
    return memory.get(JAVA_INT, (head & mask) + 4);
  }

  /** The record's key, as it was committed. */
  public long key() {
    return memory.get(JAVA_LONG, (head & mask) + 8);
  }

  /** Done with the record: its bytes may be written again. */
  public void release() {
    head += recordBytes(memory.get(JAVA_INT, head & mask));
    POSITION.setRelease(positions, HEAD, head);
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.shm;

import static io.crosstie.transport.shm.SegmentLayout.LINE;
import static io.crosstie.transport.shm.SegmentLayout.WORD;

import io.crosstie.checksum.MemoryWords;
import io.crosstie.transport.Rail;
import java.lang.invoke.VarHandle;

/**
 * The producer of one direction. What it knows of its own doing is kept here and never read back
 * from the segment; of what the consumer writes each word is read once, checked, then used (R25).
 *
 * <p>Every method may throw the InternalError of a truncated mapping.
 */
final class RingWriter {
  /**
   * How far beyond the end of what is published the words of coming records are zeroed. Two lines:
   * the next commit of a small packet then finds its successor zero already and has one line to
   * write.
   */
  private static final int CLEAR_AHEAD = 2 * LINE;

  private final MemoryWords memory;
  private final long base;
  private final long capacity;
  private final long mask;
  private final long control;

  /** Position behind the last published record. */
  private long tail;

  /** Position of the claimed record; behind the padding if it did not fit before the end. */
  private long claimStart;

  private int claimLength;
  private boolean claimed;

  /** Words of records that could begin in [tail, clearedTo) are zero. */
  private long clearedTo;

  /** The consumer's position when it was last read. */
  private long consumerPosition;

  private long committed;
  private long consumed;
  private boolean violated;

  RingWriter(MemoryWords memory, int direction, long ringBytes) {
    this.memory = memory;
    this.base = SegmentLayout.ring(direction, ringBytes);
    this.capacity = ringBytes;
    this.mask = ringBytes - 1;
    this.control = SegmentLayout.control(direction);
    this.clearedTo = LINE; // a new segment is zero
  }

  /** Whether the peer wrote a position that cannot be. */
  boolean violated() {
    return violated;
  }

  boolean claimed() {
    return claimed;
  }

  /** Offset of the packet in the segment, or {@link Rail#WOULD_BLOCK}. The length was checked. */
  long claim(int length) {
    int record = SegmentLayout.recordBytes(length);
    long toEnd = capacity - (tail & mask);
    long start = record <= toEnd ? tail : tail + toEnd;
    // one line more, for the zero word of the record after this one
    long needed = start + record + LINE - capacity;
    if (needed > consumerPosition) {
      readConsumer();
      if (needed > consumerPosition) {
        return Rail.WOULD_BLOCK;
      }
    }
    if (record > LINE) {
      // the caller may write over words that were zeroed, then commit less or abort
      clearedTo = Math.min(clearedTo, start + LINE);
    }
    claimed = true;
    claimStart = start;
    claimLength = length;
    return base + (start & mask) + WORD;
  }

  /**
   * Stores the zero that lies where the next record begins: that takes the line away from the
   * consumer, who reads it while waiting, before the record is written and not while.
   */
  void prefetch() {
    if (clearedTo > tail) {
      memory.set(base + (tail & mask), 0L);
    }
  }

  void abort() {
    claimed = false;
  }

  /**
   * Publishes the claimed record. One release store makes it visible, with its padding if there is
   * any.
   */
  void commit(int length, int kind) {
    if (length < 1 || length > claimLength) {
      throw new IllegalArgumentException(
          "a packet of "
              + length
              + " bytes cannot be committed where "
              + claimLength
              + " were claimed");
    }
    claimed = false;
    long start = claimStart;
    long end = start + SegmentLayout.recordBytes(length);
    if (end >= clearedTo) {
      memory.set(base + (end & mask), 0L);
      clearedTo = end + LINE;
    }
    memory.setRelease(base + (start & mask), SegmentLayout.commitWord(start, kind, length));
    if (start != tail) {
      // the consumer stands before the padding, so that both appear at once
      memory.setRelease(
          base + (tail & mask),
          SegmentLayout.commitWord(tail, SegmentLayout.KIND_PADDING, start - tail));
    }
    tail = end;
    if (kind == SegmentLayout.KIND_PACKET) {
      committed++;
    }
    clearAhead();
  }

  /** Off the path of the packet that was just published. */
  private void clearAhead() {
    long to = Math.min(tail + CLEAR_AHEAD, consumerPosition + capacity);
    while (clearedTo < to) {
      memory.set(base + (clearedTo & mask), 0L);
      clearedTo += LINE;
    }
  }

  /** Packets of {@link SegmentLayout#KIND_PACKET} that the consumer is through with. */
  long consumed() {
    readConsumer();
    return consumed;
  }

  /** As of the last look. */
  long lastConsumed() {
    return consumed;
  }

  /**
   * Reads what the consumer wrote. Its count never exceeds what was committed and its position
   * never what was published; neither goes back. It may lie within these bounds: that harms its own
   * connection only.
   */
  private void readConsumer() {
    if (violated) {
      return;
    }
    long position = memory.getAcquire(control + SegmentLayout.POSITION);
    long count = memory.getAcquire(control + SegmentLayout.COUNT);
    if (position < consumerPosition
        || position > tail
        || (position & (LINE - 1)) != 0
        || count < consumed
        || count > committed) {
      violated = true;
      return;
    }
    consumerPosition = position;
    consumed = count;
  }

  /**
   * Whether the consumer sleeps and has to be rung. Lowers its flag, so that it is rung once. To be
   * called after the last commit of a batch.
   */
  boolean takeSleeping() {
    VarHandle
        .fullFence(); // our commit before the look at the flag; the consumer does it the other way
    // round
    if (memory.getOpaque(control + SegmentLayout.SLEEPING) == 0) {
      return false;
    }
    memory.setOpaque(control + SegmentLayout.SLEEPING, 0L);
    return true;
  }
}

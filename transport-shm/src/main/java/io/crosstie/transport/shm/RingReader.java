// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.shm;

import static io.crosstie.transport.shm.SegmentLayout.WORD;

import io.crosstie.checksum.MemoryWords;

/**
 * The consumer of one direction. It trusts no word of the segment: its position is its own, and a
 * commit word is read once, checked against the ring's bounds, then used (R25).
 *
 * <p>Every method may throw the InternalError of a truncated mapping.
 */
final class RingReader {
  /** Takes the packets. */
  interface Consumer {
    /** One packet, where it lies in the segment; it is consumed when this returns. */
    void onPacket(long offset, int length);

    /** Whether nothing more is to be handed up now. */
    boolean hasEnough();
  }

  private final MemoryWords memory;
  private final long base;
  private final long capacity;
  private final long mask;
  private final long control;
  private final int maxPacketLength;

  /** Position of the next record. */
  private long head;

  /** Packets handled, without replies. */
  private long count;

  /** Packets handled, all. */
  private long packets;

  private long publishedHead;
  private long bytes;
  private boolean violated;

  RingReader(MemoryWords memory, int direction, long ringBytes) {
    this.memory = memory;
    this.base = SegmentLayout.ring(direction, ringBytes);
    this.capacity = ringBytes;
    this.mask = ringBytes - 1;
    this.control = SegmentLayout.control(direction);
    this.maxPacketLength = SegmentLayout.maxPacketLength(ringBytes);
  }

  /** Whether the peer published a record that cannot be. */
  boolean violated() {
    return violated;
  }

  /** Position of the next record, in bytes since the beginning. */
  long position() {
    return head;
  }

  /** Bytes of packets handed up so far. */
  long bytes() {
    return bytes;
  }

  /** Packets handed up so far. */
  long packets() {
    return packets;
  }

  /** Whether a record waits. */
  boolean ready() {
    return memory.getAcquire(base + (head & mask)) != 0;
  }

  /**
   * Hands up what is there, until the limit is reached or the consumer has enough.
   *
   * @return number of packets, replies included
   */
  int poll(Consumer consumer, int limit) {
    if (violated) {
      return 0;
    }
    int handled = 0;
    try {
      while (handled < limit) {
        long index = head & mask;
        long word = memory.getAcquire(base + index);
        if (word == 0) {
          break;
        }
        int length = SegmentLayout.length(word);
        int kind = SegmentLayout.kind(word);
        if (SegmentLayout.stamp(word) != (int) (head >>> 6)) {
          violated = true;
          break;
        }
        if (kind == SegmentLayout.KIND_PADDING) {
          // never at the beginning: two in a row, and with them a loop without packets, cannot be
          if (index == 0 || length != capacity - index) {
            violated = true;
            break;
          }
          head += length;
          continue;
        }
        int record = SegmentLayout.recordBytes(length);
        if ((kind != SegmentLayout.KIND_PACKET && kind != SegmentLayout.KIND_REPLY)
            || length < 1
            || length > maxPacketLength
            || record > capacity - index) {
          violated = true;
          break;
        }
        consumer.onPacket(base + index + WORD, length);
        // only now: a handler that throws has not taken the packet, which comes again
        head += record;
        bytes += length;
        packets++;
        handled++;
        if (kind == SegmentLayout.KIND_PACKET) {
          count++;
        }
        if (consumer.hasEnough()) {
          break;
        }
        if (head - publishedHead >= capacity >>> 3) {
          publish();
        }
      }
    } finally {
      publish();
    }
    return handled;
  }

  /**
   * Tells the producer. Its line is written once per batch, since writing it takes the line away
   * from the producer.
   */
  private void publish() {
    if (publishedHead != head) {
      publishedHead = head;
      memory.setRelease(control + SegmentLayout.COUNT, count);
      memory.setRelease(control + SegmentLayout.POSITION, head);
    }
  }

  /** Raises the flag; a full fence and a look at {@link #ready()} must follow. */
  void raiseSleeping() {
    memory.setOpaque(control + SegmentLayout.SLEEPING, 1L);
  }

  void lowerSleeping() {
    memory.setOpaque(control + SegmentLayout.SLEEPING, 0L);
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.shm;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.crosstie.checksum.MemoryWords;
import java.lang.foreign.MemorySegment;

/**
 * Both ends of one direction of a segment so small that every lap matters. The producer's methods
 * are for one actor, the consumer's for another.
 */
class SmallRing implements RingReader.Consumer {
  /** A record may take a quarter of the ring; here, four lines. */
  static final int LINES = 16;

  static final int LINE = SegmentLayout.LINE;

  /** As much as fits a line beside its commit word. */
  static final int SMALL = LINE - SegmentLayout.WORD;

  static final int DIRECTION = 0;
  private static final int TORN = -1;

  // on the heap: many at a time, and nothing to be freed
  final MemorySegment memory;
  final RingWriter writer;
  final RingReader reader;

  /** What the consumer found in its last packet, {@link #TORN} if its words differ. */
  long found;

  /** How many packets the consumer has had. */
  int packets;

  SmallRing() {
    this(LINES * LINE);
  }

  SmallRing(int ringBytes) {
    long bytes = SegmentLayout.ring(DIRECTION, ringBytes) + ringBytes;
    memory = MemorySegment.ofArray(new long[(int) (bytes / Long.BYTES)]);
    MemoryWords words = MemoryWords.of(memory);
    writer = new RingWriter(words, DIRECTION, ringBytes);
    reader = new RingReader(words, DIRECTION, ringBytes);
  }

  // ---- the producer's ----

  /** Publishes a packet whose words all are that value; false if there is no room. */
  final boolean publish(int length, long value) {
    long at = writer.claim(length);
    if (at < 0) {
      return false;
    }
    for (int i = 0; i < length; i += Long.BYTES) {
      memory.set(JAVA_LONG, at + i, value);
    }
    writer.commit(length, SegmentLayout.KIND_PACKET);
    return true;
  }

  // ---- the consumer's ----

  /** Takes what is there; returns how many packets, or a negative number for what cannot be. */
  final int consume() {
    int count = reader.poll(this, Integer.MAX_VALUE);
    return reader.violated() || found == TORN ? TORN : count;
  }

  @Override
  public void onPacket(long offset, int length) {
    long first = memory.get(JAVA_LONG, offset);
    for (int i = Long.BYTES; i < length; i += Long.BYTES) {
      if (memory.get(JAVA_LONG, offset + i) != first) {
        found = TORN;
        return;
      }
    }
    found = first;
    packets++;
  }

  @Override
  public boolean hasEnough() {
    return false;
  }
}

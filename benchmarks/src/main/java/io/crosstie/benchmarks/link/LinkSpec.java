// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.link;

import java.lang.foreign.MemorySegment;

/**
 * What one end is asked to carry.
 *
 * @param near whether this is the end that starts round trips, or sends a stream
 * @param size bytes of every message
 * @param messages native memory of messages, one behind the other; those that are sent lie there
 */
public record LinkSpec(boolean near, int size, MemorySegment messages) {
  /**
   * Messages that a subject with its driver on the caller's thread offers between two turns of it:
   * with 16, 64, 256 and 1024 Aeron moved 114, 140, 157 and 135 MB/s of 32-byte messages, and we
   * 96, 236, 506 and 449.
   */
  static final int MESSAGES_PER_TURN = 256;

  private static final long SLOTS_BYTES = 4 << 20;
  private static final int MIN_SLOTS = 4;
  private static final int MAX_SLOTS = 4096;

  /** How many messages of that size the memory holds; they are sent in turn. */
  public static int slots(int size) {
    return Math.clamp(SLOTS_BYTES / size, MIN_SLOTS, MAX_SLOTS);
  }

  /** How many messages the memory holds. */
  public int slots() {
    return (int) (messages.byteSize() / size);
  }
}

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

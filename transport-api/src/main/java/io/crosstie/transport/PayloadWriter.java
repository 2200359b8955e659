// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport;

import java.lang.foreign.MemorySegment;

/** How payload gets into a rail's transmit memory. */
@FunctionalInterface
public interface PayloadWriter {
  /**
   * Copies payload into the open claim. A rail whose memory another process shares may know a
   * quicker way than ordinary stores.
   *
   * @param source native memory or an array
   * @param offset of the first byte in it
   * @param at where the first byte goes in {@link Rail#txMemory()}, within what was claimed
   * @param length in bytes
   * @throws IllegalStateException if the source's arena was closed
   */
  void put(MemorySegment source, long offset, long at, long length);
}

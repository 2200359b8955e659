// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport;

import io.crosstie.checksum.Checksum;
import java.lang.foreign.MemorySegment;

/** How payload gets into a rail's transmit memory. */
@FunctionalInterface
public interface PayloadWriter {
  /**
   * Copies payload into the open claim and continues a checksum with its bytes. A rail whose memory
   * another process shares takes the checksum of the source, and may know a quicker way than
   * ordinary stores.
   *
   * @param checksum has an open computation
   * @param state of that, as the step before returned it
   * @param source memory of this process alone, native or an array; never an application's, which
   *     might go meanwhile
   * @param offset of the first byte in it
   * @param at where the first byte goes in {@link Rail#txMemory()}, within what was claimed
   * @param length in bytes
   * @return the state for the next step
   */
  long put(Checksum checksum, long state, MemorySegment source, long offset, long at, long length);
}

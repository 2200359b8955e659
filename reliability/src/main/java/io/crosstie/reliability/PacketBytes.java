// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability;

import io.crosstie.checksum.Checksum;
import java.lang.foreign.MemorySegment;

/** A fragment whose bytes are in the packet at hand. Used again for every packet. */
public final class PacketBytes implements FragmentSource {
  private MemorySegment memory = MemorySegment.NULL;
  private long offset;

  /** Points it to the first byte. */
  public PacketBytes at(MemorySegment packetMemory, long packetOffset) {
    memory = packetMemory;
    offset = packetOffset;
    return this;
  }

  @Override
  public long copy(MemorySegment into, long at, int length, Checksum algorithm) {
    return Integer.toUnsignedLong(algorithm.copy(memory, offset, into, at, length));
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.simulation;

import io.crosstie.reliability.wire.PacketHeader;
import java.lang.foreign.MemorySegment;

/** A packet in one line, for the trace. */
final class PacketText {
  private PacketText() {}

  static String of(byte[] data, int offset, int length) {
    if (length < PacketHeader.LENGTH) {
      return "runt of " + length + " B";
    }
    MemorySegment m = MemorySegment.ofArray(data);
    return PacketHeader.kindName(PacketHeader.kind(m, offset))
        + " rail "
        + PacketHeader.rail(m, offset)
        + " #"
        + PacketHeader.packetNumber(m, offset)
        + " id "
        + Long.toHexString(PacketHeader.connectionId(m, offset))
        + " header "
        + PacketHeader.headerLength(m, offset)
        + " B of "
        + length
        + " B";
  }
}

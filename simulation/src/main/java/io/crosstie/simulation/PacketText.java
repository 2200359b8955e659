// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.simulation;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.crosstie.reliability.wire.PacketHeader;
import java.lang.foreign.MemorySegment;

/** A packet in one line, for the trace. */
final class PacketText {
  private PacketText() {}

  static String of(MemorySegment memory, long at, int length) {
    byte[] data = memory.asSlice(at, Math.min(length, PacketHeader.LENGTH)).toArray(JAVA_BYTE);
    int offset = 0;
    if (length < PacketHeader.LENGTH) {
      return "runt of " + length + " B";
    }
    return PacketHeader.kindName(PacketHeader.kind(data, offset))
        + " rail "
        + PacketHeader.rail(data, offset)
        + " #"
        + PacketHeader.packetNumber(data, offset)
        + " id "
        + Long.toHexString(PacketHeader.connectionId(data, offset))
        + " header "
        + PacketHeader.headerLength(data, offset)
        + " B of "
        + length
        + " B";
  }
}

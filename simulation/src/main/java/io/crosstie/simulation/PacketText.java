// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.simulation;

import io.crosstie.reliability.wire.PacketHeader;

/** A packet in one line, for the trace. */
final class PacketText {
  private PacketText() {}

  static String of(byte[] data, int offset, int length) {
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

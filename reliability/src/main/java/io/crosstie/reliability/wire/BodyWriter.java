// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.reliability.wire;

import java.util.Arrays;

/** Writes the body of a handshake packet from front to back; the rest of the packet is zero. */
final class BodyWriter {
  private final byte[] m;
  private int at;

  private BodyWriter(byte[] m, int at) {
    this.m = m;
    this.at = at;
  }

  /** Begins a packet of a length that is a multiple of 8. */
  static BodyWriter begin(
      byte[] m, int off, int limit, int length, int kind, int rail, long connectionId) {
    if (length > limit) {
      throw new IllegalArgumentException(
          "a " + PacketHeader.kindName(kind) + " takes " + length + " bytes, not " + limit);
    }
    Arrays.fill(m, off, off + length, (byte) 0);
    PacketHeader.begin(m, off, kind, rail, connectionId, 0);
    Layouts.putU16(m, off + PacketHeader.HEADER_LENGTH, length);
    return new BodyWriter(m, off + PacketHeader.LENGTH);
  }

  BodyWriter u8(int value) {
    Layouts.putU8(m, at, value);
    at += 1;
    return this;
  }

  BodyWriter u16(int value) {
    Layouts.putU16(m, at, value);
    at += 2;
    return this;
  }

  BodyWriter i32(int value) {
    Layouts.putI32(m, at, value);
    at += 4;
    return this;
  }

  BodyWriter i64(long value) {
    Layouts.putI64(m, at, value);
    at += 8;
    return this;
  }

  BodyWriter bytes(byte[] bytes) {
    at = Text.write(m, at, bytes);
    return this;
  }
}

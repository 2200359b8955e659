// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.reliability.wire;

import java.lang.foreign.MemorySegment;

/** Writes the body of a handshake packet from front to back; the rest of the packet is zero. */
final class BodyWriter {
  private final MemorySegment m;
  private long at;

  private BodyWriter(MemorySegment m, long at) {
    this.m = m;
    this.at = at;
  }

  /** Begins a packet of a length that is a multiple of 8. */
  static BodyWriter begin(
      MemorySegment m, long off, int limit, int length, int kind, int rail, long connectionId) {
    if (length > limit) {
      throw new IllegalArgumentException(
          "a " + PacketHeader.kindName(kind) + " takes " + length + " bytes, not " + limit);
    }
    m.asSlice(off, length).fill((byte) 0);
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
    m.set(Layouts.INT, at, value);
    at += 4;
    return this;
  }

  BodyWriter i64(long value) {
    m.set(Layouts.LONG, at, value);
    at += 8;
    return this;
  }

  BodyWriter bytes(byte[] bytes) {
    at = Text.write(m, at, bytes);
    return this;
  }
}

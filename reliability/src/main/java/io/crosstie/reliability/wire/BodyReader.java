// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.reliability.wire;

import io.crosstie.transport.RailAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the body of a handshake packet from front to back. Never throws: what is not there or not
 * as it should be reads as zero or empty, and {@link #isSound} is false from then on.
 */
final class BodyReader {
  private final byte[] m;
  private final int end;
  private int at;
  private boolean sound;

  private BodyReader(byte[] m, int off, int end, boolean sound) {
    this.m = m;
    this.at = off + PacketHeader.LENGTH;
    this.end = end;
    this.sound = sound;
  }

  /** A reader of a packet that has to be of the given kind. */
  static BodyReader of(byte[] m, int off, int length, int kind) {
    boolean sound =
        off >= 0
            && length >= PacketHeader.LENGTH
            && length <= PacketHeader.MAX_HANDSHAKE_LENGTH
            && length <= m.length - off
            && PacketHeader.version(m, off) == PacketHeader.WIRE_VERSION
            && PacketHeader.kind(m, off) == kind
            && PacketHeader.headerLength(m, off) == length;
    return new BodyReader(m, off, off + length, sound);
  }

  /** Whether everything read so far was there and as it should be. */
  boolean isSound() {
    return sound;
  }

  /** Notes that something has to be so. */
  void require(boolean condition) {
    sound &= condition;
  }

  int u8() {
    return take(1) ? Layouts.u8(m, at - 1) : 0;
  }

  int u16() {
    return take(2) ? Layouts.u16(m, at - 2) : 0;
  }

  int i32() {
    return take(4) ? Layouts.i32(m, at - 4) : 0;
  }

  long i64() {
    return take(8) ? Layouts.i64(m, at - 8) : 0;
  }

  byte[] bytes(int length) {
    if (!take(length)) {
      return new byte[0];
    }
    var bytes = new byte[length];
    System.arraycopy(m, at - length, bytes, 0, length);
    return bytes;
  }

  void skip(int length) {
    take(length);
  }

  /** A node's name, or the empty string. */
  String name(int length) {
    @Nullable String text = Text.read(bytes(length));
    if (text == null || !(text.isEmpty() || NodeName.isName(text))) {
      sound = false;
      return "";
    }
    return text;
  }

  Cookie cookie(int length) {
    require(length <= Cookie.MAX_LENGTH);
    return sound ? Cookie.of(bytes(length)) : Cookie.EMPTY;
  }

  List<RailAddress> addresses(int count) {
    require(count <= AddressesFrame.MAX_ADDRESSES);
    var addresses = new ArrayList<RailAddress>();
    for (int i = 0; i < count && sound; i++) {
      int length = u8();
      // More than 8 bytes lie before any address, as isAddress asks for.
      if (take(length) && PacketValidator.isAddress(m, at - length, length)) {
        var text = new byte[length];
        System.arraycopy(m, at - length, text, 0, length);
        addresses.add(new RailAddress(new String(text, StandardCharsets.US_ASCII)));
      } else {
        sound = false;
      }
    }
    return addresses;
  }

  /** Passes over the extensions, and returns what the one that is known says: {@link Takes}. */
  int extensions() {
    int takes = Takes.NOTHING_ELSE;
    int left = u16();
    while (left > 0 && sound) {
      int type = u16();
      int length = u16();
      if (type == Greeting.TAKES && length == Integer.BYTES) {
        takes = i32();
      } else {
        skip(length);
      }
      left -= 4 + length;
    }
    require(left == 0);
    return takes;
  }

  private boolean take(int length) {
    sound &= length >= 0 && length <= end - at;
    if (sound) {
      at += length;
    }
    return sound;
  }
}

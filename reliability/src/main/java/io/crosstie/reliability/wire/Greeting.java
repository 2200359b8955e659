// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.reliability.wire;

import io.crosstie.transport.RailAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The layout that {@link Hello} and {@link Welcome} share.
 *
 * <pre>
 *     0        1        2        3        4        5        6        7
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 24 |     version     |checksum| flags  |                rank               |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 32 |                       incarnation of the sender                       |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 40 |              connection id for packets to the sender                  |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 48 |     WELCOME: incarnation of the initiator, echoed; HELLO: former id   |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 56 |                          max message length                           |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 64 |                            channel credit                             |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 72 |                              eager limit                              |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 80 |    max ack delay, microseconds    |           receive buffer          |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 88 |         max packet length         |name len|wanted l|cookie l|addr cnt|
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 96 | name, wanted name (HELLO only), cookie (HELLO only);                  |
 *    | per address: u8 length, text;                                         |
 *    | u16 length of the extensions; per extension: u16 type, u16 length,    |
 *    | value; zero padding: HELLO to 1200 bytes, WELCOME to a multiple of 8  |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * </pre>
 */
record Greeting(
    int version,
    int rail,
    long toConnectionId,
    long about,
    String wantedName,
    Cookie cookie,
    Introduction sender) {
  static final int FLAG_LOSSLESS = 1;

  /** Extension: what its sender takes, see {@link Takes}; left out where that is nothing. */
  static final int TAKES = 1;

  private static final int TAKES_LENGTH = 8;
  private static final int FIXED = 96;
  private static final int LIMIT = PacketHeader.MAX_HANDSHAKE_LENGTH;

  Greeting {
    if (version < 1 || version > 0xffff || rail < 0 || rail > PacketHeader.MAX_RAIL) {
      throw new IllegalArgumentException("out of range: version " + version + ", rail " + rail);
    }
    if (!wantedName.isEmpty()) {
      NodeName.require(wantedName);
    }
  }

  /** Bytes up to the addresses, and of the extensions behind them. */
  private int lengthWithoutAddresses() {
    return FIXED
        + Text.bytes(sender.name()).length
        + Text.bytes(wantedName).length
        + cookie.length()
        + 2
        + (sender.takes() == Takes.NOTHING_ELSE ? 0 : TAKES_LENGTH);
  }

  /** How many of the addresses the packet holds. */
  int addressesThatFit() {
    int left = LIMIT - lengthWithoutAddresses();
    int count = 0;
    for (RailAddress address : sender.addresses()) {
      left -= 1 + address.text().length();
      if (left < 0) {
        break;
      }
      count++;
    }
    return count;
  }

  int encode(byte[] m, int off, int limit, int kind) {
    List<RailAddress> told = sender.addresses().subList(0, addressesThatFit());
    int needed = lengthWithoutAddresses();
    for (RailAddress address : told) {
      needed += 1 + address.text().length();
    }
    int length = kind == PacketHeader.HELLO ? LIMIT : Layouts.padded(needed);
    byte[] nameBytes = Text.bytes(sender.name());
    byte[] wantedBytes = Text.bytes(wantedName);
    Limits limits = sender.limits();
    RailInfo railInfo = sender.railInfo();
    var writer =
        BodyWriter.begin(m, off, limit, length, kind, rail, toConnectionId)
            .u16(version)
            .u8(limits.checksumCode())
            .u8(railInfo.lossless() ? FLAG_LOSSLESS : 0)
            .i32(sender.rank())
            .i64(sender.incarnation())
            .i64(sender.connectionId())
            .i64(about)
            .i64(limits.maxMessageLength())
            .i64(limits.channelCredit())
            .i64(limits.eagerLimit())
            .i32(limits.maxAckDelayMicros())
            .i32(railInfo.receiveBufferBytes())
            .i32(railInfo.maxPacketLength())
            .u8(nameBytes.length)
            .u8(wantedBytes.length)
            .u8(cookie.length())
            .u8(told.size())
            .bytes(nameBytes)
            .bytes(wantedBytes)
            .bytes(cookie.toByteArray());
    for (RailAddress address : told) {
      byte[] text = Text.bytes(address.text());
      writer.u8(text.length).bytes(text);
    }
    if (sender.takes() == Takes.NOTHING_ELSE) {
      writer.u16(0);
    } else {
      writer.u16(TAKES_LENGTH).u16(TAKES).u16(4).i32(sender.takes());
    }
    return length;
  }

  static @Nullable Greeting parse(byte[] m, int off, int length, int kind) {
    var reader = BodyReader.of(m, off, length, kind);
    int version = reader.u16();
    int checksumCode = reader.u8();
    boolean lossless = (reader.u8() & FLAG_LOSSLESS) != 0;
    int rank = reader.i32();
    long incarnation = reader.i64();
    long connectionId = reader.i64();
    long about = reader.i64();
    long maxMessageLength = reader.i64();
    long channelCredit = reader.i64();
    long eagerLimit = reader.i64();
    int ackDelay = reader.i32();
    int receiveBuffer = reader.i32();
    int maxPacketLength = reader.i32();
    int nameLength = reader.u8();
    int wantedLength = reader.u8();
    int cookieLength = reader.u8();
    int addressCount = reader.u8();
    String name = reader.name(nameLength);
    String wanted = reader.name(wantedLength);
    Cookie cookie = reader.cookie(cookieLength);
    List<RailAddress> addresses = reader.addresses(addressCount);
    int takes = reader.extensions();
    reader.require(version >= 1 && connectionId != 0 && rank >= Introduction.NO_RANK);
    reader.require(!name.isEmpty() && RailInfo.isSound(receiveBuffer, maxPacketLength));
    reader.require(
        Limits.isSound(maxMessageLength, checksumCode, channelCredit, eagerLimit, ackDelay));
    if (!reader.isSound() || PacketHeader.rail(m, off) > PacketHeader.MAX_RAIL) {
      return null;
    }
    var limits = new Limits(maxMessageLength, checksumCode, channelCredit, eagerLimit, ackDelay);
    var railInfo = new RailInfo(receiveBuffer, maxPacketLength, lossless);
    return new Greeting(
        version,
        PacketHeader.rail(m, off),
        PacketHeader.connectionId(m, off),
        about,
        wanted,
        cookie,
        new Introduction(
            incarnation, name, rank, connectionId, limits, railInfo, addresses, takes));
  }
}

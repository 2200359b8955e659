// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.reliability.wire;

import org.jspecify.annotations.Nullable;

/**
 * The responder's answer to {@link Init}, sent without keeping any state: come again with this
 * cookie (R23). Its layout is the same in every version.
 *
 * <pre>
 *     0        1        2        3        4        5        6        7
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 24 |     version     |cookie l|                      0                     |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 32 |                      incarnation of the initiator                     |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 40 |                      incarnation of the responder                     |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 48 | cookie, zero padding to a multiple of 8                               |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * </pre>
 *
 * @param version the wire version that the responder picked among those offered
 * @param incarnation the initiator's incarnation, echoed
 * @param responder the responder's own incarnation: a connection id that its predecessor was told
 *     is not used with it (R11)
 * @param cookie to be brought back in {@link Hello}
 */
public record Retry(int version, long incarnation, long responder, Cookie cookie) {
  /** Checks the version. */
  public Retry {
    if (version < 1 || version > 0xffff) {
      throw new IllegalArgumentException("not a version: " + version);
    }
  }

  /**
   * Writes the packet, on rail 0, which {@link PacketHeader#seal} completes, and returns its
   * length.
   *
   * @param limit bytes there are for it
   */
  public int encode(byte[] m, int off, int limit) {
    int length = PacketHeader.LENGTH + 24 + Layouts.padded(cookie.length());
    BodyWriter.begin(m, off, limit, length, PacketHeader.RETRY, 0, 0)
        .u16(version)
        .u8(cookie.length())
        .u8(0)
        .i32(0)
        .i64(incarnation)
        .i64(responder)
        .bytes(cookie.toByteArray());
    return length;
  }

  /** Reads a packet that {@link PacketValidator} let pass, or returns null if it is malformed. */
  public static @Nullable Retry parse(byte[] m, int off, int length) {
    var reader = BodyReader.of(m, off, length, PacketHeader.RETRY);
    int version = reader.u16();
    int cookieLength = reader.u8();
    reader.skip(5);
    long incarnation = reader.i64();
    long responder = reader.i64();
    Cookie cookie = reader.cookie(cookieLength);
    reader.require(version >= 1);
    return reader.isSound() ? new Retry(version, incarnation, responder, cookie) : null;
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.reliability.wire;

import org.jspecify.annotations.Nullable;

/**
 * The first packet of a handshake: who asks, for whom, and in which versions. As long as any answer
 * to it, so that nobody can be made to amplify (R23). Its layout is the same in every version.
 *
 * <pre>
 *     0        1        2        3        4        5        6        7
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 24 |   min version   |   max version   |name len|wanted l|        0        |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 32 |                      incarnation of the initiator                     |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 40 | name, wanted name, zero padding to 1200 bytes                         |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * </pre>
 *
 * @param minVersion the lowest wire version that the initiator speaks, 1 or more
 * @param maxVersion the highest one
 * @param incarnation the initiator's incarnation
 * @param name the initiator's name
 * @param wantedName the name of the node it wants to reach, empty for whoever answers
 */
public record Init(
    int minVersion, int maxVersion, long incarnation, String name, String wantedName) {
  /** Length of the packet in bytes. */
  public static final int LENGTH = PacketHeader.MAX_HANDSHAKE_LENGTH;

  private static final int INCARNATION = PacketHeader.LENGTH + 8;

  /** Checks names and versions. */
  public Init {
    NodeName.require(name);
    if (!wantedName.isEmpty()) {
      NodeName.require(wantedName);
    }
    if (!areVersions(minVersion, maxVersion)) {
      throw new IllegalArgumentException("not versions: " + minVersion + " to " + maxVersion);
    }
  }

  static boolean areVersions(int min, int max) {
    return min >= 1 && min <= max && max <= 0xffff;
  }

  /**
   * Writes the packet, on rail 0, which {@link PacketHeader#seal} completes, and returns its
   * length.
   *
   * @param limit bytes there are for it
   */
  public int encode(byte[] m, int off, int limit) {
    byte[] nameBytes = Text.bytes(name);
    byte[] wantedBytes = Text.bytes(wantedName);
    BodyWriter.begin(m, off, limit, LENGTH, PacketHeader.INIT, 0, 0)
        .u16(minVersion)
        .u16(maxVersion)
        .u8(nameBytes.length)
        .u8(wantedBytes.length)
        .u16(0)
        .i64(incarnation)
        .bytes(nameBytes)
        .bytes(wantedBytes);
    return LENGTH;
  }

  /**
   * The incarnation in a packet that {@link PacketValidator} let pass, even if it is malformed
   * otherwise: so whoever sent it can be told.
   */
  public static long incarnation(byte[] m, int off) {
    return Layouts.i64(m, off + INCARNATION);
  }

  /** Reads a packet that {@link PacketValidator} let pass, or returns null if it is malformed. */
  public static @Nullable Init parse(byte[] m, int off, int length) {
    var reader = BodyReader.of(m, off, length, PacketHeader.INIT);
    int min = reader.u16();
    int max = reader.u16();
    int nameLength = reader.u8();
    int wantedLength = reader.u8();
    reader.skip(2);
    long incarnation = reader.i64();
    String name = reader.name(nameLength);
    String wanted = reader.name(wantedLength);
    reader.require(length == LENGTH && areVersions(min, max) && !name.isEmpty());
    return reader.isSound() ? new Init(min, max, incarnation, name, wanted) : null;
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.wire;

import static io.crosstie.reliability.wire.Layouts.i32;
import static io.crosstie.reliability.wire.Layouts.putI32;
import static io.crosstie.reliability.wire.Layouts.putI64;
import static io.crosstie.reliability.wire.Layouts.putU8;
import static io.crosstie.reliability.wire.Layouts.u8;

/**
 * A message of no channel that is sent once: its packet is acknowledged, and never its content
 * (R35).
 *
 * <pre>
 *     0        1        2        3        4        5        6        7
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 0  |  type  | header |        0        |           payload length          |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 8  |          payload checksum         |                 0                 |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * </pre>
 */
public final class DatagramFrame {
  /** Type of this frame. */
  public static final int TYPE = 0x18;

  /** Offset of the length of the header. */
  public static final int HEADER_LENGTH = 1;

  /** Offset of the payload length. */
  public static final int PAYLOAD_LENGTH = 4;

  /** Offset of the payload checksum. */
  public static final int CHECKSUM = 8;

  /** Length of this frame in bytes. */
  public static final int LENGTH = 16;

  private DatagramFrame() {}

  /**
   * Writes the frame and returns its length.
   *
   * @param headerLength how many of the payload's bytes are header, 0 to {@link
   *     EagerFrame#MAX_HEADER_LENGTH}
   */
  public static int encode(byte[] m, int off, int headerLength, int payloadLength, int checksum) {
    putI64(m, off, TYPE);
    putU8(m, off + HEADER_LENGTH, headerLength);
    putI32(m, off + PAYLOAD_LENGTH, payloadLength);
    putI64(m, off + CHECKSUM, Integer.toUnsignedLong(checksum));
    return LENGTH;
  }

  /** Sets the payload checksum, once it is known. */
  public static void setChecksum(byte[] m, int off, int checksum) {
    putI32(m, off + CHECKSUM, checksum);
  }

  /** How many of the payload's first bytes are header. */
  public static int headerLength(byte[] m, int off) {
    return u8(m, off + HEADER_LENGTH);
  }

  /** Bytes of the message, its header among them. */
  public static int payloadLength(byte[] m, int off) {
    return i32(m, off + PAYLOAD_LENGTH);
  }

  /** The checksum of these bytes. */
  public static int checksum(byte[] m, int off) {
    return i32(m, off + CHECKSUM);
  }
}

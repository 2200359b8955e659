// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.wire;

import static io.crosstie.reliability.wire.Layouts.i64;
import static io.crosstie.reliability.wire.Layouts.putI64;
import static io.crosstie.reliability.wire.Layouts.putU8;
import static io.crosstie.reliability.wire.Layouts.u8;

/**
 * A part of one message that has its place in a region of the receiver (R27). Laid out as {@link
 * FragmentFrame}, whose methods read it too, with the place behind: it is in every fragment, since
 * a later one may come first.
 *
 * <pre>
 *     0        1        2        3        4        5        6        7
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 0  |  type  |  kind  | header |   0    |              channel              |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 8  |                             message number                            |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 16 |           payload length          |          payload checksum         |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 24 |                                 offset                                |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 32 |                             message length                            |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 40 |                           key of the region                           |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 48 |                             target offset                             |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * </pre>
 *
 * <p>The message's header is not placed: it is the notification, which the first fragment has
 * whole. What lies behind it goes to the region from the target offset on. What requests and
 * answers differ in is told in {@link PlacedKind}.
 */
public final class PlacedFrame {
  /** Type of this frame. */
  public static final int TYPE = 0x16;

  /** Offset of the kind. */
  public static final int KIND = 1;

  /** Offset of the key. */
  public static final int KEY = FragmentFrame.LENGTH;

  /** Offset of the target offset. */
  public static final int TARGET_OFFSET = KEY + 8;

  /** Length of this frame in bytes. */
  public static final int LENGTH = TARGET_OFFSET + 8;

  private PlacedFrame() {}

  /**
   * Writes the frame and returns its length.
   *
   * @param key of the region, not 0
   * @param targetOffset where in the region the first byte behind the message's header goes
   */
  public static int encode(
      byte[] m,
      int off,
      int headerLength,
      int channel,
      long messageNumber,
      int payloadLength,
      int checksum,
      long offset,
      long messageLength,
      long key,
      long targetOffset) {
    int unused =
        FragmentFrame.encode(
            m, off, 0, channel, messageNumber, payloadLength, checksum, offset, messageLength);
    putU8(m, off, TYPE);
    FragmentFrame.setHeaderLength(m, off, headerLength);
    putI64(m, off + KEY, key);
    putI64(m, off + TARGET_OFFSET, targetOffset);
    return LENGTH;
  }

  /** Says of what kind of {@link PlacedKind} it is, in a frame that says PUT. */
  public static void setKind(byte[] m, int off, int kind) {
    putU8(m, off + KIND, kind);
  }

  /** Of what kind of {@link PlacedKind} it is. */
  public static int kind(byte[] m, int off) {
    return u8(m, off + KIND);
  }

  /** The key of the region, not 0; the number of the request in an answer. */
  public static long key(byte[] m, int off) {
    return i64(m, off + KEY);
  }

  /** Where in the region the first byte behind the message's header goes; never negative. */
  public static long targetOffset(byte[] m, int off) {
    return i64(m, off + TARGET_OFFSET);
  }
}

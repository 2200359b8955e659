// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.wire;

import static io.crosstie.reliability.wire.Layouts.i64;
import static io.crosstie.reliability.wire.Layouts.putI64;
import static io.crosstie.reliability.wire.Layouts.putU8;

/**
 * A part of one message that is not in the packet: the receiver reads it out of the sender's
 * memory. Laid out as {@link FragmentFrame}, whose methods read it too, with the address behind.
 * Sent only where the receiver said that it can ({@link RailInfoFrame#PULLS}).
 *
 * <pre>
 *     0        1        2        3        4        5        6        7
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 0  |  type  |   0    | header |   0    |              channel              |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 8  |                             message number                            |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 16 |               length              |              checksum             |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 24 |                                 offset                                |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 32 |                             message length                            |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 40 |                     address in the sender's process                   |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * </pre>
 */
public final class ReferenceFrame {
  /** Type of this frame. */
  public static final int TYPE = 0x12;

  /** Offset of the address. */
  public static final int ADDRESS = FragmentFrame.LENGTH;

  /** Length of this frame in bytes. */
  public static final int LENGTH = ADDRESS + 8;

  private ReferenceFrame() {}

  /** Writes the frame, without checksum and address, and returns its length. */
  public static int encode(
      byte[] m,
      int off,
      int channel,
      long messageNumber,
      int length,
      long offset,
      long messageLength) {
    int unused =
        FragmentFrame.encode(m, off, 0, channel, messageNumber, length, 0, offset, messageLength);
    putU8(m, off, TYPE);
    putI64(m, off + ADDRESS, 0);
    return LENGTH;
  }

  /** Where the bytes lie in the sender's process; any number. */
  public static long address(byte[] m, int off) {
    return i64(m, off + ADDRESS);
  }

  /** Fills in what is known only when the packet leaves. */
  public static void complete(byte[] m, int off, int checksum, long address) {
    FragmentFrame.setChecksum(m, off, checksum);
    putI64(m, off + ADDRESS, address);
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.wire;

import static io.crosstie.reliability.wire.Layouts.i64;
import static io.crosstie.reliability.wire.Layouts.putI64;
import static io.crosstie.reliability.wire.Layouts.putU8;

/**
 * To {@link PlacedFrame} what {@link ReferenceFrame} is to {@link FragmentFrame}: the receiver
 * reads the bytes out of the sender's memory, and places them.
 *
 * <pre>
 *     0        1        2        3        4        5        6        7
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 0  | 56 bytes as in PlacedFrame                                            |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 56 |                     address in the sender's process                   |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * </pre>
 */
public final class PlacedReferenceFrame {
  /** Type of this frame. */
  public static final int TYPE = 0x17;

  /** Offset of the address. */
  public static final int ADDRESS = PlacedFrame.LENGTH;

  /** Length of this frame in bytes. */
  public static final int LENGTH = ADDRESS + 8;

  private PlacedReferenceFrame() {}

  /** Writes the frame and returns its length; see {@link PlacedFrame#encode}. */
  public static int encode(
      byte[] m,
      int off,
      int headerLength,
      int channel,
      long messageNumber,
      int length,
      int checksum,
      long offset,
      long messageLength,
      long key,
      long targetOffset,
      long address) {
    int at =
        PlacedFrame.encode(
            m,
            off,
            headerLength,
            channel,
            messageNumber,
            length,
            checksum,
            offset,
            messageLength,
            key,
            targetOffset);
    putU8(m, off, TYPE);
    putI64(m, off + at, address);
    return LENGTH;
  }

  /** Where the bytes lie in the sender's process; any number. */
  public static long address(byte[] m, int off) {
    return i64(m, off + ADDRESS);
  }
}

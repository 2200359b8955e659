// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.reliability.wire;

import static io.crosstie.reliability.wire.Layouts.i32;
import static io.crosstie.reliability.wire.Layouts.putI32;
import static io.crosstie.reliability.wire.Layouts.putI64;

/**
 * Bytes without meaning, which make a packet as long as a path-MTU probe has to be (R20).
 *
 * <pre>
 *     0        1        2        3        4        5        6        7
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 0  |  type  |            0             |           payload length          |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * </pre>
 */
public final class PaddingFrame {
  /** Type of this frame. */
  public static final int TYPE = 0x01;

  /** Offset of the payload length. */
  public static final int PAYLOAD_LENGTH = 4;

  /** Length of this frame in bytes. */
  public static final int LENGTH = 8;

  private PaddingFrame() {}

  /** Writes the frame and returns its length. */
  public static int encode(byte[] m, int off, int payloadLength) {
    putI64(m, off, TYPE);
    putI32(m, off + PAYLOAD_LENGTH, payloadLength);
    return LENGTH;
  }

  /** Bytes of payload to ignore. */
  public static int payloadLength(byte[] m, int off) {
    return i32(m, off + PAYLOAD_LENGTH);
  }
}

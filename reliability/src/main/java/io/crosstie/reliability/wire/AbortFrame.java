// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.reliability.wire;

import static io.crosstie.reliability.wire.Layouts.i32;
import static io.crosstie.reliability.wire.Layouts.i64;
import static io.crosstie.reliability.wire.Layouts.putI32;
import static io.crosstie.reliability.wire.Layouts.putI64;

/**
 * The sender gave up one message, because the memory it had been lent could not be read any more.
 * The receiver counts it as there, and never delivers it.
 *
 * <pre>
 *     0        1        2        3        4        5        6        7
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 0  |  type  |            0             |              channel              |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 8  |                            message number                             |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * </pre>
 */
public final class AbortFrame {
  /** Type of this frame. */
  public static final int TYPE = 0x11;

  /** Offset of the channel. */
  public static final int CHANNEL = 4;

  /** Offset of the message number. */
  public static final int MESSAGE_NUMBER = 8;

  /** Length of this frame in bytes. */
  public static final int LENGTH = 16;

  private AbortFrame() {}

  /** Writes the frame and returns its length. */
  public static int encode(byte[] m, int off, int channel, long messageNumber) {
    putI64(m, off, TYPE);
    putI32(m, off + CHANNEL, channel);
    putI64(m, off + MESSAGE_NUMBER, messageNumber);
    return LENGTH;
  }

  /** The channel, never negative. */
  public static int channel(byte[] m, int off) {
    return i32(m, off + CHANNEL);
  }

  /** The message, 1 or more. */
  public static long messageNumber(byte[] m, int off) {
    return i64(m, off + MESSAGE_NUMBER);
  }
}

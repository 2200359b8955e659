// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.reliability.wire;

import static io.crosstie.reliability.wire.Layouts.i32;
import static io.crosstie.reliability.wire.Layouts.i64;
import static io.crosstie.reliability.wire.Layouts.putI32;
import static io.crosstie.reliability.wire.Layouts.putI64;

/**
 * The sender offers nothing more on one channel.
 *
 * <pre>
 *     0        1        2        3        4        5        6        7
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 0  |  type  |            0             |              channel              |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 8  |                          last message number                          |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * </pre>
 */
public final class ChannelFinFrame {
  /** Type of this frame. */
  public static final int TYPE = 0x0a;

  /** Offset of the channel. */
  public static final int CHANNEL = 4;

  /** Offset of the number of the last message. */
  public static final int LAST_MESSAGE_NUMBER = 8;

  /** Length of this frame in bytes. */
  public static final int LENGTH = 16;

  private ChannelFinFrame() {}

  /** Writes the frame and returns its length. */
  public static int encode(byte[] m, int off, int channel, long lastMessageNumber) {
    putI64(m, off, TYPE);
    putI32(m, off + CHANNEL, channel);
    putI64(m, off + LAST_MESSAGE_NUMBER, lastMessageNumber);
    return LENGTH;
  }

  /** The channel, never negative. */
  public static int channel(byte[] m, int off) {
    return i32(m, off + CHANNEL);
  }

  /** The last message of the channel, 0 if there was none. */
  public static long lastMessageNumber(byte[] m, int off) {
    return i64(m, off + LAST_MESSAGE_NUMBER);
  }
}

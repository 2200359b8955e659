// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.reliability.wire;

import static io.crosstie.reliability.wire.Layouts.INT;
import static io.crosstie.reliability.wire.Layouts.LONG;

import java.lang.foreign.MemorySegment;

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
public final class AbortFrame {
  /** Offset of the channel. */
  public static final int CHANNEL = 4;

  /** Offset of the number of the last message. */
  public static final int LAST_MESSAGE_NUMBER = 8;

  /** Length of this frame in bytes. */
  public static final int LENGTH = 16;

  private AbortFrame() {}

  /** Writes the frame and returns its length. */
  public static int encode(MemorySegment m, long off, int channel, long lastMessageNumber) {
    m.set(LONG, off, Frames.CHANNEL_FIN);
    m.set(INT, off + CHANNEL, channel);
    m.set(LONG, off + LAST_MESSAGE_NUMBER, lastMessageNumber);
    return LENGTH;
  }

  /** The channel, never negative. */
  public static int channel(MemorySegment m, long off) {
    return m.get(INT, off + CHANNEL);
  }

  /** The last message of the channel, 0 if there was none. */
  public static long lastMessageNumber(MemorySegment m, long off) {
    return m.get(LONG, off + LAST_MESSAGE_NUMBER);
  }
}

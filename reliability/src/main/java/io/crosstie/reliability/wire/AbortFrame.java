// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.reliability.wire;

import static io.crosstie.reliability.wire.Layouts.INT;
import static io.crosstie.reliability.wire.Layouts.LONG;

import java.lang.foreign.MemorySegment;

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
  /** Offset of the channel. */
  public static final int CHANNEL = 4;

  /** Offset of the message number. */
  public static final int MESSAGE_NUMBER = 8;

  /** Length of this frame in bytes. */
  public static final int LENGTH = 16;

  private AbortFrame() {}

  /** Writes the frame and returns its length. */
  public static int encode(MemorySegment m, long off, int channel, long messageNumber) {
    m.set(LONG, off, Frames.ABORT);
    m.set(INT, off + CHANNEL, channel);
    m.set(LONG, off + MESSAGE_NUMBER, messageNumber);
    return LENGTH;
  }

  /** The channel, never negative. */
  public static int channel(MemorySegment m, long off) {
    return m.get(INT, off + CHANNEL);
  }

  /** The message, 1 or more. */
  public static long messageNumber(MemorySegment m, long off) {
    return m.get(LONG, off + MESSAGE_NUMBER);
  }
}

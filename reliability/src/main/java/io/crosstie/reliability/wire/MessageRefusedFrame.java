// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.wire;

import static io.crosstie.reliability.wire.Layouts.i32;
import static io.crosstie.reliability.wire.Layouts.i64;
import static io.crosstie.reliability.wire.Layouts.putI32;
import static io.crosstie.reliability.wire.Layouts.putI64;
import static io.crosstie.reliability.wire.Layouts.putU8;
import static io.crosstie.reliability.wire.Layouts.u8;

/**
 * The sender of this frame does not take one message, placed or of unknown length. The peer gives
 * it up, and answers with {@link AbortFrame}.
 *
 * <pre>
 *     0        1        2        3        4        5        6        7
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 0  |  type  | reason |        0        |              channel              |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 8  |                             message number                            |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * </pre>
 */
public final class MessageRefusedFrame {
  /** Type of this frame. */
  public static final int TYPE = 0x15;

  /** Reason: the reader does not want it. Any reason not known is taken for this one. */
  public static final int NOT_WANTED = 1;

  /** Reason: the key is that of no open region. */
  public static final int NO_REGION = 2;

  /** Reason: the peer has no right to write there. */
  public static final int NO_RIGHT = 3;

  /** Reason: it does not lie within the region. */
  public static final int OUT_OF_REGION = 4;

  /** Reason: it has grown longer than the receiver takes. */
  public static final int TOO_LONG = 5;

  /** Offset of the reason. */
  public static final int REASON = 1;

  /** Offset of the channel. */
  public static final int CHANNEL = 4;

  /** Offset of the message number. */
  public static final int MESSAGE_NUMBER = 8;

  /** Length of this frame in bytes. */
  public static final int LENGTH = 16;

  private MessageRefusedFrame() {}

  /** Writes the frame and returns its length. */
  public static int encode(byte[] m, int off, int channel, long messageNumber, int reason) {
    putI64(m, off, TYPE);
    putU8(m, off + REASON, reason);
    putI32(m, off + CHANNEL, channel);
    putI64(m, off + MESSAGE_NUMBER, messageNumber);
    return LENGTH;
  }

  /** Why, 1 or more. */
  public static int reason(byte[] m, int off) {
    return u8(m, off + REASON);
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

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
 * How far one channel has come at the receiver: the acknowledgement of data, as opposed to packets
 * (R4), and the credit (R12).
 *
 * <pre>
 *     0        1        2        3        4        5        6        7
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 0  |  type  | flags  |        0        |              channel              |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 8  |                                accepted                               |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 16 |                                consumed                               |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 24 |                              credit limit                             |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * </pre>
 *
 * <p>All three only ever grow; the frame with the larger numbers is the later one.
 */
public final class ChannelStateFrame {
  /** Type of this frame. */
  public static final int TYPE = 0x07;

  /** Flag: the CHANNEL_FIN of this use of the number has arrived. */
  public static final int FIN_KNOWN = 1;

  /** Offset of the flags. */
  public static final int FLAGS = 1;

  /** Offset of the channel. */
  public static final int CHANNEL = 4;

  /** Offset of the highest message accepted. */
  public static final int ACCEPTED = 8;

  /** Offset of the highest message consumed. */
  public static final int CONSUMED = 16;

  /** Offset of the credit limit. */
  public static final int CREDIT_LIMIT = 24;

  /** Length of this frame in bytes. */
  public static final int LENGTH = 32;

  private ChannelStateFrame() {}

  /** Writes the frame and returns its length. */
  public static int encode(
      byte[] m, int off, int flags, int channel, long accepted, long consumed, long creditLimit) {
    putI64(m, off, TYPE);
    putU8(m, off + FLAGS, flags);
    putI32(m, off + CHANNEL, channel);
    putI64(m, off + ACCEPTED, accepted);
    putI64(m, off + CONSUMED, consumed);
    putI64(m, off + CREDIT_LIMIT, creditLimit);
    return LENGTH;
  }

  /** The flags: {@link #FIN_KNOWN}. */
  public static int flags(byte[] m, int off) {
    return u8(m, off + FLAGS);
  }

  /** The channel, never negative. */
  public static int channel(byte[] m, int off) {
    return i32(m, off + CHANNEL);
  }

  /** All messages up to this one are safe at the receiver. */
  public static long accepted(byte[] m, int off) {
    return i64(m, off + ACCEPTED);
  }

  /** All messages up to this one were handled; at most {@link #accepted}. */
  public static long consumed(byte[] m, int off) {
    return i64(m, off + CONSUMED);
  }

  /** The cumulative number of bytes that may be sent on this channel. */
  public static long creditLimit(byte[] m, int off) {
    return i64(m, off + CREDIT_LIMIT);
  }
}

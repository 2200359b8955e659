// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.reliability.wire;

import static io.crosstie.reliability.wire.Layouts.i32;
import static io.crosstie.reliability.wire.Layouts.i64;
import static io.crosstie.reliability.wire.Layouts.putI32;
import static io.crosstie.reliability.wire.Layouts.putI64;
import static io.crosstie.reliability.wire.Layouts.u16;

/**
 * Asks for room for one large message, or of length 0, for the channel's state.
 *
 * <pre>
 *     0        1        2        3        4        5        6        7
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 0  |  type  | behind |      round      |              channel              |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 8  |                             message number                            |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 16 |                             message length                            |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * </pre>
 *
 * <p>{@code behind} is 0 if no announced message before this one waits for its grant; else so many
 * messages before it there is the last one that does.
 */
public final class RtsFrame {
  /** Type of this frame. */
  public static final int TYPE = 0x08;

  /** Offset of the distance to the large message before it. */
  public static final int BEHIND = 1;

  /** The largest distance. */
  public static final int MOST_BEHIND = 255;

  /** Offset of the round. */
  public static final int ROUND = 2;

  /** Offset of the channel. */
  public static final int CHANNEL = 4;

  /** Offset of the message number. */
  public static final int MESSAGE_NUMBER = 8;

  /** Offset of the length of the message. */
  public static final int MESSAGE_LENGTH = 16;

  /** Length of this frame in bytes. */
  public static final int LENGTH = 24;

  private RtsFrame() {}

  /**
   * Writes the frame and returns its length.
   *
   * @param behind 0 to {@link #MOST_BEHIND}
   * @param round how often grants of this channel were revoked; the lower 16 bits count
   */
  public static int encode(
      byte[] m,
      int off,
      int channel,
      long messageNumber,
      long messageLength,
      int behind,
      int round) {
    putI64(m, off, TYPE | (long) behind << (8 * BEHIND) | (long) (round & 0xffff) << (8 * ROUND));
    putI32(m, off + CHANNEL, channel);
    putI64(m, off + MESSAGE_NUMBER, messageNumber);
    putI64(m, off + MESSAGE_LENGTH, messageLength);
    return LENGTH;
  }

  /** So many messages before it is one that was announced and waits too; 0 for none. */
  public static int behind(byte[] m, int off) {
    return m[off + BEHIND] & 0xff;
  }

  /** How often grants of this channel were revoked, modulo 65536. */
  public static int round(byte[] m, int off) {
    return u16(m, off + ROUND);
  }

  /** The channel, never negative. */
  public static int channel(byte[] m, int off) {
    return i32(m, off + CHANNEL);
  }

  /** The message, 1 or more. */
  public static long messageNumber(byte[] m, int off) {
    return i64(m, off + MESSAGE_NUMBER);
  }

  /** Bytes of the message, 1 or more; 0 asks for the state of the channel alone. */
  public static long messageLength(byte[] m, int off) {
    return i64(m, off + MESSAGE_LENGTH);
  }
}

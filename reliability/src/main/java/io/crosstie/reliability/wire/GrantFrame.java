// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.reliability.wire;

import static io.crosstie.reliability.wire.Layouts.i32;
import static io.crosstie.reliability.wire.Layouts.i64;
import static io.crosstie.reliability.wire.Layouts.putI32;
import static io.crosstie.reliability.wire.Layouts.putI64;
import static io.crosstie.reliability.wire.Layouts.u16;

/**
 * Grants of a channel: given by a CTS, taken back by a REVOKE.
 *
 * <p>CTS: there is room for the named message, which was announced, all of it. REVOKE: grants are
 * taken back, for the named message and all behind it that were not accepted. What is here of them
 * is dropped; their sender announces them again, in the round that this begins, and sends them
 * again whole.
 *
 * <pre>
 *     0        1        2        3        4        5        6        7
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 0  |  type  |   0    |      round      |              channel              |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 8  |                             message number                            |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * </pre>
 */
public final class GrantFrame {
  /** Type of the frame that gives a grant. */
  public static final int CTS = 0x09;

  /** Type of the frame that takes grants back. */
  public static final int REVOKE = 0x13;

  /** Offset of the round. */
  public static final int ROUND = 2;

  /** Offset of the channel. */
  public static final int CHANNEL = 4;

  /** Offset of the message number. */
  public static final int MESSAGE_NUMBER = 8;

  /** Length of this frame in bytes. */
  public static final int LENGTH = 16;

  private GrantFrame() {}

  /**
   * Writes the frame and returns its length.
   *
   * @param type {@link #CTS} or {@link #REVOKE}
   * @param round how often grants of this channel were revoked, with this; the lower 16 bits count
   */
  public static int encode(
      byte[] m, int off, int type, int channel, long messageNumber, int round) {
    putI64(m, off, type | (long) (round & 0xffff) << (8 * ROUND));
    putI32(m, off + CHANNEL, channel);
    putI64(m, off + MESSAGE_NUMBER, messageNumber);
    return LENGTH;
  }

  /** How often grants of this channel were revoked, modulo 65536; by serial number arithmetic. */
  public static int round(byte[] m, int off) {
    return u16(m, off + ROUND);
  }

  /** The channel, never negative. */
  public static int channel(byte[] m, int off) {
    return i32(m, off + CHANNEL);
  }

  /** The message, of a REVOKE the first of those that it is about; 1 or more. */
  public static long messageNumber(byte[] m, int off) {
    return i64(m, off + MESSAGE_NUMBER);
  }
}

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
 * A part of one message, addressed by bytes (R2).
 *
 * <pre>
 *     0        1        2        3        4        5        6        7
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 0  |  type  | flags  | header |   0    |              channel              |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 8  |                             message number                            |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 16 |           payload length          |          payload checksum         |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 24 |                                 offset                                |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 32 |                             message length                            |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * </pre>
 *
 * <p>As long as the length of the message is not known, {@link #OPEN}, it says how much of it there
 * is so far.
 */
public final class FragmentFrame {
  /** Type of this frame. */
  public static final int TYPE = 0x06;

  /** Flag: the length of the message is not known yet. */
  public static final int OPEN = 1;

  /** Flag: it is known now, where it was not before; such a fragment may be empty. */
  public static final int FINAL = 2;

  /** Offset of the flags. */
  public static final int FLAGS = 1;

  /** Offset of the length of the message's header. */
  public static final int HEADER_LENGTH = 2;

  /** Offset of the channel. */
  public static final int CHANNEL = 4;

  /** Offset of the message number. */
  public static final int MESSAGE_NUMBER = 8;

  /** Offset of the payload length. */
  public static final int PAYLOAD_LENGTH = 16;

  /** Offset of the payload checksum. */
  public static final int CHECKSUM = 20;

  /** Offset of the position of the payload in the message. */
  public static final int OFFSET = 24;

  /** Offset of the length of the whole message. */
  public static final int MESSAGE_LENGTH = 32;

  /** Length of this frame in bytes. */
  public static final int LENGTH = 40;

  private FragmentFrame() {}

  /** Writes the frame of a message without a header, and returns its length. */
  public static int encode(
      byte[] m,
      int off,
      int flags,
      int channel,
      long messageNumber,
      int payloadLength,
      int checksum,
      long offset,
      long messageLength) {
    putI64(m, off, TYPE);
    putU8(m, off + FLAGS, flags);
    putI32(m, off + CHANNEL, channel);
    putI64(m, off + MESSAGE_NUMBER, messageNumber);
    putI32(m, off + PAYLOAD_LENGTH, payloadLength);
    putI32(m, off + CHECKSUM, checksum);
    putI64(m, off + OFFSET, offset);
    putI64(m, off + MESSAGE_LENGTH, messageLength);
    return LENGTH;
  }

  /** Has the frame tell how long the message's header is. */
  public static void setHeaderLength(byte[] m, int off, int headerLength) {
    putU8(m, off + HEADER_LENGTH, headerLength);
  }

  /** The flags, {@link #OPEN} or {@link #FINAL}. */
  public static int flags(byte[] m, int off) {
    return u8(m, off + FLAGS);
  }

  /** How many of the message's first bytes are header; the same in all of its fragments. */
  public static int headerLength(byte[] m, int off) {
    return u8(m, off + HEADER_LENGTH);
  }

  /** The channel, never negative. */
  public static int channel(byte[] m, int off) {
    return i32(m, off + CHANNEL);
  }

  /** The message, 1 or more. */
  public static long messageNumber(byte[] m, int off) {
    return i64(m, off + MESSAGE_NUMBER);
  }

  /** Bytes of the message in this packet; 0 only in a {@link #FINAL} one. */
  public static int payloadLength(byte[] m, int off) {
    return i32(m, off + PAYLOAD_LENGTH);
  }

  /** The checksum of these bytes. */
  public static int checksum(byte[] m, int off) {
    return i32(m, off + CHECKSUM);
  }

  /** Where these bytes lie in the message. */
  public static long offset(byte[] m, int off) {
    return i64(m, off + OFFSET);
  }

  /** Bytes of the whole message, as far as they are known. */
  public static long messageLength(byte[] m, int off) {
    return i64(m, off + MESSAGE_LENGTH);
  }

  /** Has the frame tell of other bytes of the message, of which there are as many. */
  public static void setOffset(byte[] m, int off, long offset) {
    putI64(m, off + OFFSET, offset);
  }

  /** Fills in the checksum, which is known only once the payload was copied. */
  public static void setChecksum(byte[] m, int off, int checksum) {
    putI32(m, off + CHECKSUM, checksum);
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.reliability.wire;

import static io.crosstie.reliability.wire.Layouts.i32;
import static io.crosstie.reliability.wire.Layouts.i64;
import static io.crosstie.reliability.wire.Layouts.padded;
import static io.crosstie.reliability.wire.Layouts.putI32;
import static io.crosstie.reliability.wire.Layouts.putI64;
import static io.crosstie.reliability.wire.Layouts.putU16;
import static io.crosstie.reliability.wire.Layouts.u16;
import static io.crosstie.reliability.wire.Layouts.u8;

/**
 * One whole message, or several short ones of one channel with consecutive numbers, which then
 * share one checksum.
 *
 * <pre>
 *     0        1        2        3        4        5        6        7
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 0  |  type  |headers |      count      |              channel              |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 8  |                          first message number                         |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 16 |           payload length          |          payload checksum         |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 24 |     length 0    |     length 1    |       ...       |   zero padding  |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * </pre>
 *
 * <p>The message lengths are there only if the count is more than one; their sum is the payload
 * length. The payload is the messages, one behind the other.
 *
 * <p>{@code headers} is the length of the header that a single message begins with. For several it
 * is 0, or {@link #HEADER_LENGTHS} if each entry has a header length besides the message length:
 *
 * <pre>
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 24 |     length 0    |header 0|   0    |     length 1    |header 1|   0    |  ...
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * </pre>
 */
public final class EagerFrame {
  /** Type of this frame. */
  public static final int TYPE = 0x05;

  /** Offset of the header length of a single message, 0, or {@link #HEADER_LENGTHS}. */
  public static final int HEADERS = 1;

  /** Offset of the number of messages. */
  public static final int COUNT = 2;

  /** Offset of the channel. */
  public static final int CHANNEL = 4;

  /** Offset of the number of the first message. */
  public static final int FIRST_MESSAGE = 8;

  /** Offset of the payload length. */
  public static final int PAYLOAD_LENGTH = 16;

  /** Offset of the payload checksum. */
  public static final int CHECKSUM = 20;

  /** Offset of the message lengths. */
  public static final int MESSAGE_LENGTHS = 24;

  /** Longest message that can share a frame with others, in bytes. */
  public static final int MAX_SHARED_LENGTH = 0xffff;

  /** Longest header of a message, in bytes. */
  public static final int MAX_HEADER_LENGTH = 32;

  /** In {@link #HEADERS} of several messages: each has its header length beside its length. */
  public static final int HEADER_LENGTHS = 1;

  private static final int LENGTHS_PER_WORD = 4;

  private EagerFrame() {}

  /** Length in bytes of a frame with that many messages. */
  public static int length(int count) {
    return count == 1 ? MESSAGE_LENGTHS : MESSAGE_LENGTHS + padded(2 * count);
  }

  /** Length in bytes of a frame with that many messages, 2 or more, and their header lengths. */
  public static int lengthWithHeaders(int count) {
    return MESSAGE_LENGTHS + padded(4 * count);
  }

  /** How many messages a frame of at most that many bytes can hold, 1 or more. */
  public static int mostMessages(int frameLength) {
    return Math.max(1, (frameLength - MESSAGE_LENGTHS) / Layouts.WORD * LENGTHS_PER_WORD);
  }

  /** Length in bytes of a validated frame. */
  public static int length(byte[] m, int off) {
    int count = count(m, off);
    return count > 1 && u8(m, off + HEADERS) != 0 ? lengthWithHeaders(count) : length(count);
  }

  /**
   * Writes a frame that holds one message, and returns its length.
   *
   * @param headerLength how many of the payload's bytes are header, 0 to {@link #MAX_HEADER_LENGTH}
   */
  public static int encode(
      byte[] m,
      int off,
      int headerLength,
      int channel,
      long messageNumber,
      int payloadLength,
      int checksum) {
    return encode(m, off, headerLength, 1, channel, messageNumber, payloadLength, checksum);
  }

  /**
   * Writes a frame that holds several messages, and returns its length. Each length but that of a
   * single message is still to be set, by {@link #setMessageLength} or {@link #setMessage}; the
   * padding behind them is zero.
   *
   * @param headers header length of a single message; 0 or {@link #HEADER_LENGTHS} for several
   * @param count how many messages, 1 or more
   * @param payloadLength their sum in bytes
   */
  public static int encode(
      byte[] m,
      int off,
      int headers,
      int count,
      int channel,
      long firstMessage,
      int payloadLength,
      int checksum) {
    long head = TYPE | (long) headers << (8 * HEADERS) | (long) count << (8 * COUNT);
    putI64(m, off, head | (long) channel << (8 * CHANNEL));
    putI64(m, off + FIRST_MESSAGE, firstMessage);
    long lengthAndSum = Integer.toUnsignedLong(payloadLength) | (long) checksum << Integer.SIZE;
    putI64(m, off + PAYLOAD_LENGTH, lengthAndSum);
    int length = length(m, off);
    if (count > 1) {
      putI64(m, off + length - Layouts.WORD, 0);
    }
    return length;
  }

  /** Sets both lengths of message {@code i} of a frame with {@link #HEADER_LENGTHS}. */
  public static void setMessage(byte[] m, int off, int i, int length, int headerLength) {
    putI32(m, off + MESSAGE_LENGTHS + 4 * i, length | headerLength << 16);
  }

  /** Sets the length of message {@code i} of a frame that holds several, none with a header. */
  public static void setMessageLength(byte[] m, int off, int i, int length) {
    putU16(m, off + MESSAGE_LENGTHS + 2 * i, length);
  }

  /**
   * Puts one more message into a frame; the frame is the last of its header, and none has a header
   * of its own.
   *
   * @param messageLength at most {@link #MAX_SHARED_LENGTH}, as that of the others
   * @return by how many bytes the frame has grown, a multiple of 8
   */
  public static int append(byte[] m, int off, int messageLength) {
    int count = count(m, off);
    appendLength(m, off, count, messageLength);
    appended(m, off, count + 1, messageLength);
    return growth(count);
  }

  /**
   * The first half of {@link #append}, of which there may be several before the second.
   *
   * @param count how many messages are in, this one not counted
   */
  public static void appendLength(byte[] m, int off, int count, int messageLength) {
    if (growth(count) > 0) {
      putI64(m, off + length(count), 0); // four more lengths, or padding
    }
    if (count == 1) {
      setMessageLength(m, off, 0, payloadLength(m, off));
    }
    setMessageLength(m, off, count, messageLength);
  }

  /** By how many bytes a frame with that many messages grows by one more: room for four. */
  public static int growth(int count) {
    return count == 1 || (count & 3) == 0 ? Layouts.WORD : 0;
  }

  /** The second half: so many messages are in, and so many bytes came. */
  public static void appended(byte[] m, int off, int count, int bytes) {
    putU16(m, off + COUNT, count);
    putI32(m, off + PAYLOAD_LENGTH, payloadLength(m, off) + bytes);
  }

  /** Fills in the checksum, which is known only once the payload was copied. */
  public static void setChecksum(byte[] m, int off, int checksum) {
    putI32(m, off + CHECKSUM, checksum);
  }

  /** How many messages the frame holds, 1 or more. */
  public static int count(byte[] m, int off) {
    return u16(m, off + COUNT);
  }

  /** The channel, never negative. */
  public static int channel(byte[] m, int off) {
    return i32(m, off + CHANNEL);
  }

  /** The number of the first message, 1 or more. */
  public static long firstMessage(byte[] m, int off) {
    return i64(m, off + FIRST_MESSAGE);
  }

  /** Bytes of all the messages together. */
  public static int payloadLength(byte[] m, int off) {
    return i32(m, off + PAYLOAD_LENGTH);
  }

  /** The checksum of all the messages together. */
  public static int checksum(byte[] m, int off) {
    return i32(m, off + CHECKSUM);
  }

  /** The length of message {@code i} in bytes, its header counted. */
  public static int messageLength(byte[] m, int off, int i) {
    if (count(m, off) == 1) {
      return payloadLength(m, off);
    }
    return u16(m, off + MESSAGE_LENGTHS + (u8(m, off + HEADERS) == 0 ? 2 : 4) * i);
  }

  /** Whether a message in it has a header, or may have. */
  public static boolean hasHeaders(byte[] m, int off) {
    return u8(m, off + HEADERS) != 0;
  }

  /** How many of the first bytes of message {@code i} are header. */
  public static int headerLength(byte[] m, int off, int i) {
    int headers = u8(m, off + HEADERS);
    return count(m, off) == 1 || headers == 0 ? headers : u8(m, off + MESSAGE_LENGTHS + 4 * i + 2);
  }
}

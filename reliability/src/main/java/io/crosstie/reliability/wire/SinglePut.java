// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.reliability.wire;

import io.crosstie.checksum.Crc32cSteps;
import io.crosstie.checksum.MemoryWords;

/**
 * The DATA packet that holds one short put and nothing else, as words: what {@link SinglePacket} is
 * for messages. It is an ordinary packet, with a {@link PacketHeader} and one {@link PlacedFrame}
 * of a whole message.
 *
 * <pre>
 *  0  header CRC, version, kind, rail, header length   constant, but for the CRC
 *  8  connection id                                    constant
 * 16  packet number                                    known before
 * 24  frame type, kind, header length, channel         constant, as long as notifications are alike
 * 32  message number                                   known before
 * 40  payload length, payload checksum
 * 48  offset, which is 0
 * 56  message length, which is the payload length
 * 64  key of the region
 * 72  target offset
 * 80  payload: the notification, then what is placed
 * </pre>
 *
 * <p>What the validator would judge in a frame of this kind is judged by {@link #match}. Each word
 * of a packet is read once (R25). One thread.
 */
public final class SinglePut {
  /** Bytes before the payload. */
  public static final int HEADER_LENGTH = PacketHeader.LENGTH + PlacedFrame.LENGTH;

  /** Longest message, its notification included, in bytes. */
  public static final int MAX_PAYLOAD = 64;

  private static final int FRAME = PacketHeader.LENGTH;
  private static final int MESSAGE_NUMBER = FRAME + FragmentFrame.MESSAGE_NUMBER;
  private static final int LENGTH_AND_CHECKSUM = FRAME + FragmentFrame.PAYLOAD_LENGTH;
  private static final int OFFSET = FRAME + FragmentFrame.OFFSET;
  private static final int MESSAGE_LENGTH = FRAME + FragmentFrame.MESSAGE_LENGTH;
  private static final int KEY = FRAME + PlacedFrame.KEY;
  private static final int TARGET_OFFSET = FRAME + PlacedFrame.TARGET_OFFSET;
  private static final int CRC_BYTES = Integer.BYTES;

  /** The payload at hand, zero behind it up to the end of the word. */
  private final byte[] payload = new byte[MAX_PAYLOAD + Long.BYTES];

  private long first; // without its CRC
  private long connectionId;
  private long frame;
  private int headerLength;
  private long packetNumber;
  private long messageNumber;

  // of the packet that matched
  private int payloadLength;
  private int checksum;
  private long key;
  private long targetOffset;

  /** The CRC's state behind the connection id, and behind the message number. */
  private int constantState;

  private int state;

  // What these two bring to the CRC, but for the last word behind them.
  private long summedLength;
  private long summedKey;
  private int summed;

  /** Of no channel yet. */
  public SinglePut() {}

  /**
   * From now on for this rail, connection and channel; {@link #number} has to follow.
   *
   * @param notification bytes of the message's header, 0 to 32
   */
  public void of(int rail, long connection, int channel, int notification) {
    long kind = PacketHeader.WIRE_VERSION << 4 | PacketHeader.DATA;
    first =
        kind << (8 * PacketHeader.VERSION_AND_KIND)
            | (long) rail << (8 * PacketHeader.RAIL)
            | (long) HEADER_LENGTH << (8 * PacketHeader.HEADER_LENGTH);
    connectionId = connection;
    headerLength = notification;
    frame =
        Frames.PLACED
            | (long) PlacedKind.PUT << (8 * PlacedFrame.KIND)
            | (long) notification << (8 * FragmentFrame.HEADER_LENGTH)
            | (long) channel << (8 * FragmentFrame.CHANNEL);
    long summed = first >>> (8 * CRC_BYTES);
    int begun = Crc32cSteps.step(Crc32cSteps.BEGIN, summed, Long.BYTES - CRC_BYTES);
    constantState = Crc32cSteps.step(begun, connection);
    packetNumber = -1;
  }

  /** Whether it is for this rail, connection and channel, and notifications of that length. */
  public boolean isOf(int rail, long connection, int channel, int notification) {
    return connectionId == connection
        && (byte) (first >>> (8 * PacketHeader.RAIL)) == (byte) rail
        && (int) (frame >>> (8 * FragmentFrame.CHANNEL)) == channel
        && headerLength == notification
        && frame != 0;
  }

  /** Number of the packet. */
  public long packetNumber() {
    return packetNumber;
  }

  /** Number of the message in it. */
  public long messageNumber() {
    return messageNumber;
  }

  /** Bytes of the notification. */
  public int headerLength() {
    return headerLength;
  }

  /** The numbers of the next packet, and of the message in it; known already, they cost nothing. */
  public void number(long packet, long message) {
    if (packet == packetNumber && message == messageNumber) {
      return;
    }
    packetNumber = packet;
    messageNumber = message;
    int withPacket = Crc32cSteps.step(constantState, packet);
    state = Crc32cSteps.step(Crc32cSteps.step(withPacket, frame), message);
  }

  /** Private memory for the payload, {@link #MAX_PAYLOAD} bytes and more; see {@link #write}. */
  public byte[] payload() {
    return payload;
  }

  /**
   * Writes the packet, once it has its numbers and {@link #payload()} is filled; all but what
   * publishes it.
   *
   * @param to the rail's memory
   * @param at where the packet begins, a multiple of 8; behind its end up to 7 bytes may be zeroed
   * @param length of the message, 1 to {@link #MAX_PAYLOAD}
   * @param region its key
   * @param target where in it the first byte behind the notification goes
   * @param sums whether the payload has a CRC-32C as its checksum, else none
   */
  public void write(MemoryWords to, long at, int length, long region, long target, boolean sums) {
    int sum = Crc32cSteps.BEGIN;
    int done = 0;
    for (; length - done >= Long.BYTES; done += Long.BYTES) {
      long word = Layouts.i64(payload, done);
      to.set(at + HEADER_LENGTH + done, word);
      sum = sums ? Crc32cSteps.step(sum, word) : sum;
    }
    int rest = length - done;
    if (rest > 0) { // nothing of what lies behind it goes along
      long word = Layouts.i64(payload, done) & -1L >>> (8 * (Long.BYTES - rest));
      to.set(at + HEADER_LENGTH + done, word);
      sum = sums ? Crc32cSteps.step(sum, word, rest) : sum;
    }
    int ofPayload = sums ? Crc32cSteps.finish(sum) : 0;
    long lengthAndChecksum = length | (long) ofPayload << Integer.SIZE;
    to.set(at, first | crc(lengthAndChecksum, length, region, target));
    to.set(at + PacketHeader.CONNECTION_ID, connectionId);
    to.set(at + PacketHeader.PACKET_NUMBER, packetNumber);
    to.set(at + FRAME, frame);
    to.set(at + MESSAGE_NUMBER, messageNumber);
    to.set(at + LENGTH_AND_CHECKSUM, lengthAndChecksum);
    to.set(at + OFFSET, 0);
    to.set(at + MESSAGE_LENGTH, length);
    to.set(at + KEY, region);
    to.set(at + TARGET_OFFSET, target);
  }

  /**
   * A CRC is linear: what stands behind the checksum is summed apart, from a state of 0, and does
   * not wait for it. The offset, which is 0, brings nothing to that.
   */
  private long crc(long lengthAndChecksum, long length, long region, long target) {
    if (length != summedLength || region != summedKey) {
      summedLength = length;
      summedKey = region;
      summed = Crc32cSteps.step(Crc32cSteps.step(0, length), region);
    }
    int s = Crc32cSteps.past32(Crc32cSteps.step(state, lengthAndChecksum));
    return Integer.toUnsignedLong(Crc32cSteps.finish(s ^ Crc32cSteps.step(summed, target)));
  }

  /**
   * Compares a packet with the one that is expected; its payload was not looked at.
   *
   * @param packet the rail's memory
   * @param at where the packet begins
   * @param length of the packet
   * @return whether it is that one, and sound; then {@link #payloadLength} and so on are its own
   */
  public boolean match(MemoryWords packet, long at, int length) {
    if (length <= HEADER_LENGTH || length > HEADER_LENGTH + MAX_PAYLOAD) {
      return false;
    }
    long lengthAndChecksum = packet.get(at + LENGTH_AND_CHECKSUM);
    int bytes = length - HEADER_LENGTH;
    if ((int) lengthAndChecksum != bytes
        || bytes < headerLength
        || packet.get(at + PacketHeader.PACKET_NUMBER) != packetNumber
        || packet.get(at + MESSAGE_NUMBER) != messageNumber
        || packet.get(at + FRAME) != frame
        || packet.get(at + PacketHeader.CONNECTION_ID) != connectionId
        || packet.get(at + OFFSET) != 0
        || packet.get(at + MESSAGE_LENGTH) != bytes) {
      return false;
    }
    key = packet.get(at + KEY);
    targetOffset = packet.get(at + TARGET_OFFSET);
    payloadLength = bytes;
    checksum = (int) (lengthAndChecksum >>> Integer.SIZE);
    return key != 0
        && targetOffset >= 0
        && targetOffset <= Long.MAX_VALUE - bytes
        && packet.get(at) == (first | crc(lengthAndChecksum, bytes, key, targetOffset));
  }

  /** Bytes of the message in the packet that matched, its notification included. */
  public int payloadLength() {
    return payloadLength;
  }

  /** The key of its region. */
  public long key() {
    return key;
  }

  /** Where in it the first byte behind the notification goes. */
  public long targetOffset() {
    return targetOffset;
  }

  /**
   * Copies the payload out of the packet that matched into {@link #payload()}.
   *
   * @param packet the rail's memory
   * @param at where the packet begins; up to 7 bytes behind its end are read
   * @param sums whether it has a CRC-32C as its checksum
   * @return whether that of the copy is right
   */
  public boolean copy(MemoryWords packet, long at, boolean sums) {
    int sum = Crc32cSteps.BEGIN;
    int done = 0;
    for (; payloadLength - done >= Long.BYTES; done += Long.BYTES) {
      long word = packet.get(at + HEADER_LENGTH + done);
      Layouts.putI64(payload, done, word);
      sum = sums ? Crc32cSteps.step(sum, word) : sum;
    }
    int rest = payloadLength - done;
    if (rest > 0) {
      long word = packet.get(at + HEADER_LENGTH + done);
      Layouts.putI64(payload, done, word);
      sum = sums ? Crc32cSteps.step(sum, word, rest) : sum;
    }
    return (sums ? Crc32cSteps.finish(sum) : 0) == checksum;
  }
}

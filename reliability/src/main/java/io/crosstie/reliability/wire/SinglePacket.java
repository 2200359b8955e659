// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.reliability.wire;

import io.crosstie.checksum.Crc32cSteps;
import io.crosstie.checksum.MemoryWords;
import java.nio.ByteOrder;

/**
 * The DATA packet that holds one short message and nothing else, as words: written to and read from
 * shared memory without a copy of its header in between. It is an ordinary packet, with a {@link
 * PacketHeader} and one {@link EagerFrame}; {@link PacketValidator} takes what this writes, and
 * this recognises what a packet builder writes.
 *
 * <pre>
 *  0  header CRC, version, kind, rail, header length   constant, but for the CRC
 *  8  connection id                                    constant
 * 16  packet number                                    known before
 * 24  frame type, count 1, channel                     constant
 * 32  message number                                   known before
 * 40  payload length, payload checksum
 * 48  payload
 * </pre>
 *
 * <p>Where messages go to and fro, all of the next packet's header but its last word is known
 * beforehand, on both sides: so are five of the six steps of its CRC, which are taken by {@link
 * #number} while nobody waits. The receiver compares in place of judging, and what differs in
 * anything goes the general way. (Header prediction: Jacobson, "4BSD TCP Header Prediction", ACM
 * SIGCOMM Computer Communication Review 20, 1990.)
 *
 * <p>Each word of a packet is read once (R25). One thread.
 */
public final class SinglePacket {
  /** Bytes before the payload. */
  public static final int HEADER_LENGTH = PacketHeader.LENGTH + EagerFrame.MESSAGE_LENGTHS;

  /** Longest payload, in bytes; the JDK's checksum is the quicker one beyond. */
  public static final int MAX_PAYLOAD = 64;

  /** Words are those of the wire only where the host's byte order is. */
  private static final boolean AVAILABLE = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;

  private static final int FRAME = PacketHeader.LENGTH;
  private static final int MESSAGE_NUMBER = FRAME + EagerFrame.FIRST_MESSAGE;
  private static final int LENGTH_AND_CHECKSUM = FRAME + EagerFrame.PAYLOAD_LENGTH;
  private static final int CRC_BYTES = Integer.BYTES;

  private long first; // without its CRC
  private long connectionId;
  private long frame;
  private long packetNumber;
  private long messageNumber;

  /** The CRC's state behind the connection id, and behind the message number. */
  private int constantState;

  private int state;

  /** Of no channel yet. */
  public SinglePacket() {}

  /** Whether this host can have such packets. */
  public static boolean isAvailable() {
    return AVAILABLE;
  }

  /** From now on for this rail, connection and channel; {@link #number} has to follow. */
  public void of(int rail, long connection, int channel) {
    long kind = PacketHeader.WIRE_VERSION << 4 | PacketHeader.DATA;
    first =
        kind << (8 * PacketHeader.VERSION_AND_KIND)
            | (long) rail << (8 * PacketHeader.RAIL)
            | (long) HEADER_LENGTH << (8 * PacketHeader.HEADER_LENGTH);
    connectionId = connection;
    frame =
        Frames.EAGER | 1L << (8 * EagerFrame.COUNT) | (long) channel << (8 * EagerFrame.CHANNEL);
    long summed = first >>> (8 * CRC_BYTES);
    int begun = Crc32cSteps.step(Crc32cSteps.BEGIN, summed, Long.BYTES - CRC_BYTES);
    constantState = Crc32cSteps.step(begun, connection);
    packetNumber = -1;
  }

  /** Whether it is for this rail, connection and channel. */
  public boolean isOf(int rail, long connection, int channel) {
    return connectionId == connection
        && (byte) (first >>> (8 * PacketHeader.RAIL)) == (byte) rail
        && (int) (frame >>> (8 * EagerFrame.CHANNEL)) == channel
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

  /** Whether it has these numbers. */
  public boolean isNumbered(long packet, long message) {
    return packet == packetNumber && message == messageNumber;
  }

  /** The numbers of the next packet, and of the message in it; known already, they cost nothing. */
  public void number(long packet, long message) {
    if (isNumbered(packet, message)) {
      return;
    }
    packetNumber = packet;
    messageNumber = message;
    int withPacket = Crc32cSteps.step(constantState, packet);
    state = Crc32cSteps.step(Crc32cSteps.step(withPacket, frame), message);
  }

  /**
   * Writes the packet, once it has its numbers; all but what publishes it.
   *
   * @param to the rail's memory
   * @param at where the packet begins, a multiple of 8; behind its end up to 7 bytes may be zeroed
   * @param from the message's memory; up to 7 bytes behind it are read
   * @param offset where the message begins
   * @param length of the message, 0 to {@link #MAX_PAYLOAD}
   * @param sums whether the payload has a CRC-32C as its checksum, else none
   */
  public void write(
      MemoryWords to, long at, MemoryWords from, long offset, int length, boolean sums) {
    int checksum = copyWords(from, offset, to, at + HEADER_LENGTH, length, sums);
    long lengthAndChecksum = length | (long) checksum << Integer.SIZE;
    to.set(at, first | crc(lengthAndChecksum));
    to.set(at + PacketHeader.CONNECTION_ID, connectionId);
    to.set(at + PacketHeader.PACKET_NUMBER, packetNumber);
    to.set(at + FRAME, frame);
    to.set(at + MESSAGE_NUMBER, messageNumber);
    to.set(at + LENGTH_AND_CHECKSUM, lengthAndChecksum);
  }

  private long crc(long lengthAndChecksum) {
    return Integer.toUnsignedLong(Crc32cSteps.finish(Crc32cSteps.step(state, lengthAndChecksum)));
  }

  /**
   * Compares a packet with the one that is expected; its payload was not looked at.
   *
   * @param packet the rail's memory
   * @param at where the packet begins
   * @param length of the packet
   * @return {@link #payloadLength} and {@link #checksum} if it is that one, else -1
   */
  public long match(MemoryWords packet, long at, int length) {
    if (length < HEADER_LENGTH || length > HEADER_LENGTH + MAX_PAYLOAD) {
      return -1;
    }
    long lengthAndChecksum = packet.get(at + LENGTH_AND_CHECKSUM);
    if ((int) lengthAndChecksum != length - HEADER_LENGTH
        || packet.get(at + PacketHeader.PACKET_NUMBER) != packetNumber
        || packet.get(at + MESSAGE_NUMBER) != messageNumber
        || packet.get(at + FRAME) != frame
        || packet.get(at + PacketHeader.CONNECTION_ID) != connectionId
        || packet.get(at) != (first | crc(lengthAndChecksum))) {
      return -1;
    }
    return lengthAndChecksum;
  }

  /** Bytes of the message in a packet that matched. */
  public static int payloadLength(long matched) {
    return (int) matched;
  }

  /** The checksum of its payload. */
  public static int checksum(long matched) {
    return (int) (matched >>> Integer.SIZE);
  }

  /**
   * Copies a payload out of a packet that matched, and sums what it copied.
   *
   * @param packet the rail's memory
   * @param at where the packet begins; up to 7 bytes behind its end are read
   * @param into where the message goes; up to 7 bytes behind it are written
   * @param offset where it goes there
   * @param length of the message
   * @param sums whether it is to be summed
   * @return its CRC-32C, or 0
   */
  public static int copy(
      MemoryWords packet, long at, MemoryWords into, long offset, int length, boolean sums) {
    return copyWords(packet, at + HEADER_LENGTH, into, offset, length, sums);
  }

  private static int copyWords(
      MemoryWords from, long offset, MemoryWords to, long at, int length, boolean sums) {
    int sum = Crc32cSteps.BEGIN;
    int done = 0;
    for (; length - done >= Long.BYTES; done += Long.BYTES) {
      long word = from.get(offset + done);
      to.set(at + done, word);
      sum = sums ? Crc32cSteps.step(sum, word) : sum;
    }
    int rest = length - done;
    if (rest > 0) { // nothing of what lies behind it goes along
      long word = from.get(offset + done) & -1L >>> (8 * (Long.BYTES - rest));
      to.set(at + done, word);
      sum = sums ? Crc32cSteps.step(sum, word, rest) : sum;
    }
    return sums ? Crc32cSteps.finish(sum) : 0;
  }
}

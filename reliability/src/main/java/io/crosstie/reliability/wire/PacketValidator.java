// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.reliability.wire;

import static io.crosstie.reliability.wire.Layouts.i64;
import static io.crosstie.reliability.wire.Layouts.padded;
import static io.crosstie.reliability.wire.Layouts.u16;
import static io.crosstie.reliability.wire.Layouts.u32;
import static io.crosstie.reliability.wire.Layouts.u8;

import io.crosstie.checksum.Checksum;
import io.crosstie.checksum.ChecksumKind;
import io.crosstie.transport.RailAddress;

/**
 * Judges received packets. Together with the {@code parse} methods of the handshake it is the only
 * code that reads bytes which may be hostile; what passed it can be read by every accessor of this
 * package without a further check.
 *
 * <p>The bytes judged must be private: what lies in shared memory is copied out first (R25). The
 * checks come in the order of their cost. Up to {@link #BAD_HEADER_CRC} a refusal may be the path's
 * doing; behind it the header is as its sender wrote it, and the sender is to blame, except for
 * {@link #BAD_LENGTH_SUM}, which also a path causes that merges or cuts datagrams.
 *
 * <p>Reserved fields must be zero. Flag bits without a meaning are ignored. Layouts that the node
 * does not take ({@link Takes}) are judged like all others, and refused where they are sound.
 *
 * <p>One instance per engine: it belongs to one thread at a time. It allocates nothing per packet.
 */
public final class PacketValidator {
  /** Reason: shorter than any packet. */
  public static final int TOO_SHORT = -1;

  /** Reason: a wire version that this node does not speak. */
  public static final int BAD_VERSION = -2;

  /** Reason: no known kind of packet. */
  public static final int BAD_KIND = -3;

  /** Reason: a header length that no such packet can have. */
  public static final int BAD_HEADER_LENGTH = -4;

  /** Reason: the header does not match its CRC. */
  public static final int BAD_HEADER_CRC = -5;

  /** Reason: the header names an impossible rail. */
  public static final int BAD_RAIL = -6;

  /** Reason: a negative packet number. */
  public static final int BAD_PACKET_NUMBER = -7;

  /** Reason: a connection id where none may be, or none where one has to be. */
  public static final int BAD_CONNECTION_ID = -8;

  /** Reason: a handshake packet that is malformed or not as long as it has to be. */
  public static final int BAD_HANDSHAKE = -9;

  /** Reason: a frame of unknown type that may not be skipped. */
  public static final int UNKNOWN_FRAME = -10;

  /** Reason: a frame that contradicts itself or does not fit into the header. */
  public static final int BAD_FRAME = -11;

  /** Reason: header and payloads together are not as long as the packet. */
  public static final int BAD_LENGTH_SUM = -12;

  /** Reason: a message longer than this node takes. */
  public static final int MESSAGE_TOO_LARGE = -13;

  /** Reason: a sound frame of a kind that this node did not say it takes. */
  public static final int NOT_TAKEN = -14;

  private static final long LOW_HALF = 0xffff_ffffL;
  private static final long EVERY_BYTE = 0x0101_0101_0101_0101L;
  private static final long TOP_BITS = EVERY_BYTE << 7;

  /** Of the first word of a frame about grants. */
  private static final long ROUND_BITS = 0xffffL << (8 * GrantFrame.ROUND);

  private final Checksum crc32c = Checksum.of(ChecksumKind.CRC32C);
  private final int takes;

  /** Makes a validator for a node that takes plain messages only. */
  public PacketValidator() {
    this(Takes.NOTHING_ELSE);
  }

  /**
   * Makes a validator.
   *
   * @param takes what the node takes besides plain messages, bits of {@link Takes}
   */
  public PacketValidator(int takes) {
    this.takes = takes;
  }

  /**
   * Judges one packet.
   *
   * @param m private copy of the packet, or at least of the part of it that may be header
   * @param off where the packet begins in it
   * @param available how many bytes of the packet lie there: the whole packet, or as many as the
   *     header claims to have. No other byte is read
   * @param packetLength the length of the whole packet
   * @param maxMessageLength the longest message this node takes
   * @return the header length, which is positive, or one of the negative reasons
   */
  public int validate(byte[] m, int off, int available, int packetLength, long maxMessageLength) {
    if (available < PacketHeader.LENGTH || packetLength < available) {
      return TOO_SHORT;
    }
    long head = i64(m, off);
    int versionAndKind = (int) (head >>> (8 * PacketHeader.VERSION_AND_KIND)) & 0xff;
    if (versionAndKind >>> 4 != PacketHeader.WIRE_VERSION) {
      return BAD_VERSION;
    }
    int kind = versionAndKind & 0xf;
    if (kind < PacketHeader.DATA || kind > PacketHeader.RESET) {
      return BAD_KIND;
    }
    int headerLength = (int) (head >>> (8 * PacketHeader.HEADER_LENGTH));
    int longest =
        kind == PacketHeader.DATA
            ? PacketHeader.MAX_HEADER_LENGTH
            : PacketHeader.MAX_HANDSHAKE_LENGTH;
    // Also a packet without a single frame, or without a body, is no packet.
    if (headerLength <= PacketHeader.LENGTH
        || headerLength % Layouts.WORD != 0
        || headerLength > Math.min(available, longest)) {
      return BAD_HEADER_LENGTH;
    }
    int summed = headerLength - PacketHeader.VERSION_AND_KIND;
    if (crc32c.compute(m, off + PacketHeader.VERSION_AND_KIND, summed) != (int) head) {
      return BAD_HEADER_CRC;
    }
    if (((int) (head >>> (8 * PacketHeader.RAIL)) & 0xff) > PacketHeader.MAX_RAIL) {
      return BAD_RAIL;
    }
    if (PacketHeader.packetNumber(m, off) < 0) {
      return BAD_PACKET_NUMBER;
    }
    if (!isConnectionIdPossible(kind, PacketHeader.connectionId(m, off))) {
      return BAD_CONNECTION_ID;
    }
    return kind == PacketHeader.DATA
        ? validateFrames(m, off, headerLength, packetLength, maxMessageLength)
        : validateHandshake(kind, headerLength, packetLength);
  }

  private static boolean isConnectionIdPossible(int kind, long connectionId) {
    return switch (kind) {
      case PacketHeader.INIT, PacketHeader.RETRY, PacketHeader.HELLO -> connectionId == 0;
      case PacketHeader.REJECT -> true;
      default -> connectionId != 0;
    };
  }

  /** All of a handshake packet is header. The body is judged by the kind's {@code parse}. */
  private static int validateHandshake(int kind, int headerLength, int packetLength) {
    if (headerLength != packetLength) {
      return BAD_LENGTH_SUM;
    }
    boolean sound =
        switch (kind) {
          case PacketHeader.INIT, PacketHeader.HELLO ->
              packetLength == PacketHeader.MAX_HANDSHAKE_LENGTH;
          case PacketHeader.RESET -> packetLength == Reset.LENGTH;
          default -> true;
        };
    return sound ? headerLength : BAD_HANDSHAKE;
  }

  private int validateFrames(
      byte[] m, int off, int headerLength, int packetLength, long maxMessageLength) {
    long payload = 0;
    // Each round takes at least 8 bytes.
    for (int at = PacketHeader.LENGTH; at < headerLength; ) {
      int length = frame(m, off + at, headerLength - at, maxMessageLength);
      if (length < 0) {
        return length;
      }
      payload += Frames.payloadLength(m, off + at);
      at += length;
    }
    return headerLength + payload == packetLength ? headerLength : BAD_LENGTH_SUM;
  }

  /**
   * Judges one frame.
   *
   * @param left how many bytes of the header are left for it, a multiple of 8, at least 8
   * @return its length without payload, at most {@code left}, or a reason
   */
  private int frame(byte[] m, int off, int left, long maxMessageLength) {
    long head = i64(m, off);
    int type = (int) head & 0xff;
    return switch (type) {
      case Frames.PADDING -> padding(m, off, head);
      case Frames.PING -> fixed(PingFrame.LENGTH, left, isZeroFrom(head, 1));
      case Frames.ACK -> ack(m, off, left);
      case Frames.NACK -> nack(m, off, left, head);
      case Frames.EAGER -> eager(m, off, left, head, maxMessageLength);
      case Frames.FRAGMENT -> fragment(m, off, left, FragmentFrame.LENGTH, head, maxMessageLength);
      case Frames.REFERENCE ->
          fragment(m, off, left, ReferenceFrame.LENGTH, head, maxMessageLength);
      case Frames.PLACED -> placed(m, off, left, head, maxMessageLength);
      case Frames.DATAGRAM -> datagram(m, off, left, head, maxMessageLength);
      case Frames.CHANNEL_STATE -> channelState(m, off, left, head);
      case Frames.RTS -> rts(m, off, left, maxMessageLength);
      case Frames.CTS, Frames.REVOKE -> cts(m, off, left, head & ~ROUND_BITS);
      case Frames.ABORT -> cts(m, off, left, head);
      case Frames.CHANNEL_FIN -> channelFin(m, off, left, head);
      case Frames.CHALLENGE, Frames.RESPONSE -> challenge(left, head);
      case Frames.RAIL_INFO -> railInfo(m, off, left, head);
      case Frames.ADDRESSES -> addresses(m, off, left);
      case Frames.CLOSE -> fixed(CloseFrame.LENGTH, left, isZeroFrom(head, 3));
      case Frames.RAIL_GONE ->
          fixed(RailGoneFrame.LENGTH, left, isRail(head) && isZeroFrom(head, 2));
      case Frames.CHANNEL_REFUSED ->
          fixed(ChannelRefusedFrame.LENGTH, left, head >= 0 && isZeroFrom(head & LOW_HALF, 2));
      case Frames.MESSAGE_REFUSED -> messageRefused(m, off, left, head);
      default -> type >= Frames.FIRST_EXTENSION ? extension(m, off, left) : UNKNOWN_FRAME;
    };
  }

  private static int fixed(int length, int left, boolean sound) {
    return sound && length <= left ? length : BAD_FRAME;
  }

  private static int padding(byte[] m, int off, long head) {
    boolean sound = isZeroFrom(head & LOW_HALF, 1) && PaddingFrame.payloadLength(m, off) >= 0;
    return sound ? PaddingFrame.LENGTH : BAD_FRAME;
  }

  private static int ack(byte[] m, int off, int left) {
    int count = AckFrame.runCount(m, off);
    int length = AckFrame.length(count);
    if (count < 1
        || count > AckFrame.MAX_RUNS
        || length > left
        || AckFrame.rail(m, off) > PacketHeader.MAX_RAIL
        || AckFrame.largest(m, off) < 0
        || AckFrame.gap(m, off, 0) != 0
        || AckFrame.run(m, off, 0) < 1) {
      return BAD_FRAME;
    }
    // The number below the last run; all terms are below 2^32, so it cannot overflow.
    long below = AckFrame.largest(m, off) - AckFrame.run(m, off, 0);
    for (int i = 1; i < count; i++) {
      long gap = AckFrame.gap(m, off, i);
      long run = AckFrame.run(m, off, i);
      if (gap < 1 || run < 1) {
        return BAD_FRAME;
      }
      below -= gap + run;
    }
    return below >= -1 ? length : BAD_FRAME;
  }

  private static int nack(byte[] m, int off, int left, long head) {
    if (NackFrame.LENGTH > left || !isRail(head) || !isZeroFrom(head, 3)) {
      return BAD_FRAME;
    }
    int reason = NackFrame.reason(m, off);
    boolean sound =
        reason >= NackFrame.PAYLOAD_CHECKSUM
            && reason <= NackFrame.NOT_PULLED
            && NackFrame.packetNumber(m, off) >= 0;
    return sound ? NackFrame.LENGTH : BAD_FRAME;
  }

  private int eager(byte[] m, int off, int left, long head, long maxMessageLength) {
    int count = (int) (head >>> (8 * EagerFrame.COUNT)) & 0xffff;
    int headers = (int) (head >>> (8 * EagerFrame.HEADERS)) & 0xff;
    boolean each = headers != 0 && count > 1;
    int length = each ? EagerFrame.lengthWithHeaders(count) : EagerFrame.length(count);
    if (count < 1 || length > left) {
      return BAD_FRAME;
    }
    long first = EagerFrame.firstMessage(m, off);
    int payload = EagerFrame.payloadLength(m, off);
    // the channel is the upper half of the first word
    if (head < 0 || first < 1 || first > Long.MAX_VALUE - count || payload < 0) {
      return BAD_FRAME;
    }
    if (each) {
      return bothLengths(m, off, count, length, headers, maxMessageLength);
    }
    if (count > 1) {
      return messageLengths(m, off, count, length, maxMessageLength);
    }
    if (!isHeader(headers, payload)) {
      return BAD_FRAME;
    }
    return payload > maxMessageLength ? MESSAGE_TOO_LARGE : taken(length, headersIf(headers));
  }

  /** Whether so many of so many bytes of a message can be its header. */
  private static boolean isHeader(long headerLength, long messageLength) {
    return headerLength <= EagerFrame.MAX_HEADER_LENGTH && headerLength <= messageLength;
  }

  /** Of a sound frame: its length, or the reason if the node does not take all that it needs. */
  private int taken(int length, int needed) {
    return (takes & needed) == needed ? length : NOT_TAKEN;
  }

  private static int headersIf(int headerLength) {
    return headerLength == 0 ? Takes.NOTHING_ELSE : Takes.HEADERS;
  }

  /** Adds up the lengths, four at a time. */
  private static int messageLengths(
      byte[] m, int off, int count, int length, long maxMessageLength) {
    long sum = 0;
    long longest = 0;
    for (int at = EagerFrame.MESSAGE_LENGTHS; at < length; at += Layouts.WORD) {
      long four = i64(m, off + at);
      long first = four & 0xffff;
      long second = four >>> 16 & 0xffff;
      long third = four >>> 32 & 0xffff;
      long fourth = four >>> 48;
      sum += first + second + third + fourth;
      longest = Math.max(longest, Math.max(Math.max(first, second), Math.max(third, fourth)));
    }
    if (sum != EagerFrame.payloadLength(m, off)
        || !isPaddingZero(m, off + length, length - EagerFrame.MESSAGE_LENGTHS - 2 * count)) {
      return BAD_FRAME;
    }
    return longest <= maxMessageLength ? length : MESSAGE_TOO_LARGE;
  }

  /** Adds up the lengths of messages each of which has the length of its header beside it. */
  private int bothLengths(
      byte[] m, int off, int count, int length, int headers, long maxMessageLength) {
    long sum = 0;
    long longest = 0;
    boolean sound = headers == EagerFrame.HEADER_LENGTHS;
    for (int i = 0; i < count; i++) {
      long entry = u32(m, off + EagerFrame.MESSAGE_LENGTHS + 4 * i);
      long one = entry & 0xffff;
      sound &= isHeader(entry >>> 16, one); // the byte behind the header's length is 0
      sum += one;
      longest = Math.max(longest, one);
    }
    if (!sound
        || sum != EagerFrame.payloadLength(m, off)
        || !isPaddingZero(m, off + length, length - EagerFrame.MESSAGE_LENGTHS - 4 * count)) {
      return BAD_FRAME;
    }
    return longest > maxMessageLength ? MESSAGE_TOO_LARGE : taken(length, Takes.HEADERS);
  }

  /** The flags have a meaning in {@link FragmentFrame} only. */
  private int fragment(
      byte[] m, int off, int left, int frameLength, long head, long maxMessageLength) {
    int flags = (int) (head >>> 8) & (FragmentFrame.OPEN | FragmentFrame.FINAL);
    int headerLength = (int) (head >>> (8 * FragmentFrame.HEADER_LENGTH)) & 0xff;
    if (frameLength > left
        || !isZeroFrom(head & LOW_HALF, 3)
        || FragmentFrame.channel(m, off) < 0
        || FragmentFrame.messageNumber(m, off) < 1
        || (flags != 0
            && (frameLength != FragmentFrame.LENGTH
                || flags == (FragmentFrame.OPEN | FragmentFrame.FINAL)))) {
      return BAD_FRAME;
    }
    long offset = FragmentFrame.offset(m, off);
    int length = FragmentFrame.payloadLength(m, off);
    long messageLength = FragmentFrame.messageLength(m, off);
    int least = flags == FragmentFrame.FINAL && offset == messageLength ? 0 : 1;
    // Neither subtraction can overflow: what is subtracted is not negative.
    if (offset < 0
        || length < least
        || messageLength < 1
        || offset > messageLength
        || length > messageLength - offset
        || !isHeader(headerLength, messageLength)) {
      return BAD_FRAME;
    }
    if (messageLength > maxMessageLength) {
      return MESSAGE_TOO_LARGE;
    }
    int open = flags == 0 ? Takes.NOTHING_ELSE : Takes.OPEN_MESSAGES;
    return taken(frameLength, headersIf(headerLength) | open);
  }

  private int placed(byte[] m, int off, int left, long head, long maxMessageLength) {
    int kind = PlacedFrame.kind(m, off);
    long plain = head & ~(0xffL << (8 * PlacedFrame.KIND));
    int judged = fragment(m, off, left, PlacedFrame.LENGTH, plain, maxMessageLength);
    if (judged < 0 && judged != NOT_TAKEN) {
      return judged;
    }
    long offset = FragmentFrame.offset(m, off);
    int headerLength = FragmentFrame.headerLength(m, off);
    long placedLength = FragmentFrame.messageLength(m, off) - headerLength;
    long target = PlacedFrame.targetOffset(m, off);
    // The header is in the first fragment, and nowhere else.
    boolean sound =
        (offset == 0 ? FragmentFrame.payloadLength(m, off) : offset) >= headerLength
            && PlacedFrame.key(m, off) != 0
            && target >= 0
            && target <= Long.MAX_VALUE - placedLength
            && (kind == PlacedKind.PUT || isRequestOrAnswer(m, off, kind));
    int more = kind == PlacedKind.PUT ? Takes.NOTHING_ELSE : Takes.REGION_REQUESTS;
    return sound ? taken(PlacedFrame.LENGTH, Takes.PLACED_MESSAGES | more) : BAD_FRAME;
  }

  /** A request is all header, in one fragment. */
  private static boolean isRequestOrAnswer(byte[] m, int off, int kind) {
    int headerLength = FragmentFrame.headerLength(m, off);
    if (headerLength != PlacedKind.headerBytes(kind)) {
      return false;
    }
    return kind == PlacedKind.ANSWER
        ? PlacedFrame.targetOffset(m, off) == 0
        : PlacedKind.isRequest(kind)
            && FragmentFrame.payloadLength(m, off) == headerLength
            && FragmentFrame.messageLength(m, off) == headerLength;
  }

  private int datagram(byte[] m, int off, int left, long head, long maxMessageLength) {
    int headerLength = (int) (head >>> (8 * DatagramFrame.HEADER_LENGTH)) & 0xff;
    if (DatagramFrame.LENGTH > left
        || !isZeroFrom(head & LOW_HALF, 2)
        || !isHeader(headerLength, DatagramFrame.payloadLength(m, off))
        || u32(m, off + DatagramFrame.LENGTH - 4) != 0) {
      return BAD_FRAME;
    }
    return DatagramFrame.payloadLength(m, off) > maxMessageLength
        ? MESSAGE_TOO_LARGE
        : taken(DatagramFrame.LENGTH, Takes.DATAGRAMS);
  }

  private int messageRefused(byte[] m, int off, int left, long head) {
    boolean sound =
        MessageRefusedFrame.LENGTH <= left
            && isZeroFrom(head & LOW_HALF, 2)
            && MessageRefusedFrame.reason(m, off) >= MessageRefusedFrame.NOT_WANTED
            && MessageRefusedFrame.channel(m, off) >= 0
            && MessageRefusedFrame.messageNumber(m, off) >= 1;
    if (!sound) {
      return BAD_FRAME;
    }
    // Only who sends such messages is told of them, and only who takes them does.
    boolean known = (takes & (Takes.OPEN_MESSAGES | Takes.PLACED_MESSAGES)) != 0;
    return known ? MessageRefusedFrame.LENGTH : NOT_TAKEN;
  }

  private static int channelState(byte[] m, int off, int left, long head) {
    boolean sound =
        ChannelStateFrame.LENGTH <= left
            && isZeroFrom(head & LOW_HALF, 2)
            && ChannelStateFrame.channel(m, off) >= 0
            && ChannelStateFrame.consumed(m, off) >= 0
            && ChannelStateFrame.accepted(m, off) >= ChannelStateFrame.consumed(m, off)
            && ChannelStateFrame.creditLimit(m, off) >= 0;
    return sound ? ChannelStateFrame.LENGTH : BAD_FRAME;
  }

  private static int rts(byte[] m, int off, int left, long maxMessageLength) {
    boolean sound =
        RtsFrame.LENGTH <= left
            && RtsFrame.channel(m, off) >= 0
            && RtsFrame.messageNumber(m, off) >= 1
            && RtsFrame.messageLength(m, off) >= 0;
    if (!sound) {
      return BAD_FRAME;
    }
    return RtsFrame.messageLength(m, off) <= maxMessageLength ? RtsFrame.LENGTH : MESSAGE_TOO_LARGE;
  }

  private static int cts(byte[] m, int off, int left, long head) {
    boolean sound =
        GrantFrame.LENGTH <= left
            && isZeroFrom(head & LOW_HALF, 1)
            && GrantFrame.channel(m, off) >= 0
            && GrantFrame.messageNumber(m, off) >= 1;
    return sound ? GrantFrame.LENGTH : BAD_FRAME;
  }

  private static int channelFin(byte[] m, int off, int left, long head) {
    boolean sound =
        ChannelFinFrame.LENGTH <= left
            && isZeroFrom(head & LOW_HALF, 1)
            && ChannelFinFrame.channel(m, off) >= 0
            && ChannelFinFrame.lastMessageNumber(m, off) >= 0;
    return sound ? ChannelFinFrame.LENGTH : BAD_FRAME;
  }

  private static int challenge(int left, long head) {
    return fixed(ChallengeFrame.LENGTH, left, isRail(head) && isZeroFrom(head, 4));
  }

  private static int railInfo(byte[] m, int off, int left, long head) {
    boolean sound =
        RailInfoFrame.LENGTH <= left
            && isRail(head)
            && RailInfoFrame.receiveBufferBytes(m, off) >= 0
            && RailInfoFrame.maxPacketLength(m, off) >= PacketHeader.MAX_HANDSHAKE_LENGTH
            && u32(m, off + RailInfoFrame.LENGTH - 4) == 0;
    return sound ? RailInfoFrame.LENGTH : BAD_FRAME;
  }

  private static int addresses(byte[] m, int off, int left) {
    int length = AddressesFrame.length(m, off);
    int count = AddressesFrame.count(m, off);
    if (length > left || length % Layouts.WORD != 0 || count > AddressesFrame.MAX_ADDRESSES) {
      return BAD_FRAME;
    }
    int at = AddressesFrame.ENTRIES;
    for (int i = 0; i < count; i++) {
      if (at >= length) {
        return BAD_FRAME;
      }
      int textLength = u8(m, off + at);
      at++;
      if (textLength > length - at || !isAddress(m, off + at, textLength)) {
        return BAD_FRAME;
      }
      at += textLength;
    }
    return padded(at) == length && isPaddingZero(m, off + length, length - at) ? length : BAD_FRAME;
  }

  private static int extension(byte[] m, int off, int left) {
    int length = u16(m, off + Frames.EXTENSION_LENGTH);
    boolean sound = length >= Layouts.WORD && length % Layouts.WORD == 0 && length <= left;
    return sound ? length : BAD_FRAME;
  }

  /** Whether byte 1 of a frame is the number of a rail. */
  private static boolean isRail(long head) {
    return (head >>> 8 & 0xff) <= PacketHeader.MAX_RAIL;
  }

  /** Whether the bytes of a word are zero from the given one on. */
  private static boolean isZeroFrom(long word, int index) {
    return word >>> (8 * index) == 0;
  }

  /** Whether the last bytes before an offset, fewer than 8, are zero. */
  private static boolean isPaddingZero(byte[] m, int end, int bytes) {
    return bytes == 0 || i64(m, end - Layouts.WORD) >>> (64 - 8 * bytes) == 0;
  }

  /**
   * Whether a text is one that {@link RailAddress} accepts: printable, not too long, and with a
   * scheme. Looks at eight characters at a time; the last, incomplete word is read so that it ends
   * with the text, hence 8 bytes before the text have to be readable.
   */
  static boolean isAddress(byte[] m, int off, int length) {
    if (length < 1 || length > RailAddress.MAX_LENGTH || u8(m, off) == ':') {
      return false;
    }
    int incomplete = length % Layouts.WORD;
    long unprintable = 0;
    long colons = 0;
    for (int at = 0; at < length; at += Layouts.WORD) {
      long word;
      if (length - at >= Layouts.WORD) {
        word = i64(m, off + at);
      } else {
        long shifted = i64(m, off + length - Layouts.WORD) >>> (64 - 8 * incomplete);
        word = shifted | ((EVERY_BYTE * '~') << (8 * incomplete));
      }
      // Any byte below '!', above '~', or above 0x7f; a carry into the next byte only follows one.
      unprintable |= ((word - EVERY_BYTE * '!') & ~word) | (word + EVERY_BYTE) | word;
      long others = word ^ EVERY_BYTE * ':';
      colons |= (others - EVERY_BYTE) & ~others;
    }
    return (unprintable & TOP_BITS) == 0 && (colons & TOP_BITS) != 0;
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.reliability.wire;

import static io.crosstie.reliability.wire.Layouts.u16;
import static io.crosstie.reliability.wire.Layouts.u8;

/**
 * All types of frames in one table: a frame has its type in its first byte, a length that is a
 * multiple of 8, and, for {@link #PADDING}, {@link #EAGER}, {@link #FRAGMENT}, {@link #PLACED} and
 * {@link #DATAGRAM}, payload behind the last frame. The layouts know nothing of this table.
 *
 * <p>Types from {@link #FIRST_EXTENSION} on are extensions, which a receiver that does not know
 * them skips:
 *
 * <pre>
 *    0        1        2        3        4        5        6        7
 *   +--------+--------+--------+--------+--------+--------+--------+--------+
 * 0 |  type  |  any   |   frame length  | any ...                           |
 *   +--------+--------+--------+--------+--------+--------+--------+--------+
 * </pre>
 */
public final class Frames {
  /** {@link PaddingFrame}. */
  public static final int PADDING = PaddingFrame.TYPE;

  /** {@link PingFrame}. */
  public static final int PING = PingFrame.TYPE;

  /** {@link AckFrame}. */
  public static final int ACK = AckFrame.TYPE;

  /** {@link NackFrame}. */
  public static final int NACK = NackFrame.TYPE;

  /** {@link EagerFrame}. */
  public static final int EAGER = EagerFrame.TYPE;

  /** {@link FragmentFrame}. */
  public static final int FRAGMENT = FragmentFrame.TYPE;

  /** {@link ChannelStateFrame}. */
  public static final int CHANNEL_STATE = ChannelStateFrame.TYPE;

  /** {@link RtsFrame}. */
  public static final int RTS = RtsFrame.TYPE;

  /** {@link GrantFrame}. */
  public static final int CTS = GrantFrame.CTS;

  /** {@link ChannelFinFrame}. */
  public static final int CHANNEL_FIN = ChannelFinFrame.TYPE;

  /** {@link ChallengeFrame}. */
  public static final int CHALLENGE = ChallengeFrame.TYPE;

  /** {@link ResponseFrame}. */
  public static final int RESPONSE = ResponseFrame.TYPE;

  /** {@link RailInfoFrame}. */
  public static final int RAIL_INFO = RailInfoFrame.TYPE;

  /** {@link AddressesFrame}. */
  public static final int ADDRESSES = AddressesFrame.TYPE;

  /** {@link CloseFrame}. */
  public static final int CLOSE = CloseFrame.TYPE;

  /** {@link RailGoneFrame}. */
  public static final int RAIL_GONE = RailGoneFrame.TYPE;

  /** {@link AbortFrame}. */
  public static final int ABORT = AbortFrame.TYPE;

  /** {@link ReferenceFrame}. */
  public static final int REFERENCE = ReferenceFrame.TYPE;

  /** {@link GrantFrame}. */
  public static final int REVOKE = GrantFrame.REVOKE;

  /** {@link ChannelRefusedFrame}. */
  public static final int CHANNEL_REFUSED = ChannelRefusedFrame.TYPE;

  /** {@link MessageRefusedFrame}. */
  public static final int MESSAGE_REFUSED = MessageRefusedFrame.TYPE;

  /** {@link PlacedFrame}. */
  public static final int PLACED = PlacedFrame.TYPE;

  /** {@link DatagramFrame}. */
  public static final int DATAGRAM = DatagramFrame.TYPE;

  /** The first type that a receiver may skip. */
  public static final int FIRST_EXTENSION = 0x80;

  /**
   * The first type that belongs to the layers above messages, which share the range out among
   * themselves; a receiver without such a layer skips it.
   */
  public static final int FIRST_OF_UPPER_LAYERS = 0xc0;

  /** Offset of the length of an extension, which counts the whole frame. */
  public static final int EXTENSION_LENGTH = 2;

  private Frames() {}

  /** The type of the frame, 0 to 255. */
  public static int type(byte[] m, int off) {
    return u8(m, off);
  }

  /** The length of a validated frame in bytes, without its payload; 0 if the type is unknown. */
  public static int length(byte[] m, int off) {
    int type = type(m, off);
    return switch (type) {
      case PADDING -> PaddingFrame.LENGTH;
      case PING -> PingFrame.LENGTH;
      case ACK -> AckFrame.length(m, off);
      case NACK -> NackFrame.LENGTH;
      case EAGER -> EagerFrame.length(m, off);
      case FRAGMENT -> FragmentFrame.LENGTH;
      case CHANNEL_STATE -> ChannelStateFrame.LENGTH;
      case RTS -> RtsFrame.LENGTH;
      case CTS, REVOKE -> GrantFrame.LENGTH;
      case CHANNEL_FIN -> ChannelFinFrame.LENGTH;
      case CHALLENGE -> ChallengeFrame.LENGTH;
      case RESPONSE -> ResponseFrame.LENGTH;
      case RAIL_INFO -> RailInfoFrame.LENGTH;
      case ADDRESSES -> AddressesFrame.length(m, off);
      case CLOSE -> CloseFrame.LENGTH;
      case RAIL_GONE -> RailGoneFrame.LENGTH;
      case ABORT -> AbortFrame.LENGTH;
      case REFERENCE -> ReferenceFrame.LENGTH;
      case CHANNEL_REFUSED -> ChannelRefusedFrame.LENGTH;
      case MESSAGE_REFUSED -> MessageRefusedFrame.LENGTH;
      case PLACED -> PlacedFrame.LENGTH;
      case DATAGRAM -> DatagramFrame.LENGTH;
      default -> type >= FIRST_EXTENSION ? u16(m, off + EXTENSION_LENGTH) : 0;
    };
  }

  /** The length of the payload of a validated frame in bytes. */
  public static int payloadLength(byte[] m, int off) {
    return switch (type(m, off)) {
      case PADDING -> PaddingFrame.payloadLength(m, off);
      case EAGER -> EagerFrame.payloadLength(m, off);
      case FRAGMENT, PLACED -> FragmentFrame.payloadLength(m, off);
      case DATAGRAM -> DatagramFrame.payloadLength(m, off);
      default -> 0;
    };
  }

  /**
   * Whether a packet with such a frame has to be acknowledged. Not so for what would answer an
   * acknowledgement with another one ({@link #ACK}) or has an answer of its own ({@link #CLOSE});
   * nor for {@link #PADDING}: a probe carries a {@link #PING} beside it.
   */
  public static boolean isAckEliciting(int type) {
    return switch (type) {
      case PADDING, ACK, CLOSE -> false;
      default -> true;
    };
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.reliability.wire;

import static io.crosstie.reliability.wire.Layouts.i64;
import static io.crosstie.reliability.wire.Layouts.putI32;
import static io.crosstie.reliability.wire.Layouts.putI64;
import static io.crosstie.reliability.wire.Layouts.putU16;
import static io.crosstie.reliability.wire.Layouts.u16;
import static io.crosstie.reliability.wire.Layouts.u8;

import io.crosstie.checksum.Checksum;

/**
 * The first 24 bytes of every packet.
 *
 * <pre>
 *    0        1        2        3        4        5        6        7
 *   +--------+--------+--------+--------+--------+--------+--------+--------+
 * 0 |             header CRC            |ver|kind|  rail  |  header length  |
 *   +--------+--------+--------+--------+--------+--------+--------+--------+
 * 8 |                             connection id                             |
 *   +--------+--------+--------+--------+--------+--------+--------+--------+
 * 16|                             packet number                             |
 *   +--------+--------+--------+--------+--------+--------+--------+--------+
 * 24| frames (DATA) or the handshake's body, a multiple of 8 bytes          |
 *   +--------+--------+--------+--------+--------+--------+--------+--------+
 *   | payloads of the frames, in their order, without padding (DATA only)   |
 * </pre>
 *
 * <p>The header length counts from byte 0 to where the payloads begin. The CRC-32C covers bytes 4
 * to the header length, so a sound header can be believed although its payload is damaged (R21).
 * Version and kind share byte 4: the version in its high nibble, the kind in its low one.
 */
public final class PacketHeader {
  /** Offset of the CRC-32C over the rest of the header. */
  public static final int HEADER_CRC = 0;

  /** Offset of wire version and kind. */
  public static final int VERSION_AND_KIND = 4;

  /** Offset of the number of the rail the packet travels on. */
  public static final int RAIL = 5;

  /** Offset of the header length. */
  public static final int HEADER_LENGTH = 6;

  /** Offset of the connection id. */
  public static final int CONNECTION_ID = 8;

  /** Offset of the packet number. */
  public static final int PACKET_NUMBER = 16;

  /** Length of this header, in bytes; the first frame lies behind it. */
  public static final int LENGTH = 24;

  /** Longest header including the frames, in bytes. */
  public static final int MAX_HEADER_LENGTH = 4096;

  /** Longest handshake packet, in bytes, and what every path must carry. */
  public static final int MAX_HANDSHAKE_LENGTH = 1200;

  /** Largest number of a rail. */
  public static final int MAX_RAIL = 63;

  /** The version of this format, the first one that nodes talk in; there is no other. */
  public static final int WIRE_VERSION = 2;

  /** Kind: frames and their payloads. */
  public static final int DATA = 1;

  /** Kind: the initiator's first packet, {@link Init}. */
  public static final int INIT = 2;

  /** Kind: the stateless answer to it, {@link Retry}. */
  public static final int RETRY = 3;

  /** Kind: the initiator introduces itself, {@link Hello}. */
  public static final int HELLO = 4;

  /** Kind: the responder introduces itself, {@link Welcome}. */
  public static final int WELCOME = 5;

  /** Kind: the responder declines, {@link Reject}. */
  public static final int REJECT = 6;

  /** Kind: the stateless answer to an unknown connection id, {@link Reset}. */
  public static final int RESET = 7;

  private PacketHeader() {}

  /**
   * Writes everything but length and CRC, which {@link #seal} adds.
   *
   * @return {@link #LENGTH}, where the first frame goes
   */
  public static int begin(
      byte[] m, int off, int kind, int rail, long connectionId, long packetNumber) {
    long word = (long) (WIRE_VERSION << 4 | kind) << (8 * VERSION_AND_KIND);
    putI64(m, off, word | (long) rail << (8 * RAIL)); // the rest is for seal
    putI64(m, off + CONNECTION_ID, connectionId);
    putI64(m, off + PACKET_NUMBER, packetNumber);
    return LENGTH;
  }

  /**
   * Writes length and CRC. The last thing to be done to a header; the payloads may follow later.
   *
   * @param headerLength a multiple of 8, at most {@link #MAX_HEADER_LENGTH}
   * @param crc32c the engine's CRC-32C; it sums a private copy of the header
   */
  public static void seal(byte[] m, int off, int headerLength, Checksum crc32c) {
    putU16(m, off + HEADER_LENGTH, headerLength);
    int crc = crc32c.compute(m, off + VERSION_AND_KIND, headerLength - VERSION_AND_KIND);
    putI32(m, off + HEADER_CRC, crc);
  }

  /** The version of the wire format. */
  public static int version(byte[] m, int off) {
    return u8(m, off + VERSION_AND_KIND) >>> 4;
  }

  /** What the packet is, {@link #DATA} to {@link #RESET}. */
  public static int kind(byte[] m, int off) {
    return u8(m, off + VERSION_AND_KIND) & 0xf;
  }

  /** The number of the rail, 0 to {@link #MAX_RAIL}. */
  public static int rail(byte[] m, int off) {
    return u8(m, off + RAIL);
  }

  /** Bytes from the packet's first one to the payloads. */
  public static int headerLength(byte[] m, int off) {
    return u16(m, off + HEADER_LENGTH);
  }

  /** The id that the receiver of this packet chose; 0 in INIT, RETRY and HELLO. */
  public static long connectionId(byte[] m, int off) {
    return i64(m, off + CONNECTION_ID);
  }

  /** The number of this packet on its rail, never negative. */
  public static long packetNumber(byte[] m, int off) {
    return i64(m, off + PACKET_NUMBER);
  }

  /** Gives a header that was written already the number of another packet. */
  public static void setPacketNumber(byte[] m, int off, long packetNumber) {
    putI64(m, off + PACKET_NUMBER, packetNumber);
  }

  /** The name of a kind, for people. */
  public static String kindName(int kind) {
    return switch (kind) {
      case DATA -> "DATA";
      case INIT -> "INIT";
      case RETRY -> "RETRY";
      case HELLO -> "HELLO";
      case WELCOME -> "WELCOME";
      case REJECT -> "REJECT";
      case RESET -> "RESET";
      default -> "kind " + kind;
    };
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.reliability.wire;

import static io.crosstie.reliability.wire.Layouts.i32;
import static io.crosstie.reliability.wire.Layouts.putI32;
import static io.crosstie.reliability.wire.Layouts.putI64;
import static io.crosstie.reliability.wire.Layouts.putU16;
import static io.crosstie.reliability.wire.Layouts.putU8;
import static io.crosstie.reliability.wire.Layouts.u16;
import static io.crosstie.reliability.wire.Layouts.u8;

/**
 * What the sender of this frame can receive on one rail.
 *
 * <pre>
 *     0        1        2        3        4        5        6        7
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 0  |  type  |  rail  |      flags      |           receive buffer          |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 8  |         max packet length         |                 0                 |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * </pre>
 */
public final class RailInfoFrame {
  /** Type of this frame. */
  public static final int TYPE = 0x0d;

  /** Flag: the rail neither loses nor reorders. */
  public static final int LOSSLESS = 1;

  /** Flag: {@link ReferenceFrame} may be used towards the sender of this frame. */
  public static final int PULLS = 2;

  /** Offset of the rail. */
  public static final int RAIL = 1;

  /** Offset of the flags. */
  public static final int FLAGS = 2;

  /** Offset of the receive buffer. */
  public static final int RECEIVE_BUFFER_BYTES = 4;

  /** Offset of the length of the longest packet. */
  public static final int MAX_PACKET_LENGTH = 8;

  /** Length of this frame in bytes. */
  public static final int LENGTH = 16;

  private RailInfoFrame() {}

  /** Writes the frame and returns its length. */
  public static int encode(
      byte[] m, int off, int rail, int flags, int receiveBufferBytes, int maxPacketLength) {
    putI64(m, off, TYPE);
    putI64(m, off + 8, 0);
    putU8(m, off + RAIL, rail);
    putU16(m, off + FLAGS, flags);
    putI32(m, off + RECEIVE_BUFFER_BYTES, receiveBufferBytes);
    putI32(m, off + MAX_PACKET_LENGTH, maxPacketLength);
    return LENGTH;
  }

  /** The rail in question. */
  public static int rail(byte[] m, int off) {
    return u8(m, off + RAIL);
  }

  /** The flags, {@link #LOSSLESS} and {@link #PULLS}. */
  public static int flags(byte[] m, int off) {
    return u16(m, off + FLAGS);
  }

  /**
   * Bytes that the kernel holds for packets not yet polled; 0 where the rail has flow control of
   * its own.
   */
  public static int receiveBufferBytes(byte[] m, int off) {
    return i32(m, off + RECEIVE_BUFFER_BYTES);
  }

  /** The longest packet to send, at least {@link PacketHeader#MAX_HANDSHAKE_LENGTH}. */
  public static int maxPacketLength(byte[] m, int off) {
    return i32(m, off + MAX_PACKET_LENGTH);
  }
}

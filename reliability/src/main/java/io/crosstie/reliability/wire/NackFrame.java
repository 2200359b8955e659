// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.reliability.wire;

import static io.crosstie.reliability.wire.Layouts.i64;
import static io.crosstie.reliability.wire.Layouts.putI64;
import static io.crosstie.reliability.wire.Layouts.putU8;
import static io.crosstie.reliability.wire.Layouts.u8;

/**
 * A packet arrived with a sound header, but the receiver did not keep what it carried.
 *
 * <pre>
 *     0        1        2        3        4        5        6        7
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 0  |  type  |  rail  | reason |                     0                      |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 8  |                             packet number                             |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * </pre>
 */
public final class NackFrame {
  /** Type of this frame. */
  public static final int TYPE = 0x04;

  /** Reason: a payload does not match its checksum; charged to the rail. */
  public static final int PAYLOAD_CHECKSUM = 1;

  /** Reason: there was no room to keep it, although it was sound. */
  public static final int NO_ROOM = 2;

  /** Reason: what it refers to could not be read in the sender's memory. */
  public static final int NOT_PULLED = 3;

  /** Offset of the rail the packet came by. */
  public static final int RAIL = 1;

  /** Offset of the reason. */
  public static final int REASON = 2;

  /** Offset of the packet's number. */
  public static final int PACKET_NUMBER = 8;

  /** Length of this frame in bytes. */
  public static final int LENGTH = 16;

  private NackFrame() {}

  /** Writes the frame and returns its length. */
  public static int encode(byte[] m, int off, int rail, int reason, long packetNumber) {
    putI64(m, off, TYPE);
    putU8(m, off + RAIL, rail);
    putU8(m, off + REASON, reason);
    putI64(m, off + PACKET_NUMBER, packetNumber);
    return LENGTH;
  }

  /** The rail the packet came by. */
  public static int rail(byte[] m, int off) {
    return u8(m, off + RAIL);
  }

  /** Why it was not kept, {@link #PAYLOAD_CHECKSUM}, {@link #NO_ROOM} or {@link #NOT_PULLED}. */
  public static int reason(byte[] m, int off) {
    return u8(m, off + REASON);
  }

  /** The number of the packet on its rail. */
  public static long packetNumber(byte[] m, int off) {
    return i64(m, off + PACKET_NUMBER);
  }
}

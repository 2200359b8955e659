// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.reliability.wire;

import static io.crosstie.reliability.wire.Layouts.i64;
import static io.crosstie.reliability.wire.Layouts.putI64;

/**
 * The stateless answer to a packet with an unknown connection id (R11). The header echoes that id,
 * so that only who really sent it can be impressed by the answer.
 *
 * <pre>
 *     0        1        2        3        4        5        6        7
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 24 |                     incarnation of the node answering                 |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * </pre>
 *
 * <p>It is shorter than what it answers, so that two nodes cannot keep answering each other and
 * none can be used to amplify; therefore the shortest packets draw no RESET.
 */
public final class Reset {
  /** Offset of the incarnation. */
  public static final int INCARNATION = PacketHeader.LENGTH;

  /** Length of the packet in bytes. */
  public static final int LENGTH = PacketHeader.LENGTH + 8;

  private Reset() {}

  /** Whether a packet of a kind and a length in bytes may be answered by a RESET. */
  public static boolean mayAnswer(int kind, int packetLength) {
    return kind == PacketHeader.DATA && packetLength > LENGTH;
  }

  /**
   * Writes the packet, which {@link PacketHeader#seal} completes, and returns its length.
   *
   * @param rail echoed from the packet answered
   * @param connectionId the unknown id, echoed
   * @param incarnation the incarnation of this node
   */
  public static int encode(byte[] m, int off, int rail, long connectionId, long incarnation) {
    PacketHeader.begin(m, off, PacketHeader.RESET, rail, connectionId, 0);
    putI64(m, off + INCARNATION, incarnation);
    return LENGTH;
  }

  /** The incarnation of the node that does not know the connection id. */
  public static long incarnation(byte[] m, int off) {
    return i64(m, off + INCARNATION);
  }
}

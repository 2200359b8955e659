// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.reliability.wire;

import static io.crosstie.reliability.wire.Layouts.i64;
import static io.crosstie.reliability.wire.Layouts.putI64;
import static io.crosstie.reliability.wire.Layouts.putU16;
import static io.crosstie.reliability.wire.Layouts.putU8;
import static io.crosstie.reliability.wire.Layouts.u16;
import static io.crosstie.reliability.wire.Layouts.u8;

/**
 * Asks the peer to show that it receives on a rail, by sending the token back.
 *
 * <pre>
 *     0        1        2        3        4        5        6        7
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 0  |  type  |  rail  |      flags      |                 0                 |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 8  |                                 token                                 |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * </pre>
 */
public final class ChallengeFrame {
  /** Type of this frame. */
  public static final int TYPE = 0x0b;

  /** Offset of the rail. */
  public static final int RAIL = 1;

  /** Offset of the flags. */
  public static final int FLAGS = 2;

  /** Offset of the token. */
  public static final int TOKEN = 8;

  /** Length of this frame in bytes. */
  public static final int LENGTH = 16;

  private ChallengeFrame() {}

  /** Writes the frame and returns its length. */
  public static int encode(byte[] m, int off, int rail, int flags, long token) {
    putI64(m, off, TYPE);
    putU8(m, off + RAIL, rail);
    putU16(m, off + FLAGS, flags);
    putI64(m, off + TOKEN, token);
    return LENGTH;
  }

  /** The rail in question. */
  public static int rail(byte[] m, int off) {
    return u8(m, off + RAIL);
  }

  /** The flags; none is defined. */
  public static int flags(byte[] m, int off) {
    return u16(m, off + FLAGS);
  }

  /** The token, hard to guess. */
  public static long token(byte[] m, int off) {
    return i64(m, off + TOKEN);
  }
}

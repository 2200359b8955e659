// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.reliability.wire;

import static io.crosstie.reliability.wire.Layouts.i64;
import static io.crosstie.reliability.wire.Layouts.putI64;
import static io.crosstie.reliability.wire.Layouts.putU8;
import static io.crosstie.reliability.wire.Layouts.u8;

/**
 * Ends the connection.
 *
 * <pre>
 *     0        1        2        3        4        5        6        7
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 0  |  type  | reason | flags  |                     0                      |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 8  |                                 detail                                |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * </pre>
 */
public final class CloseFrame {
  /** Type of this frame. */
  public static final int TYPE = 0x0f;

  /** Flag: this answers the peer's CLOSE. */
  public static final int ACKNOWLEDGES = 1;

  /** Offset of the reason. */
  public static final int REASON = 1;

  /** Offset of the flags. */
  public static final int FLAGS = 2;

  /** Offset of the detail. */
  public static final int DETAIL = 8;

  /** Length of this frame in bytes. */
  public static final int LENGTH = 16;

  private CloseFrame() {}

  /** Writes the frame and returns its length. */
  public static int encode(byte[] m, int off, int reason, int flags, long detail) {
    putI64(m, off, TYPE);
    putU8(m, off + REASON, reason);
    putU8(m, off + FLAGS, flags);
    putI64(m, off + DETAIL, detail);
    return LENGTH;
  }

  /** The reason, defined by the layer above. */
  public static int reason(byte[] m, int off) {
    return u8(m, off + REASON);
  }

  /** The flags, {@link #ACKNOWLEDGES}. */
  public static int flags(byte[] m, int off) {
    return u8(m, off + FLAGS);
  }

  /** More about the reason. */
  public static long detail(byte[] m, int off) {
    return i64(m, off + DETAIL);
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.reliability.wire;

import static io.crosstie.reliability.wire.Layouts.putI64;
import static io.crosstie.reliability.wire.Layouts.putU8;
import static io.crosstie.reliability.wire.Layouts.u8;

/**
 * The sender of this frame has given up a rail.
 *
 * <pre>
 *     0        1        2        3        4        5        6        7
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 0  |  type  |  rail  |                          0                          |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * </pre>
 */
public final class RailGoneFrame {
  /** Type of this frame. */
  public static final int TYPE = 0x10;

  /** Offset of the rail. */
  public static final int RAIL = 1;

  /** Length of this frame in bytes. */
  public static final int LENGTH = 8;

  private RailGoneFrame() {}

  /** Writes the frame and returns its length. */
  public static int encode(byte[] m, int off, int rail) {
    putI64(m, off, TYPE);
    putU8(m, off + RAIL, rail);
    return LENGTH;
  }

  /** The rail that is gone. */
  public static int rail(byte[] m, int off) {
    return u8(m, off + RAIL);
  }
}

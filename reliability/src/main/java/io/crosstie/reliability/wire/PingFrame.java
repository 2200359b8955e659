// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.reliability.wire;

import static io.crosstie.reliability.wire.Layouts.putI64;

/**
 * Asks for nothing but an acknowledgement.
 *
 * <pre>
 *     0        1        2        3        4        5        6        7
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 0  |  type  |                              0                               |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * </pre>
 */
public final class PingFrame {
  /** Type of this frame. */
  public static final int TYPE = 0x02;

  /** Length of this frame in bytes. */
  public static final int LENGTH = 8;

  private PingFrame() {}

  /** Writes the frame and returns its length. */
  public static int encode(byte[] m, int off) {
    putI64(m, off, TYPE);
    return LENGTH;
  }
}

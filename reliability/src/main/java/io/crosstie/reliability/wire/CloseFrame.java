// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.reliability.wire;

import static io.crosstie.reliability.wire.Layouts.LONG;
import static io.crosstie.reliability.wire.Layouts.putU8;
import static io.crosstie.reliability.wire.Layouts.u8;

import java.lang.foreign.MemorySegment;

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
  public static int encode(MemorySegment m, long off, int reason, int flags, long detail) {
    m.set(LONG, off, Frames.CLOSE);
    putU8(m, off + REASON, reason);
    putU8(m, off + FLAGS, flags);
    m.set(LONG, off + DETAIL, detail);
    return LENGTH;
  }

  /** The reason, defined by the layer above. */
  public static int reason(MemorySegment m, long off) {
    return u8(m, off + REASON);
  }

  /** The flags, {@link #ACKNOWLEDGES}. */
  public static int flags(MemorySegment m, long off) {
    return u8(m, off + FLAGS);
  }

  /** More about the reason. */
  public static long detail(MemorySegment m, long off) {
    return m.get(LONG, off + DETAIL);
  }
}

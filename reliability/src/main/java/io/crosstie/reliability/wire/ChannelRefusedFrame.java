// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.reliability.wire;

import static io.crosstie.reliability.wire.Layouts.i32;
import static io.crosstie.reliability.wire.Layouts.putI32;
import static io.crosstie.reliability.wire.Layouts.putI64;
import static io.crosstie.reliability.wire.Layouts.putU8;
import static io.crosstie.reliability.wire.Layouts.u8;

/**
 * The sender of this frame takes nothing on a channel, and has kept nothing of what it was sent
 * there; for as long as the connection lasts.
 *
 * <pre>
 *     0        1        2        3        4        5        6        7
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 0  |  type  | reason |        0        |              channel              |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * </pre>
 */
public final class ChannelRefusedFrame {
  /** Type of this frame. */
  public static final int TYPE = 0x14;

  /** Reason: it has its bound of channels. Any other reason is taken for this one. */
  public static final int NO_MORE_CHANNELS = 1;

  /** Offset of the reason. */
  public static final int REASON = 1;

  /** Offset of the channel. */
  public static final int CHANNEL = 4;

  /** Length of this frame in bytes. */
  public static final int LENGTH = 8;

  private ChannelRefusedFrame() {}

  /** Writes the frame and returns its length. */
  public static int encode(byte[] m, int off, int channel, int reason) {
    putI64(m, off, TYPE);
    putU8(m, off + REASON, reason);
    putI32(m, off + CHANNEL, channel);
    return LENGTH;
  }

  /** Why it is refused. */
  public static int reason(byte[] m, int off) {
    return u8(m, off + REASON);
  }

  /** The channel that is refused. */
  public static int channel(byte[] m, int off) {
    return i32(m, off + CHANNEL);
  }
}

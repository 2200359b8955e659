// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.reliability.wire;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** How numbers lie on the wire: little-endian, at any alignment. */
public final class Layouts {
  /** One byte. */
  public static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;

  /** Two bytes. */
  public static final ValueLayout.OfShort SHORT =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(LITTLE_ENDIAN);

  /** Four bytes. */
  public static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(LITTLE_ENDIAN);

  /** Eight bytes. */
  public static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(LITTLE_ENDIAN);

  /** The unit of every header: descriptors are multiples of it. */
  static final int WORD = 8;

  private Layouts() {}

  static int u8(MemorySegment m, long offset) {
    return Byte.toUnsignedInt(m.get(BYTE, offset));
  }

  static int u16(MemorySegment m, long offset) {
    return Short.toUnsignedInt(m.get(SHORT, offset));
  }

  static long u32(MemorySegment m, long offset) {
    return Integer.toUnsignedLong(m.get(INT, offset));
  }

  static void putU8(MemorySegment m, long offset, int value) {
    m.set(BYTE, offset, (byte) value);
  }

  static void putU16(MemorySegment m, long offset, int value) {
    m.set(SHORT, offset, (short) value);
  }

  /** Rounds up to a multiple of {@link #WORD}. */
  static int padded(int length) {
    return (length + WORD - 1) & -WORD;
  }
}

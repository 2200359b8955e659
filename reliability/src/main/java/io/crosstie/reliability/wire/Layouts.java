// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.reliability.wire;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * How numbers lie on the wire: little-endian, at any alignment.
 *
 * <p>Headers are read and written in private arrays, never where they lie in a rail's memory: what
 * is judged must not change any more (R25), and words of an array cost the same whatever kinds of
 * segment the process has seen, which those of segments do not.
 */
public final class Layouts {
  private static final VarHandle SHORT = view(short[].class);
  private static final VarHandle INT = view(int[].class);
  private static final VarHandle LONG = view(long[].class);

  /** The unit of every header: descriptors are multiples of it. */
  static final int WORD = 8;

  private Layouts() {}

  private static VarHandle view(Class<?> array) {
    return MethodHandles.byteArrayViewVarHandle(array, LITTLE_ENDIAN).withInvokeExactBehavior();
  }

  static int u8(byte[] m, int offset) {
    return Byte.toUnsignedInt(m[offset]);
  }

  static int u16(byte[] m, int offset) {
    return Short.toUnsignedInt((short) SHORT.get(m, offset));
  }

  static long u32(byte[] m, int offset) {
    return Integer.toUnsignedLong((int) INT.get(m, offset));
  }

  static int i32(byte[] m, int offset) {
    return (int) INT.get(m, offset);
  }

  static long i64(byte[] m, int offset) {
    return (long) LONG.get(m, offset);
  }

  static void putU8(byte[] m, int offset, int value) {
    m[offset] = (byte) value;
  }

  static void putU16(byte[] m, int offset, int value) {
    SHORT.set(m, offset, (short) value);
  }

  static void putI32(byte[] m, int offset, int value) {
    INT.set(m, offset, value);
  }

  static void putI64(byte[] m, int offset, long value) {
    LONG.set(m, offset, value);
  }

  /** Rounds up to a multiple of {@link #WORD}. */
  static int padded(int length) {
    return (length + WORD - 1) & -WORD;
  }
}

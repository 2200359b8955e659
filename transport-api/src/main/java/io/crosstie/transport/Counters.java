// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A set of 64-bit counters, one per constant of an enum. One thread writes, any thread reads;
 * values are never torn and appear in finite time, but two counters read one after the other need
 * not belong to the same moment.
 *
 * @param <E> the enum that names the counters
 */
public final class Counters<E extends Enum<E>> {
  private static final VarHandle VALUE = MethodHandles.arrayElementVarHandle(long[].class);

  /** Behind the values, to keep those of two sets out of one cache line. */
  private static final int PADDING = 8;

  private final Class<E> type;
  private final long[] values;

  /** A set of zeros. */
  public Counters(Class<E> type) {
    this.type = type;
    this.values = new long[type.getEnumConstants().length + PADDING];
  }

  /** The enum that names the counters. */
  public Class<E> type() {
    return type;
  }

  /** The value; any thread. */
  public long get(E counter) {
    return (long) VALUE.getOpaque(values, counter.ordinal());
  }

  /** Adds one; the writer only. */
  public void increment(E counter) {
    add(counter, 1);
  }

  /** Adds; the writer only. */
  public void add(E counter, long amount) {
    int index = counter.ordinal();
    VALUE.setOpaque(values, index, values[index] + amount);
  }

  /** Sets a gauge; the writer only. */
  public void set(E counter, long value) {
    VALUE.setOpaque(values, counter.ordinal(), value);
  }
}

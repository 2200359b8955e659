// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

/**
 * 64-bit counters to be read, one per constant of an enum, by any thread. Values are never torn and
 * appear in finite time, but two counters read one after the other need not belong to the same
 * moment. They go on counting for as long as what they are of; two are equal if they are of the
 * same.
 *
 * @param <E> the enum that names the counters
 */
public interface Counters<E extends Enum<E>> {
  /** The enum that names the counters. */
  Class<E> type();

  /** The value; any thread. */
  long get(E counter);
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.observability;

import io.crosstie.messaging.Counters;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A set of counters that may be followed by a new one which begins at zero, say after a peer's
 * restart, and yet only grows. One thread follows, any thread reads.
 */
final class Totals<E extends Enum<E>> {
  /** What the sets before have left, and the present one. */
  private static final class View<E extends Enum<E>> {
    final long[] before;
    final @Nullable Counters<E> present;

    View(long[] before, @Nullable Counters<E> present) {
      this.before = before;
      this.present = present;
    }

    long total(E counter) {
      Counters<E> counters = present;
      return before[counter.ordinal()] + (counters == null ? 0 : counters.get(counter));
    }
  }

  private final E[] constants;
  private volatile View<E> view;

  Totals(Class<E> type, @Nullable Counters<E> first) {
    this.constants = type.getEnumConstants();
    this.view = new View<>(new long[constants.length], first);
  }

  E[] constants() {
    return constants.clone();
  }

  /** The set to read from now on; null while there is none. */
  void follow(@Nullable Counters<E> next) {
    View<E> old = view;
    if (Objects.equals(old.present, next)) {
      return;
    }
    long[] before = new long[constants.length];
    for (E constant : constants) {
      before[constant.ordinal()] = old.total(constant);
    }
    view = new View<>(before, next);
  }

  /** A monotone counter, over all sets. */
  long total(E counter) {
    return view.total(counter);
  }

  /** A gauge of the present set; 0 without one. */
  long gauge(E counter) {
    Counters<E> present = view.present;
    return present == null ? 0 : present.get(counter);
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import io.crosstie.transport.Counters;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/** The core's counters under the names of this package. */
final class CoreCounters<E extends Enum<E>, C extends Enum<C>>
    implements io.crosstie.messaging.Counters<E> {
  private final Class<E> type;
  private final Counters<C> core;
  private final C[] names;

  /**
   * @param type the same constants as the core's, in the same order
   */
  CoreCounters(Class<E> type, Counters<C> core) {
    this.type = type;
    this.core = core;
    this.names = core.type().getEnumConstants();
  }

  @Override
  public Class<E> type() {
    return type;
  }

  @Override
  public long get(E counter) {
    return core.get(names[counter.ordinal()]);
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // sets of counters have no other
  public boolean equals(@Nullable Object other) {
    return other instanceof CoreCounters<?, ?> counters && counters.core == core;
  }

  /** Those that are not zero, at this moment. */
  @Override
  public String toString() {
    StringJoiner text = new StringJoiner(", ", type.getSimpleName() + "[", "]");
    for (E counter : type.getEnumConstants()) {
      long value = get(counter);
      if (value != 0) {
        text.add(counter.name() + "=" + value);
      }
    }
    return text.toString();
  }

  @Override
  public int hashCode() {
    return System.identityHashCode(core);
  }
}

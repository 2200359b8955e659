// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks.match;

import org.jspecify.annotations.Nullable;

/** The place of something in one list of {@link KeyedLists}; it can be taken out from there. */
final class Link<T> {
  final T owner;
  @Nullable Link<T> before;
  @Nullable Link<T> after;
  @Nullable KeyedList<T> list;

  Link(T owner) {
    this.owner = owner;
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks.match;

import org.jspecify.annotations.Nullable;

/** What has one (context, source, tag), in order. */
final class KeyedList<T> {
  final int context;
  final int source;
  final int tag;

  /** Where it belongs. */
  private final KeyedLists<T> home;

  @Nullable Link<T> first;
  private @Nullable Link<T> last;

  /** The next one of the same place in the hash table. */
  @Nullable KeyedList<T> next;

  KeyedList(KeyedLists<T> home, int context, int source, int tag) {
    this.home = home;
    this.context = context;
    this.source = source;
    this.tag = tag;
  }

  boolean is(int ofContext, int ofSource, int ofTag) {
    return tag == ofTag && source == ofSource && context == ofContext;
  }

  @SuppressWarnings("ReferenceEquality") // the very table
  boolean isOf(KeyedLists<T> table) {
    return home == table;
  }

  void append(Link<T> link) {
    link.list = this;
    link.before = last;
    if (last == null) {
      first = link;
    } else {
      last.after = link;
    }
    last = link;
  }

  void remove(Link<T> link) {
    Link<T> before = link.before;
    Link<T> after = link.after;
    if (before == null) {
      first = after;
    } else {
      before.after = after;
    }
    if (after == null) {
      last = before;
    } else {
      after.before = before;
    }
    link.before = null;
    link.after = null;
    link.list = null;
  }
}

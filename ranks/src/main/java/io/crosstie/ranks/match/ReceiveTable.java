// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks.match;

import static io.crosstie.ranks.match.Posted.ANY;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Receives that are posted, each in one list, by what it names; wildcards are values of their own.
 * A message looks at four lists, and takes the one that was posted first of their first ones (the
 * order numbers tell), so that matching does not overtake.
 */
public final class ReceiveTable<R extends Posted> {
  private final KeyedLists<Posted> lists = new KeyedLists<>();
  private long lastOrder;
  private int size;

  /** Empty. */
  public ReceiveTable() {}

  /** Puts one behind those before it. */
  public void add(R receive) {
    receive.order = ++lastOrder;
    lists.append(receive.context(), receive.source(), receive.tag(), receive.link);
    size++;
  }

  /** Takes out the receive that this message is for; null if there is none. */
  @SuppressWarnings("unchecked") // only these were added
  public @Nullable R match(int context, int source, int tag) {
    if (size == 0) {
      return null;
    }
    Link<Posted> first = lists.first(context, source, tag);
    first = older(first, lists.first(context, source, ANY));
    first = older(first, lists.first(context, ANY, tag));
    first = older(first, lists.first(context, ANY, ANY));
    if (first == null) {
      return null;
    }
    R found = (R) first.owner;
    boolean unused = remove(found);
    return found;
  }

  /** The same, but not one that names no tag. */
  @SuppressWarnings("unchecked") // only these were added
  public @Nullable R matchTag(int context, int source, int tag) {
    Link<Posted> first = older(lists.first(context, source, tag), lists.first(context, ANY, tag));
    if (first == null) {
      return null;
    }
    R found = (R) first.owner;
    boolean unused = remove(found);
    return found;
  }

  private static @Nullable Link<Posted> older(
      @Nullable Link<Posted> one, @Nullable Link<Posted> other) {
    if (one == null || other == null) {
      return one == null ? other : one;
    }
    return one.owner.order < other.owner.order ? one : other;
  }

  /** Whether one names just this, wildcards included. */
  public boolean has(int context, int source, int tag) {
    return lists.first(context, source, tag) != null;
  }

  /** Takes it out; false if it was not in. */
  public boolean remove(R receive) {
    boolean was = lists.remove(receive.link);
    if (was) {
      size--;
    }
    return was;
  }

  /** How many there are. */
  public int size() {
    return size;
  }

  /** Each once; nothing may be changed meanwhile. */
  @SuppressWarnings("unchecked") // only these were added
  public void forEach(Consumer<? super R> action) {
    lists.forEach(receive -> action.accept((R) receive));
  }
}

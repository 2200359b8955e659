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
  public @Nullable R match(int context, int source, int tag) {
    R found = first(context, source, tag);
    if (found != null) {
      boolean unused = remove(found);
    }
    return found;
  }

  /** The receive that this message is for; it stays. */
  @SuppressWarnings("unchecked") // only these were added
  public @Nullable R first(int context, int source, int tag) {
    if (size == 0) {
      return null;
    }
    Link<Posted> first = lists.first(context, source, tag);
    first = older(first, lists.first(context, source, ANY));
    first = older(first, lists.first(context, ANY, tag));
    first = older(first, lists.first(context, ANY, ANY));
    return first == null ? null : (R) first.owner;
  }

  /** Whether one that names no tag was posted before this one, and may take from that source. */
  public boolean hasAnyTagBefore(R receive, int source) {
    Link<Posted> first =
        older(
            lists.first(receive.context(), source, ANY), lists.first(receive.context(), ANY, ANY));
    return first != null && first.owner.order < receive.order;
  }

  private static @Nullable Link<Posted> older(
      @Nullable Link<Posted> one, @Nullable Link<Posted> other) {
    if (one == null || other == null) {
      return one == null ? other : one;
    }
    return one.owner.order < other.owner.order ? one : other;
  }

  /** The first that names just this, wildcards included; it stays. */
  @SuppressWarnings("unchecked") // only these were added
  public @Nullable R firstOf(int context, int source, int tag) {
    Link<Posted> first = lists.first(context, source, tag);
    return first == null ? null : (R) first.owner;
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

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks.match;

import static io.crosstie.ranks.match.Posted.ANY;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Messages that wait, each in four lists: by source and tag, by either, and by neither. Whatever
 * wildcards are asked for, the oldest message that fits is the first of one list. This is the
 * unexpected queue of a receiver, and what waits at a sender.
 */
public final class MessageTable<M extends Waiting> {
  private final KeyedLists<Waiting> lists = new KeyedLists<>();
  private int size;

  /** Empty. */
  public MessageTable() {}

  /** Puts one behind those before it. */
  public void add(M message) {
    int context = message.context();
    lists.append(context, message.source(), message.tag(), message.exact);
    lists.append(context, message.source(), ANY, message.anyTag);
    lists.append(context, ANY, message.tag(), message.anySource);
    lists.append(context, ANY, ANY, message.any);
    size++;
  }

  /** The oldest that fits; it stays. */
  @SuppressWarnings("unchecked") // only these were added
  public @Nullable M first(int context, int source, int tag) {
    Link<Waiting> link = lists.first(context, source, tag);
    return link == null ? null : (M) link.owner;
  }

  /** Takes it out; false if it was not in, or only halfway, as where there was no heap for more. */
  public boolean remove(M message) {
    boolean isIn = lists.remove(message.any);
    boolean unused = lists.remove(message.anyTag);
    hideFromTag(message);
    size -= isIn ? 1 : 0;
    return isIn;
  }

  /** From now on only who asks for any tag finds it. */
  public void hideFromTag(M message) {
    boolean unused = lists.remove(message.exact);
    boolean unusedToo = lists.remove(message.anySource);
  }

  /** How many there are. */
  public int size() {
    return size;
  }

  /** Each once; nothing may be changed meanwhile. */
  @SuppressWarnings("unchecked") // only these were added
  public void forEach(Consumer<? super M> action) {
    lists.forEachOf(ANY, ANY, message -> action.accept((M) message));
  }
}

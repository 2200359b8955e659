// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks.match;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Lists by (context, source, tag), any of which may be a wildcard as a value of its own. A hash
 * table with chains; a list that is empty is taken out. Finding, appending and removing cost the
 * same however much there is.
 */
final class KeyedLists<T> {
  private static final int FIRST_PLACES = 64;

  private @Nullable KeyedList<T>[] places = places(FIRST_PLACES);
  private int lists;

  @SuppressWarnings({"unchecked", "rawtypes"}) // an array of a generic type
  private static <T> @Nullable KeyedList<T>[] places(int count) {
    return new KeyedList[count];
  }

  private static int hash(int context, int source, int tag) {
    int h = (context * 0x9E3779B1 + source) * 0x85EBCA77 + tag;
    h = (h ^ (h >>> 15)) * 0xC2B2AE3D;
    return h ^ (h >>> 13);
  }

  private @Nullable KeyedList<T> find(int context, int source, int tag) {
    KeyedList<T> list = places[hash(context, source, tag) & (places.length - 1)];
    while (list != null && !list.is(context, source, tag)) {
      list = list.next;
    }
    return list;
  }

  @Nullable Link<T> first(int context, int source, int tag) {
    KeyedList<T> list = find(context, source, tag);
    return list == null ? null : list.first;
  }

  void append(int context, int source, int tag, Link<T> link) {
    KeyedList<T> list = find(context, source, tag);
    if (list == null) {
      if (lists >= places.length) {
        grow();
      }
      list = new KeyedList<>(this, context, source, tag);
      put(list);
      lists++;
    }
    list.append(link);
  }

  private void put(KeyedList<T> list) {
    int place = hash(list.context, list.source, list.tag) & (places.length - 1);
    list.next = places[place];
    places[place] = list;
  }

  private void grow() {
    @Nullable KeyedList<T>[] old = places;
    places = places(2 * old.length);
    for (KeyedList<T> chain : old) {
      for (KeyedList<T> list = chain; list != null; ) {
        KeyedList<T> next = list.next;
        put(list);
        list = next;
      }
    }
  }

  /** Takes it out of its list; false if it is in none of these. */
  boolean remove(Link<T> link) {
    KeyedList<T> list = link.list;
    if (list == null || !list.isOf(this)) {
      return false;
    }
    list.remove(link);
    if (list.first == null) {
      forget(list);
    }
    return true;
  }

  @SuppressWarnings("ReferenceEquality") // the very list
  private void forget(KeyedList<T> list) {
    int place = hash(list.context, list.source, list.tag) & (places.length - 1);
    KeyedList<T> at = places[place];
    if (at == list) {
      places[place] = list.next;
    } else {
      while (at != null && at.next != list) {
        at = at.next;
      }
      if (at != null) {
        at.next = list.next;
      }
    }
    lists--;
  }

  /** Everything, by lists; nothing may be changed meanwhile. */
  void forEach(Consumer<? super T> action) {
    for (KeyedList<T> chain : places) {
      for (KeyedList<T> list = chain; list != null; list = list.next) {
        for (Link<T> link = list.first; link != null; link = link.after) {
          action.accept(link.owner);
        }
      }
    }
  }

  /** What is in the lists of that source and tag, of all contexts. */
  void forEachOf(int source, int tag, Consumer<? super T> action) {
    for (KeyedList<T> chain : places) {
      for (KeyedList<T> list = chain; list != null; list = list.next) {
        if (list.source == source && list.tag == tag) {
          for (Link<T> link = list.first; link != null; link = link.after) {
            action.accept(link.owner);
          }
        }
      }
    }
  }
}

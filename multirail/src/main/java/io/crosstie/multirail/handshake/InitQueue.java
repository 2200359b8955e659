// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.handshake;

import io.crosstie.multirail.connection.Connection;
import io.crosstie.multirail.path.RateLimiter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The connections whose handshake is under way, and which of them knocks next: what a duty cycle
 * costs does not grow with their number. INITs are rationed, so that thousands of peers that do not
 * answer cost the others a fraction of a millisecond at a time. Those that begin have a ration of
 * their own: nobody who comes waits behind peers that have been dead for long.
 */
public final class InitQueue implements Iterable<Connection> {
  /** Most INITs in one duty cycle, counted by the attempt; the others follow in the next ones. */
  public static final int MAX_INITS_PER_CYCLE = 8;

  public static final int INITS_PER_SECOND = 1000;
  private static final int FIRST_INITS_PER_SECOND = 2000;

  /** By age. */
  private final ArrayList<Handshake> all = new ArrayList<>();

  /** A binary heap by {@link Handshake#nextNs()}; each knows where it stands. */
  private @Nullable Handshake[] heap = new Handshake[16];

  private int size;
  private final RateLimiter inits = new RateLimiter(MAX_INITS_PER_CYCLE, INITS_PER_SECOND);
  private final RateLimiter firstInits =
      new RateLimiter(MAX_INITS_PER_CYCLE, FIRST_INITS_PER_SECOND);

  /** Room for one more, so that {@link #add} needs no memory. */
  void reserve() {
    all.ensureCapacity(all.size() + 1);
    if (size == heap.length) {
      heap = Arrays.copyOf(heap, 2 * size);
    }
  }

  void add(Connection c, Handshake h) {
    reserve();
    h.enter(this, c);
    all.add(h);
    h.place = size;
    heap[size++] = h;
    up(h);
  }

  /** That of a connection; null if none is under way. */
  @SuppressWarnings("ReferenceEquality") // a connection is a state machine, not a value
  @Nullable Handshake of(Connection c) {
    for (int i = all.size() - 1; i >= 0; i--) {
      if (all.get(i).connection() == c) {
        return all.get(i);
      }
    }
    return null;
  }

  /** Takes out that of a connection, and returns it; null if none is under way. */
  @Nullable Handshake remove(Connection c) {
    Handshake h = of(c);
    if (h != null) {
      boolean unused = all.remove(h);
      takeOut(h);
    }
    return h;
  }

  @SuppressWarnings("ReferenceEquality") // this very one
  private void takeOut(Handshake h) {
    int i = h.place;
    if (i < 0) {
      return;
    }
    h.place = -1;
    Handshake last = at(--size);
    heap[size] = null;
    if (last != h) {
      put(last, i);
      moved(last);
    }
  }

  /** Who is due, or will be first; null if there is nobody. */
  @Nullable Handshake first() {
    return size == 0 ? null : at(0);
  }

  /** When {@link #first()} is due, Long.MAX_VALUE if there is nobody. */
  long earliestNs() {
    return size == 0 ? Long.MAX_VALUE : at(0).nextNs();
  }

  /**
   * When a knock may leave that is due: now, or later, if too many others are.
   *
   * @param doors how many packets it makes
   */
  long turnNs(Handshake h, int doors, long nowNs) {
    RateLimiter ration = h.isNew() ? firstInits : inits;
    long at = ration.reserve(nowNs);
    for (int i = 1; i < doors; i++) {
      long unused = ration.reserve(nowNs);
    }
    return at;
  }

  /** It is due at another time. */
  void moved(Handshake h) {
    if (h.place >= 0) {
      up(h);
      down(h);
    }
  }

  private Handshake at(int i) {
    Handshake h = heap[i];
    if (h == null) {
      throw new IllegalStateException("hole in the heap at " + i);
    }
    return h;
  }

  private void put(Handshake h, int i) {
    heap[i] = h;
    h.place = i;
  }

  private void up(Handshake h) {
    int i = h.place;
    while (i > 0 && at((i - 1) / 2).nextNs() > h.nextNs()) {
      put(at((i - 1) / 2), i);
      i = (i - 1) / 2;
    }
    put(h, i);
  }

  private void down(Handshake h) {
    int i = h.place;
    while (2 * i + 1 < size) {
      int child = 2 * i + 1;
      if (child + 1 < size && at(child + 1).nextNs() < at(child).nextNs()) {
        child++;
      }
      if (h.nextNs() <= at(child).nextNs()) {
        break;
      }
      put(at(child), i);
      i = child;
    }
    put(h, i);
  }

  @Override
  public Iterator<Connection> iterator() {
    Iterator<Handshake> handshakes = List.copyOf(all).iterator(); // it may change meanwhile
    return new Iterator<>() {
      @Override
      public boolean hasNext() {
        return handshakes.hasNext();
      }

      @Override
      public Connection next() {
        return handshakes.next().connection();
      }
    };
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.handshake;

import io.crosstie.multirail.connection.Connection;
import io.crosstie.multirail.path.RateLimiter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The attempts that are under way, by when their next packet is due: what a duty cycle costs does
 * not grow with their number. INITs are rate limited, so that thousands of peers that do not answer
 * cost the others a fraction of a millisecond at a time; those of new attempts have a limit of
 * their own, so that none waits behind peers that have been dead for long.
 */
public final class InitQueue {
  /** Most INITs in one duty cycle, counted by the attempt; the others follow in the next ones. */
  public static final int MAX_INITS_PER_CYCLE = 8;

  public static final int INITS_PER_SECOND = 1000;
  private static final int FIRST_INITS_PER_SECOND = 2000;

  /** By age. */
  private final ArrayList<HandshakeAttempt> all = new ArrayList<>();

  /** A binary heap by {@link HandshakeAttempt#dueNs()}; each knows its index. */
  private @Nullable HandshakeAttempt[] heap = new HandshakeAttempt[16];

  private int size;
  private final RateLimiter inits = new RateLimiter(MAX_INITS_PER_CYCLE, INITS_PER_SECOND);
  private final RateLimiter firstInits =
      new RateLimiter(MAX_INITS_PER_CYCLE, FIRST_INITS_PER_SECOND);

  /** Room for one more, so that {@link #add} needs no memory. */
  void reserveRoom() {
    all.ensureCapacity(all.size() + 1);
    if (size == heap.length) {
      heap = Arrays.copyOf(heap, 2 * size);
    }
  }

  void add(Connection c, HandshakeAttempt attempt) {
    reserveRoom();
    attempt.enter(this, c);
    all.add(attempt);
    attempt.moveTo(size);
    heap[size++] = attempt;
    up(attempt);
  }

  /** That of a connection; null if none is under way. */
  @SuppressWarnings("ReferenceEquality") // a connection is a state machine, not a value
  @Nullable HandshakeAttempt of(Connection c) {
    for (int i = all.size() - 1; i >= 0; i--) {
      if (all.get(i).connection() == c) {
        return all.get(i);
      }
    }
    return null;
  }

  /** Takes out that of a connection, and returns it; null if none is under way. */
  @Nullable HandshakeAttempt remove(Connection c) {
    HandshakeAttempt attempt = of(c);
    if (attempt != null) {
      boolean unused = all.remove(attempt);
      takeOut(attempt);
    }
    return attempt;
  }

  /** All of them, by age; a snapshot, since they may change meanwhile. */
  List<HandshakeAttempt> all() {
    return List.copyOf(all);
  }

  /** The one that is due first, now or later; null if there is none. */
  @Nullable HandshakeAttempt first() {
    return size == 0 ? null : at(0);
  }

  /** When {@link #first()} is due, Long.MAX_VALUE if there is none. */
  long earliestNs() {
    return size == 0 ? Long.MAX_VALUE : at(0).dueNs();
  }

  /**
   * Asks the rate limit for the INITs of one attempt.
   *
   * @param packets how many that are
   * @return when they may leave, now at the earliest
   */
  long reserve(HandshakeAttempt attempt, int packets, long nowNs) {
    RateLimiter limit = attempt.isNew() ? firstInits : inits;
    long at = limit.reserve(nowNs);
    for (int i = 1; i < packets; i++) {
      long unused = limit.reserve(nowNs);
    }
    return at;
  }

  /** It is due at another time. */
  void onRescheduled(HandshakeAttempt attempt) {
    if (attempt.heapIndex() >= 0) {
      up(attempt);
      down(attempt);
    }
  }

  @SuppressWarnings("ReferenceEquality") // this very one
  private void takeOut(HandshakeAttempt attempt) {
    int i = attempt.heapIndex();
    if (i < 0) {
      return;
    }
    attempt.moveTo(-1);
    HandshakeAttempt last = at(--size);
    heap[size] = null;
    if (last != attempt) {
      put(last, i);
      onRescheduled(last);
    }
  }

  private HandshakeAttempt at(int i) {
    HandshakeAttempt attempt = heap[i];
    if (attempt == null) {
      throw new IllegalStateException("hole in the heap at " + i);
    }
    return attempt;
  }

  private void put(HandshakeAttempt attempt, int i) {
    heap[i] = attempt;
    attempt.moveTo(i);
  }

  private void up(HandshakeAttempt attempt) {
    int i = attempt.heapIndex();
    while (i > 0 && at((i - 1) / 2).dueNs() > attempt.dueNs()) {
      put(at((i - 1) / 2), i);
      i = (i - 1) / 2;
    }
    put(attempt, i);
  }

  private void down(HandshakeAttempt attempt) {
    int i = attempt.heapIndex();
    while (2 * i + 1 < size) {
      int child = 2 * i + 1;
      if (child + 1 < size && at(child + 1).dueNs() < at(child).dueNs()) {
        child++;
      }
      if (attempt.dueNs() <= at(child).dueNs()) {
        break;
      }
      put(at(child), i);
      i = child;
    }
    put(attempt, i);
  }
}

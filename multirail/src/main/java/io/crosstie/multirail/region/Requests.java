// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.region;

import io.crosstie.reliability.memory.MemoryBudget;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * What this node has asked of one peer and was not told of yet. A request is entered by any thread,
 * found by its number when the answer comes, and taken out before it is told, by the engine or by
 * whoever polls: from then on nothing writes to its memory. Bounded, and charged.
 */
public final class Requests {
  /** So many at a time; a power of two. */
  public static final int MOST = 1 << 10;

  /** Charged for one, and for the table. */
  private static final long BYTES = 384;

  private static final long TABLE_BYTES = 12L * MOST;

  private static final String UNKNOWN =
      "nobody knows whether it was done, since the connection ended: ";

  private final MemoryBudget.Account account;
  private volatile @Nullable AtomicReferenceArray<@Nullable Request> open;
  private final AtomicReference<@Nullable Request> finished = new AtomicReference<>();

  // under the lock
  private int[] free = {};
  private int frees;
  private int used;
  private volatile int waiting; // written under it, and read by all
  private long generation;

  private @Nullable Request telling; // whoever polls

  /**
   * None.
   *
   * @param account is charged for each
   */
  public Requests(MemoryBudget.Account account) {
    this.account = account;
  }

  // ---- any thread ----

  /** Enters one that is about to be sent; false if there is no room. */
  public synchronized boolean enter(Request request) {
    AtomicReferenceArray<@Nullable Request> table = open;
    if (table == null) {
      if (!account.tryTake(TABLE_BYTES)) {
        return false;
      }
      table = new AtomicReferenceArray<>(MOST);
      free = new int[MOST];
      open = table;
    }
    if ((frees == 0 && used == MOST) || !account.tryTake(BYTES)) {
      return false;
    }
    int slot = frees > 0 ? free[--frees] : used++;
    waiting = used - frees;
    request.begin(this, ++generation * MOST + slot);
    table.set(slot, request);
    return true;
  }

  /** It was not sent; false if it was told of all the same, since the connection has ended. */
  public boolean withdraw(Request request) {
    boolean isMine = takeOut(request);
    if (isMine) {
      leave(request);
    }
    return isMine;
  }

  /** Whoever takes it out is the one to tell of it. */
  private boolean takeOut(Request request) {
    AtomicReferenceArray<@Nullable Request> table = open;
    return table != null && table.compareAndSet(slot(request.number()), request, null);
  }

  private static int slot(long number) {
    return (int) number & MOST - 1;
  }

  private synchronized void leave(Request request) {
    free[frees++] = slot(request.number());
    waiting = used - frees;
    account.give(BYTES);
  }

  /** Whether nothing was asked that is not told of. */
  public boolean isEmpty() {
    return waiting == 0;
  }

  // ---- the engine ----

  /** The one of that number, which is any; null if it is told of, or never was. */
  @Nullable Request find(long number) {
    AtomicReferenceArray<@Nullable Request> table = open;
    Request found = table == null ? null : table.get(slot(number));
    return found != null && found.number() == number ? found : null;
  }

  /** It was answered. */
  void answer(Request request, int reason, long word, long bytes) {
    if (takeOut(request)) {
      request.end(reason, word, bytes);
      finish(request);
    }
  }

  /** It will not be. */
  void fail(Request request, String why) {
    if (takeOut(request)) {
      request.end(why);
      finish(request);
    }
  }

  private void finish(Request request) {
    Request before;
    do {
      before = finished.get();
      request.next(before);
    } while (!finished.compareAndSet(before, request));
  }

  // ---- whoever polls ----

  /** Whether {@link #poll} would find something. */
  public boolean hasNews() {
    return finished.get() != null || telling != null;
  }

  /** Tells of up to so many; returns of how many. */
  public int poll(int limit) {
    int told = 0;
    while (told < limit) {
      Request first = telling;
      if (first == null) {
        first = finished.get() == null ? null : inOrder(finished.getAndSet(null));
        if (first == null) {
          break;
        }
      }
      telling = first.next();
      first.next(null);
      leave(first);
      told++;
      first.tell();
    }
    return told;
  }

  private static @Nullable Request inOrder(@Nullable Request last) {
    Request first = null;
    Request each = last;
    while (each != null) {
      Request before = each.next();
      each.next(first);
      first = each;
      each = before;
    }
    return first;
  }

  /** Its message did not arrive, or nobody knows; told at once. */
  void failNow(Request request, String why) {
    if (takeOut(request)) {
      leave(request);
      request.end(UNKNOWN + why);
      request.tell();
    }
  }

  /** The connection is over: tells of all that nobody answers any more; returns of how many. */
  public int failAll(String why) {
    AtomicReferenceArray<@Nullable Request> table = open;
    int told = 0;
    for (int i = 0; table != null && i < MOST; i++) {
      Request request = table.get(i);
      if (request != null && takeOut(request)) {
        leave(request);
        told++;
        request.end(UNKNOWN + why);
        request.tell();
      }
    }
    return told;
  }
}

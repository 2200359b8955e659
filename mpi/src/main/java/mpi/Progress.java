// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpi;

import io.crosstie.ranks.Received;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/**
 * Waiting. Transfers that take several steps, and those whose request was freed, get on whenever
 * any thread waits or tests here, so that two ranks that wait for something else do not wait for
 * each other.
 */
final class Progress {
  private static final Set<Transfer> OPEN = ConcurrentHashMap.newKeySet();
  private static final Set<Transfer> ORPHANS = ConcurrentHashMap.newKeySet();

  /** How often one was added to either: who waits already has to look at it, too. */
  private static final AtomicInteger ADDED = new AtomicInteger();

  /** How many threads wait, and look at {@link #ADDED} when they are told to. */
  private static final AtomicInteger WAITING = new AtomicInteger();

  private Progress() {}

  static void open(Transfer transfer) {
    OPEN.add(transfer);
    onAdded();
  }

  /** Who waits has said so before it looks, and here it is the other way round: none is missed. */
  private static void onAdded() {
    int unused = ADDED.incrementAndGet();
    if (WAITING.get() > 0) {
      MPI.announce();
    }
  }

  static void close(Transfer transfer) {
    OPEN.remove(transfer);
  }

  /** Nobody will ask for its result any more. */
  static void orphan(Transfer transfer) {
    ORPHANS.add(transfer);
    onAdded();
  }

  /** Whether nothing but what is waited for has to get on. */
  static boolean isQuiet() {
    return OPEN.isEmpty() && ORPHANS.isEmpty();
  }

  static void advanceOthers() {
    for (Transfer transfer : OPEN) {
      boolean unused = transfer.advance();
    }
    for (Transfer transfer : List.copyOf(ORPHANS)) {
      if (transfer.advance() && ORPHANS.remove(transfer)) {
        try {
          Status unused = transfer.finish();
        } catch (Throwable e) { // which concerns nobody who waits here
          System.getLogger("io.crosstie")
              .log(System.Logger.Level.WARNING, "a request that was freed has failed", e);
        }
      }
    }
  }

  private static List<io.crosstie.ranks.Request> pending(List<Transfer> transfers) {
    List<io.crosstie.ranks.Request> pending = new ArrayList<>();
    transfers.forEach(transfer -> transfer.pending(pending));
    return pending;
  }

  /**
   * Returns whether each of them waits for something: else its next step comes before any sleep.
   */
  private static boolean addAll(Collection<Transfer> of, List<io.crosstie.ranks.Request> pending) {
    for (Transfer transfer : of) {
      int before = pending.size();
      transfer.pending(pending);
      if (pending.size() == before) {
        return false;
      }
    }
    return true;
  }

  /**
   * Waits until one of them has got on; returns at once if one has already, be it since the caller
   * has looked: what the others wait for may never come.
   *
   * @param transfers none of which was over
   */
  static void awaitStep(List<Transfer> transfers) {
    if (transfers.isEmpty()) {
      return;
    }
    int seen = ADDED.get();
    List<io.crosstie.ranks.Request> pending = new ArrayList<>();
    if (addAll(transfers, pending) && addAll(OPEN, pending) && addAll(ORPHANS, pending)) {
      List<Integer> unused =
          unlessAdded(seen, added -> io.crosstie.ranks.Request.awaitSome(pending, added));
    }
    advanceOthers();
  }

  static void await(Transfer transfer) {
    List<Transfer> one = List.of(transfer);
    while (!transfer.advance()) {
      awaitStep(one);
    }
  }

  /** The same for one operation of the ranks below, which has no further steps. */
  static Received await(io.crosstie.ranks.Request request) {
    while (!request.isDone()) {
      int seen = ADDED.get();
      if (!isQuiet()) {
        awaitStep(List.of(Transfer.message(request, null)));
      } else if (unlessAdded(seen, request::await)) {
        break;
      }
    }
    return request.result();
  }

  /** Waits in a way that ends as well once more was added than had been seen. */
  private static <T> T unlessAdded(int seen, Function<BooleanSupplier, T> wait) {
    int unused = WAITING.incrementAndGet();
    try {
      return wait.apply(() -> ADDED.get() != seen);
    } finally {
      int unusedToo = WAITING.decrementAndGet();
    }
  }

  /**
   * For loops that ask again and again: brings on the others, or waits a little if none is open.
   */
  static void advanceOthersOrIdle() {
    advanceOthers();
    if (isQuiet()) {
      MPI.world().idle();
    }
  }

  /** Drives the library once if nothing is over yet. */
  static void drive(List<Transfer> transfers) {
    List<io.crosstie.ranks.Request> pending = pending(transfers);
    if (!pending.isEmpty()) {
      List<Integer> unused = io.crosstie.ranks.Request.testSome(pending);
    }
    advanceOthers();
  }
}

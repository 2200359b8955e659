// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import io.crosstie.transport.Uninterruptibly;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * How application threads pass the time beside an engine with a thread of its own: a few spins,
 * then yields, unless others compute, then parks of 50 microseconds to ten milliseconds, ended
 * early by progress.
 */
final class AppWait {
  private static final int SPINS = 50;
  private static final int YIELDS = 10;
  private static final long LEAST_PARK_NS = 50_000;
  private static final long MOST_PARK_NS = 10_000_000;

  /** So many waits have to end by progress before more of the kind are expected. */
  private static final int ANSWERS = 3;

  /** Threads that can be woken early; more than these sleep their time out. */
  private static final int SLOTS = 64;

  /** One for each thread that waits. */
  static final class State {
    /** In a row; no more are counted than make a difference. */
    int idles;

    long seen;

    /** Waits that ended by progress, since one that did not. */
    int answers;

    long parkNs = LEAST_PARK_NS;
  }

  private final int spins;
  private final LateYields lateYields;
  private final LongSupplier clock;
  final ThreadLocal<State> states = ThreadLocal.withInitial(State::new);
  private final AtomicReferenceArray<Thread> parked = new AtomicReferenceArray<>(SLOTS);
  private final AtomicInteger parkedCount = new AtomicInteger();

  /** What is done by a thread that parks, after it can be seen to. */
  private volatile Runnable beforePark = () -> {};

  /** Number of times that there was progress; the engine's thread writes. */
  private volatile long epoch;

  AppWait(CpuBudget budget, LongSupplier clock) {
    spins = budget.maySpin() ? SPINS : 0;
    lateYields = new LateYields(clock);
    this.clock = clock;
  }

  /** Once: what a thread that is about to park has to see to. */
  void beforePark(Runnable action) {
    beforePark = action;
  }

  /** Whether some thread waits to be woken by progress. */
  boolean isAnyParked() {
    return parkedCount.get() > 0;
  }

  /** The engine's thread: something happened that an application thread may wait for. */
  void progress() {
    long next = epoch + 1;
    epoch = next; // volatile, so the store comes before the load below
    if (parkedCount.get() > 0) {
      for (int slot = 0; slot < SLOTS; slot++) {
        Thread thread = parked.get(slot);
        if (thread != null) {
          LockSupport.unpark(thread);
        }
      }
    }
  }

  /** How often there was progress; any thread. */
  long epoch() {
    return epoch;
  }

  /**
   * Any application thread: passes a little time, unless there was work. Returns after ten
   * milliseconds at most.
   */
  void idle(int workCount) {
    idle(workCount, MOST_PARK_NS, false);
  }

  /**
   * The same for somebody who waits for nothing but progress, which always ends a park: no short
   * ones come first then.
   *
   * @param mostNs the longest that it may park
   */
  void idleUntilProgress(long mostNs) {
    idle(0, mostNs, mostNs >= MOST_PARK_NS);
  }

  private void idle(int workCount, long mostNs, boolean atOnce) {
    State state = states.get();
    if (workCount > 0) {
      state.idles = 0;
      state.parkNs = LEAST_PARK_NS;
      state.seen = epoch;
      return;
    }
    int idles = Math.min(state.idles, spins + YIELDS) + 1;
    state.idles = idles;
    // What happened since the last look may be what is waited for: then it is worth another look.
    if (idles <= spins && !Thread.currentThread().isVirtual()) {
      Thread.onSpinWait();
    } else if (epoch == state.seen && (idles > spins + YIELDS || lateYields.lately())) {
      park(state, mostNs, atOnce);
      if (epoch == state.seen && state.parkNs == MOST_PARK_NS) {
        state.answers = 0;
      }
    } else if (!lateYields.lately()) {
      lateYields.yieldOnce();
    }
    long now = epoch;
    if (now != state.seen) {
      state.seen = now;
      if (state.answers < ANSWERS) {
        state.answers++;
      }
    }
  }

  /** Whether this thread waits for one answer after the other. */
  boolean expectsAnswers() {
    return states.get().answers >= ANSWERS;
  }

  /** They have not come for long. */
  void expectNoAnswers() {
    states.get().answers = 0;
  }

  /** Whether there was progress since this thread last looked, which it now has. */
  boolean takeProgress() {
    State state = states.get();
    long now = epoch;
    boolean any = now != state.seen;
    state.seen = now;
    return any;
  }

  private void park(State state, long mostNs, boolean atOnce) {
    Thread thread = Thread.currentThread();
    boolean interrupted = Uninterruptibly.clear();
    int slot = takeSlot(thread);
    parkedCount.incrementAndGet(); // a full fence: the engine sees it, or we see its progress
    try {
      if (epoch == state.seen) {
        beforePark.run();
        long beginNs = clock.getAsLong();
        boolean isWoken = slot >= 0 && atOnce;
        LockSupport.parkNanos(this, isWoken ? mostNs : Math.min(state.parkNs, mostNs));
        state.parkNs = nextParkNs(state, isWoken);
        if (isWoken && clock.getAsLong() - beginNs >= MOST_PARK_NS) {
          state.answers = 0; // what comes so late is none
        }
      }
    } finally {
      parkedCount.decrementAndGet();
      if (slot >= 0) {
        parked.set(slot, null);
      }
      Uninterruptibly.restore(interrupted);
    }
  }

  /** After a park: progress makes the next one short, and none makes it longer. */
  private long nextParkNs(State state, boolean wasLong) {
    if (epoch != state.seen) {
      return LEAST_PARK_NS;
    }
    return wasLong ? MOST_PARK_NS : Math.min(2 * state.parkNs, MOST_PARK_NS);
  }

  private int takeSlot(Thread thread) {
    int start = (int) (thread.threadId() % SLOTS);
    for (int i = 0; i < SLOTS; i++) {
      int slot = (start + i) % SLOTS;
      if (parked.get(slot) == null && parked.compareAndSet(slot, null, thread)) {
        return slot;
      }
    }
    return -1;
  }
}

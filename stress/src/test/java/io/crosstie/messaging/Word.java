// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import java.util.concurrent.atomic.AtomicInteger;

/** A {@link Leadership} where everybody drives, as {@link Engine} uses it, and what it guards. */
class Word {
  private final Leadership leadership = new Leadership(1_000_000, true);

  /** The planted fault: who frees the word does not look again. */
  private final boolean looksBefore;

  /** What others hand over. */
  private final AtomicInteger signals = new AtomicInteger();

  private volatile boolean knocked;

  // by the holder, without a fence
  int cycles;
  int seen;

  Word(boolean looksBefore) {
    this.looksBefore = looksBefore;
    leadership.begin(Thread.currentThread());
    leadership.lend(0);
  }

  /** Raises a signal, and sees to it unless somebody else has the word, who is told then. */
  void handOver() {
    signals.incrementAndGet();
    if (!leadership.tryTake()) {
      knocked = true;
      if (!leadership.tryTake()) {
        return;
      }
    }
    do {
      cycle();
      boolean again = knocked;
      beforeRelease();
      leadership.release();
      if (!(looksBefore ? again : knocked)) {
        return;
      }
    } while (leadership.tryTake());
  }

  /** Between the last cycle and the moment in which the word is free. */
  void beforeRelease() {}

  private void cycle() {
    if (knocked) {
      knocked = false;
    }
    cycles++;
    seen += signals.getAndSet(0);
  }

  boolean isSignalled() {
    return signals.get() != 0;
  }
}

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

  // by the holder, without a fence
  int cycles;
  int seen;

  Word(boolean looksBefore) {
    this.looksBefore = looksBefore;
    leadership.begin(Thread.currentThread());
    leadership.lend(0);
  }

  /** Raises a signal, and sees to it unless somebody else has the word. */
  void handOver() {
    signals.incrementAndGet();
    while (leadership.tryTake()) {
      cycle();
      boolean again = looksBefore && isSignalled();
      leadership.release();
      if (!(looksBefore ? again : isSignalled())) {
        return;
      }
    }
  }

  private void cycle() {
    cycles++;
    seen += signals.getAndSet(0);
  }

  boolean isSignalled() {
    return signals.get() != 0;
  }
}

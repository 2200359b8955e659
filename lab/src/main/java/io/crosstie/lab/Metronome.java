// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.lab;

import java.util.concurrent.locks.LockSupport;

/**
 * Watches the machine itself: a thread that wants to run every millisecond, and notes by how much
 * it came too late. A machine that stands still for many milliseconds, as virtual ones do, spoils a
 * measurement, whatever is measured.
 */
final class Metronome implements AutoCloseable {
  private static final long TICK_NS = 1_000_000;

  private final Thread thread;
  private volatile boolean stopping;
  private long worstNs;

  Metronome() {
    thread = Thread.ofPlatform().daemon().name("lab-metronome").start(this::run);
  }

  private void run() {
    long before = System.nanoTime();
    while (!stopping) {
      LockSupport.parkNanos(TICK_NS);
      long now = System.nanoTime();
      note(now - before - TICK_NS);
      before = now;
    }
  }

  private synchronized void note(long lateNs) {
    worstNs = Math.max(worstNs, lateNs);
  }

  /** By how much it was late at worst since the last call. */
  synchronized long takeWorstNs() {
    long worst = worstNs;
    worstNs = 0;
    return worst;
  }

  @Override
  public void close() {
    stopping = true;
    LockSupport.unpark(thread);
  }
}

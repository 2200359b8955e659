// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.lab;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * Sends all streams in turn on one thread, as a program with few processors would: threads that
 * compete with the protocol's own for two processors wait for each other, four milliseconds at a
 * time, and what is measured then is the scheduler.
 */
final class Sending {
  private static final long NAP_NS = 60_000;
  private static final Duration STOP_PATIENCE = Duration.ofSeconds(60);

  private final Party party;
  private final Source[] sources;
  private final LabThread thread;
  private volatile boolean stopping;

  Sending(Party party, List<Source> sources) {
    this.party = party;
    this.sources = sources.toArray(Source[]::new);
    this.thread = new LabThread("lab-send", this::run);
  }

  void start() {
    thread.start();
  }

  private void run() {
    while (!stopping) {
      boolean moved = false;
      for (Source source : sources) {
        moved |= source.step(party);
      }
      if (!moved) {
        LockSupport.parkNanos(NAP_NS);
      }
    }
  }

  void stop() throws InterruptedException {
    stopping = true;
    thread.awaitEnd(STOP_PATIENCE);
  }

  /** Throws if sending failed. */
  void check() {
    thread.check();
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.lab;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Sends all streams in turn on one thread, as a program with few processors would: threads that
 * compete with the protocol's own for two processors wait for each other, four milliseconds at a
 * time, and what is measured then is the scheduler.
 */
final class Sending {
  private static final long NAP_NS = 60_000;
  private static final Duration STOP_PATIENCE = Duration.ofSeconds(10);

  private final Party party;
  private final Source[] sources;
  private final Thread thread;
  private volatile boolean stopping;
  private volatile @Nullable Throwable failure;

  Sending(Party party, List<Source> sources) {
    this.party = party;
    this.sources = sources.toArray(Source[]::new);
    this.thread = Thread.ofPlatform().daemon().name("lab-send").unstarted(this::run);
  }

  void start() {
    thread.start();
  }

  private void run() {
    try {
      while (!stopping) {
        boolean moved = false;
        for (Source source : sources) {
          moved |= source.step(party);
        }
        if (!moved) {
          LockSupport.parkNanos(NAP_NS);
        }
      }
    } catch (RuntimeException | Error e) {
      failure = e;
    }
  }

  void stop() throws InterruptedException {
    stopping = true;
    if (!thread.join(STOP_PATIENCE)) {
      throw new IllegalStateException("the thread that sends does not end");
    }
  }

  @Nullable Throwable failure() {
    return failure;
  }
}

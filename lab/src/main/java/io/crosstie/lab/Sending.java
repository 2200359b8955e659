// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.lab;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Sends one stream on a thread of its own, at a rate or as fast as there is room. */
final class Sending {
  private static final long NAP_NS = 60_000;

  /** What is owed for longer than this, as after a pause of the process, is not made up for. */
  private static final long MOST_OWED_NS = 50_000_000;

  private static final Duration STOP_PATIENCE = Duration.ofSeconds(10);

  private final Party party;
  private final int stream;
  private final int bytes;
  private final Content content;
  private final Thread thread;
  private volatile int perSecond;
  private volatile boolean paused;
  private volatile boolean stopping;
  private volatile long sent;
  private volatile @Nullable Throwable failure;

  Sending(Party party, int stream, Setup.StreamPlan plan, Content content) {
    this.party = party;
    this.stream = stream;
    this.bytes = plan.bytes();
    this.perSecond = plan.perSecond();
    this.content = content;
    this.thread = Thread.ofPlatform().daemon().name("send-" + plan.name()).unstarted(this::run);
  }

  void start() {
    thread.start();
  }

  private void run() {
    try (Arena arena = Arena.ofShared()) {
      MemorySegment message = arena.allocate(bytes, 64);
      long number = 1;
      content.write(message, number);
      long dueNs = System.nanoTime();
      while (!stopping) {
        int rate = perSecond;
        if (paused || (rate > 0 && System.nanoTime() < dueNs)) {
          LockSupport.parkNanos(NAP_NS);
          continue;
        }
        if (!party.put(stream, message)) {
          return;
        }
        sent = number;
        content.write(message, ++number);
        if (rate > 0) {
          dueNs = Math.max(dueNs + 1_000_000_000L / rate, System.nanoTime() - MOST_OWED_NS);
        }
      }
    } catch (RuntimeException | Error e) {
      failure = e;
    }
  }

  /** Changes the rate, 0 for as fast as possible. */
  void setRate(int messagesPerSecond) {
    perSecond = messagesPerSecond;
  }

  void setPaused(boolean on) {
    paused = on;
  }

  /**
   * Ends it and waits for that, but not for ever: a connection that has come to a standstill for
   * good may hold the thread until the party is closed.
   */
  void stop() throws InterruptedException {
    stopping = true;
    boolean unused = thread.join(STOP_PATIENCE);
  }

  /** Messages taken so far. */
  long sent() {
    return sent;
  }

  @Nullable Throwable failure() {
    return failure;
  }
}

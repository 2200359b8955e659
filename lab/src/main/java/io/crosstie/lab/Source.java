// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.lab;

import io.crosstie.testkit.stream.NumberedMessage;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** One stream at its sending end: numbered messages at a rate, or as many as there is room for. */
final class Source {
  /** What is owed for longer than this, as after a pause of the process, is not made up for. */
  private static final long MOST_OWED_NS = 50_000_000;

  private final int stream;
  private final long seed;
  private final MemorySegment message;
  private long number = 1;
  private long dueNs;
  private volatile int perSecond;
  private volatile boolean paused;
  private volatile long sent;

  /**
   * A stream that has sent nothing.
   *
   * @param seed of the content
   * @param arena gives the memory of its message
   */
  Source(int stream, Setup.StreamPlan plan, long seed, Arena arena) {
    this.stream = stream;
    this.seed = seed;
    this.perSecond = plan.perSecond();
    this.message = arena.allocate(plan.bytes(), 64);
    NumberedMessage.write(message, seed, number, 0);
  }

  /**
   * Sends a message if it is time and there is room. Only one thread may call it.
   *
   * @return whether it did
   */
  boolean step(Party party) {
    int rate = perSecond;
    if (paused) {
      return false;
    }
    long nowNs = System.nanoTime();
    if (dueNs == 0) {
      dueNs = nowNs;
    }
    if ((rate > 0 && nowNs < dueNs) || !party.offer(stream, message)) {
      return false;
    }
    sent = number;
    NumberedMessage.write(message, seed, ++number, 0);
    if (rate > 0) {
      dueNs = Math.max(dueNs + 1_000_000_000L / rate, nowNs - MOST_OWED_NS);
    }
    return true;
  }

  /** Changes the rate, 0 for as fast as possible. */
  void setRate(int messagesPerSecond) {
    perSecond = messagesPerSecond;
  }

  void setPaused(boolean on) {
    paused = on;
  }

  /** Messages taken so far. */
  long sent() {
    return sent;
  }
}

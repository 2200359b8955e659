// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.perf;

import io.crosstie.messaging.MessageHandler;
import java.lang.foreign.MemorySegment;

/**
 * Counts messages, and the time from the first look that brought some to the last; what the first
 * brought had come before, and is left out of rates.
 */
final class Arrivals {
  private static final long QUIET_NS = 300_000_000;

  private long messages;
  private long bytes;
  private long uncountedMessages;
  private long uncountedBytes;
  private long firstNs;
  private long lastNs;

  /** Begins anew. */
  void reset() {
    messages = 0;
    bytes = 0;
    uncountedMessages = 0;
    uncountedBytes = 0;
  }

  MessageHandler.Action onMessage(MemorySegment segment, long offset, long length, long sequence) {
    messages++;
    bytes += length;
    return MessageHandler.Action.CONTINUE;
  }

  /** So many bytes were put. */
  void onPut(long length) {
    messages++;
    bytes += length;
  }

  /** After each poll that brought some: one look at the clock for them all. */
  void notePoll() {
    lastNs = System.nanoTime();
    if (uncountedMessages == 0) {
      firstNs = lastNs;
      uncountedMessages = messages;
      uncountedBytes = bytes;
    }
  }

  /** Whether none came for a while, nor since that time. */
  boolean isOver(long sinceNs) {
    long fromNs = uncountedMessages == 0 ? sinceNs : Math.max(lastNs, sinceNs);
    return System.nanoTime() - fromNs > QUIET_NS;
  }

  /** All of them. */
  long messages() {
    return messages;
  }

  /** Those after the first look. */
  long timedMessages() {
    return messages - uncountedMessages;
  }

  /** Their bytes. */
  long timedBytes() {
    return bytes - uncountedBytes;
  }

  /** In how many nanoseconds they came, at least 1. */
  long elapsedNs() {
    return Math.max(1, lastNs - firstNs);
  }
}

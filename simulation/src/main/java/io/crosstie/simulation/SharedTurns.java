// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.simulation;

import java.util.SplittableRandom;

/**
 * Who runs the duty cycles of a process whose progress is shared: its application, whenever it
 * calls, and then computes for any time without calling; and the node's own thread, which stands
 * back as long as the application has called within the last ticks, and waits in the poller else.
 */
final class SharedTurns {
  /** The node's thread looks that often whether anybody has called. */
  private static final long TICK_NS = 3_000_000L;

  private final SplittableRandom random;
  private final long computesNs;
  private long restsUntilNs;
  private long computesUntilNs;
  private long cyclesOfCalls;
  private long cyclesOfThread;

  /**
   * Nobody has called yet.
   *
   * @param computesNs the longest that the application computes at a stretch
   */
  SharedTurns(SplittableRandom random, long computesNs) {
    this.random = random;
    this.computesNs = computesNs;
  }

  /** A duty cycle is run by the application's call, or by the node's thread. */
  void cycle(boolean byCall) {
    if (byCall) {
      cyclesOfCalls++;
    } else {
      cyclesOfThread++;
    }
  }

  /** Whether both have run duty cycles. */
  boolean haveBothRun() {
    return cyclesOfCalls > 0 && cyclesOfThread > 0;
  }

  /** Whether the application calls now. */
  boolean isCalling(long nowNs) {
    return nowNs >= computesUntilNs;
  }

  /** Whether the node's thread stands back. */
  boolean isStandingBack(long nowNs) {
    return nowNs < restsUntilNs;
  }

  /** When somebody runs again of himself, after a call that has begun to compute. */
  long nextNs() {
    return Math.min(restsUntilNs, computesUntilNs);
  }

  /** When the application calls again. */
  long callsAtNs() {
    return computesUntilNs;
  }

  /** The application has called: the node's thread notices it, which takes one to two ticks. */
  void called(long nowNs) {
    restsUntilNs = nowNs + TICK_NS + random.nextLong(TICK_NS);
    int dice = random.nextInt(100);
    if (dice < 20) {
      long most = dice < 3 ? computesNs : Math.max(1, computesNs / 20);
      computesUntilNs = nowNs + 1 + random.nextLong(most);
    }
  }
}

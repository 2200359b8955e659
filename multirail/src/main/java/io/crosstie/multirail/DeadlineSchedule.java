// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail;

import io.crosstie.multirail.connection.Connection;
import io.crosstie.reliability.channel.RunQueue;
import io.crosstie.reliability.time.DeadlineHeap;
import org.jspecify.annotations.Nullable;

/**
 * When connections have to be served at the latest. The deadlines of one that was served are not
 * noted right away: one that messages go to and fro on is served again before any of them can
 * matter.
 */
final class DeadlineSchedule {
  /** A deadline may be noticed so much too late by an endpoint that never rests. */
  private static final long UNSCHEDULED_NS = 10_000L;

  private final DeadlineHeap<Connection> heap = new DeadlineHeap<>();

  /** Those that were served and whose deadlines are not in the heap yet. */
  private final RunQueue<Connection> unscheduled = new RunQueue<>(1);

  private long unscheduledSinceNs;

  /** On those that are over and not to come back. */
  private final RunQueue.Mark forgotten = new RunQueue.Mark(2);

  /** Makes room for that many, so that none of them is refused for lack of memory. */
  void reserve(int connections) {
    unscheduled.reserve(connections);
    heap.reserve(connections);
  }

  /** A connection was served, and its deadlines have to be noted anew. */
  void onServed(Connection c, long nowNs) {
    if (!forgotten.isOn(c)) {
      if (unscheduled.isEmpty()) {
        unscheduledSinceNs = nowNs;
      }
      boolean unused = unscheduled.add(c);
    }
  }

  /** The next connection whose deadline has come; null if there is none. */
  @Nullable Connection takeDue(long nowNs) {
    if (!unscheduled.isEmpty() && nowNs - unscheduledSinceNs >= UNSCHEDULED_NS) {
      noteAll();
    }
    return heap.takeDue(nowNs);
  }

  /** The earliest deadline of all; Long.MAX_VALUE if there is none. */
  long earliestNs() {
    noteAll();
    return heap.earliestNs();
  }

  private void noteAll() {
    while (!unscheduled.isEmpty()) {
      Connection c = unscheduled.removeFirst();
      if (forgotten.isOn(c)) {
        unscheduled.forget(c);
      } else {
        heap.set(c.deadline(), c.deadlineNs());
      }
    }
  }

  /** Takes one out that is over; may be called again. */
  void remove(Connection c) {
    heap.remove(c.deadline());
    unscheduled.forget(c);
  }

  /** From now on nothing is noted of that one. */
  void forget(Connection c) {
    forgotten.put(c);
  }

  /** Whether that one is not to come back. */
  boolean isForgotten(Connection c) {
    return forgotten.isOn(c);
  }
}

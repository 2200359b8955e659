// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.simulation;

import java.util.PriorityQueue;

/**
 * Virtual time and what is to happen in it. Events run in the order of their time, and those of one
 * time in the order in which they were planned, so a run is a function of its seed alone.
 */
public final class SimClock {
  private record Event(long timeNs, long order, Runnable task) implements Comparable<Event> {
    @Override
    public int compareTo(Event other) {
      int byTime = Long.compare(timeNs, other.timeNs);
      return byTime != 0 ? byTime : Long.compare(order, other.order);
    }
  }

  private final PriorityQueue<Event> events = new PriorityQueue<>();
  private long nowNs;
  private long planned;
  private long ran;

  /** Begins at 0. */
  public SimClock() {}

  /** The present. */
  public long nowNs() {
    return nowNs;
  }

  /** Plans an event; one in the past happens now. */
  public void at(long timeNs, Runnable task) {
    events.add(new Event(Math.max(timeNs, nowNs), planned++, task));
  }

  /** Plans an event so much later. */
  public void after(long delayNs, Runnable task) {
    at(nowNs + delayNs, task);
  }

  /** When the next event happens; Long.MAX_VALUE if there is none. */
  public long nextNs() {
    Event next = events.peek();
    return next == null ? Long.MAX_VALUE : next.timeNs;
  }

  /** Lets the next event happen; false if there is none. */
  public boolean step() {
    Event next = events.poll();
    if (next == null) {
      return false;
    }
    nowNs = next.timeNs;
    ran++;
    next.task.run();
    return true;
  }

  /** Lets everything up to that time happen and goes there. */
  public void runUntil(long timeNs) {
    while (nextNs() <= timeNs) {
      boolean unused = step();
    }
    nowNs = Math.max(nowNs, timeNs);
  }

  /** How many events have happened. */
  public long eventsRun() {
    return ran;
  }
}

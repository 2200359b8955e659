// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.thread;

import io.crosstie.transport.Counters;
import java.util.concurrent.TimeUnit;

/**
 * Notices that a thread hangs in a call that never returns, which the thread itself cannot (FTGM,
 * DSN 2003, with the host's processor in the place of the NIC's). The thread counts its turns, of
 * which it takes one every tenth of a second at least; another one looks now and then whether they
 * go on. Looks are counted, not time: what pauses the whole process pauses both.
 *
 * <p>One thread calls {@link #turn()}, one calls {@link #hangs}; neither waits for the other.
 */
public final class Watchdog {
  /** So many looks in a row without a turn, and it hangs. */
  static final int LOOKS = 12;

  /** Least time between two looks, in milliseconds. */
  static final long LOOK_MS = 25;

  /** What the thread counts, out of the cache line that the other one writes. */
  private enum Counted {
    TURNS
  }

  private final Counters<Counted> counted = new Counters<>(Counted.class);
  private boolean looked;
  private long lookedNs;
  private long seenTurns;
  private int idleLooks;

  /** A thread that has not taken a turn yet. */
  public Watchdog() {}

  /** The thread that is watched: it begins a turn. */
  public void turn() {
    counted.increment(Counted.TURNS);
  }

  /**
   * The thread that watches: looks, if it is time to.
   *
   * @param nowNs any clock of nanoseconds that does not go backwards
   * @return whether this look was one too many without a turn
   */
  public boolean hangs(long nowNs) {
    if (looked && nowNs - lookedNs < TimeUnit.MILLISECONDS.toNanos(LOOK_MS)) {
      return false;
    }
    long now = counted.get(Counted.TURNS);
    idleLooks = looked && now == seenTurns ? idleLooks + 1 : 0;
    looked = true;
    lookedNs = nowNs;
    seenTurns = now;
    return idleLooks >= LOOKS;
  }
}

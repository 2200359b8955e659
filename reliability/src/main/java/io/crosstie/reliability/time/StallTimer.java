// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.time;

/**
 * When a channel that waits for its peer has waited too long though nothing of it is under way
 * (R12). Each channel has its own: that others get on says nothing of this one.
 *
 * <p>Times are in nanoseconds, on the engine's clock. One thread.
 */
public final class StallTimer {
  /** So long nothing may come at first; twice as long after each try. */
  public static final long FLOOR_NS = 50_000_000L;

  /** And that at most. */
  private static final long MOST_NS = 2_000_000_000L;

  private long progress = -1;
  private long sinceNs;
  private long seenInLook;
  private int tries;

  /**
   * Whether nothing has come for so long that one should see if anything is under way.
   *
   * @param channelProgress a number that grows with everything that the peer accepts or allows
   */
  public boolean isOverdue(long channelProgress, long nowNs) {
    if (channelProgress != progress) {
      progress = channelProgress;
      tries = 0;
      sinceNs = nowNs;
    }
    return nowNs >= dueNs();
  }

  /** In this look something of the channel was found under way, or queued to leave. */
  public void underWay(long look) {
    seenInLook = look;
  }

  /**
   * It is overdue, and what is under way was noted: whether it is time for another try. In both
   * cases the time begins anew.
   *
   * @param look the number of this look, above 0
   */
  public boolean isDue(long look, long nowNs) {
    sinceNs = nowNs;
    if (seenInLook == look) {
      return false;
    }
    tries++;
    return true;
  }

  /** When it will be overdue at the earliest. */
  public long dueNs() {
    return sinceNs + Backoff.truncatedNs(FLOOR_NS, tries + 1, MOST_NS);
  }
}

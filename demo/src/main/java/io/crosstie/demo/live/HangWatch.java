// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo.live;

/**
 * Sees messages that hang though a rail works: account after account of the receiver comes in, so
 * something carries, and a stream with messages under way gets no further. Thread safe.
 */
final class HangWatch {
  /** Accounts in a row, a fifth of a second apart, without progress. */
  private static final int ENOUGH = 25;

  private static final int BULK = 0;
  private static final int HEARTBEATS = 1;

  private final long[] delivered = {-1, -1};
  private final int[] still = new int[2];
  private long sinceNs;
  private long longestNs;

  synchronized void look(Report report, long bulkSent, long heartbeatsSent, long nowNs) {
    boolean before = isHanging();
    look(BULK, report, bulkSent);
    look(HEARTBEATS, report, heartbeatsSent);
    if (isHanging()) {
      sinceNs = before ? sinceNs : nowNs;
      longestNs = Math.max(longestNs, nowNs - sinceNs + 1);
    }
  }

  private void look(int stream, Report report, long sent) {
    long now = report.streams().get(stream).delivered();
    still[stream] = now == delivered[stream] && now < sent ? still[stream] + 1 : 0;
    delivered[stream] = now;
  }

  /** Whether messages hang at the moment. */
  synchronized boolean isHanging() {
    return still[BULK] >= ENOUGH || still[HEARTBEATS] >= ENOUGH;
  }

  /** The longest hang that was seen, in milliseconds; 0 if there was none. */
  synchronized double longestMs() {
    return longestNs / 1e6;
  }

  /** Forgets the hangs so far. */
  synchronized void reset() {
    longestNs = 0;
  }
}

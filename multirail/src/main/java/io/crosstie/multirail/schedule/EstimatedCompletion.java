// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.schedule;

/**
 * The default scheduler: the rail on which the packet would arrive first, reckoned from backlog,
 * rate and round trip (R17; ECF, CoNEXT'17; BLEST).
 *
 * <p>If the best rail has no room now, a slower one is used only if the packet would still arrive
 * there before the best one could have carried everything that waits: so a large message is striped
 * in proportion to what each rail delivers, and no small tail ends up on a slow rail.
 */
public final class EstimatedCompletion implements PathScheduler {
  @Override
  public int select(RailsView rails, long packetBytes, long backlogBytes, int avoid, long nowNs) {
    int best = WAIT;
    long bestNs = Long.MAX_VALUE;
    int now = WAIT;
    long nowArrivalNs = Long.MAX_VALUE;
    for (int i = 0; i < rails.count(); i++) {
      if (!rails.usable(i)) {
        continue;
      }
      long onTheWayNs = rails.rttNs(i) / 2 + (i == avoid ? 1_000_000_000L : 0);
      if (onTheWayNs >= bestNs && onTheWayNs >= nowArrivalNs) {
        continue; // a network beside shared memory needs no sums
      }
      boolean canSendNow = rails.canSendNow(i);
      long arrival =
          onTheWayNs
              + (canSendNow ? 0 : rails.waitNs(i, nowNs))
              + transferNs(rails.flightBytes(i) + packetBytes, rails.rate(i));
      if (arrival < bestNs) {
        bestNs = arrival;
        best = i;
      }
      if (canSendNow && arrival < nowArrivalNs) {
        nowArrivalNs = arrival;
        now = i;
      }
    }
    if (best == now || now == WAIT) {
      return now;
    }
    long allOnBestNs = bestNs + transferNs(backlogBytes, rails.rate(best));
    return nowArrivalNs <= allOnBestNs ? now : WAIT;
  }

  private static long transferNs(long bytes, long rate) {
    return bytes < 9_000_000_000L
        ? bytes * 1_000_000_000L / rate
        : bytes / Math.max(1, rate / 1_000_000_000L);
  }
}

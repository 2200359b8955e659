// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.schedule;

import io.crosstie.reliability.wire.PacketHeader;

/**
 * Shares payload in proportion to configured weights, by deficit: the rail that is furthest behind
 * its share goes next. It waits for that rail while it is merely short of room, for otherwise the
 * shares would follow the speeds.
 */
public final class WeightedRoundRobin implements PathScheduler {
  private static final long FORGET_BYTES = 64L << 20;

  private final long[] sent = new long[PacketHeader.MAX_RAIL + 1];
  private final boolean[] seen = new boolean[PacketHeader.MAX_RAIL + 1];

  @Override
  public int select(RailsView rails, long packetBytes, long backlogBytes, int avoid, long nowNs) {
    int best = WAIT;
    double least = Double.MAX_VALUE;
    double mean = 0;
    int usable = 0;
    for (int i = 0; i < rails.count(); i++) {
      if (rails.usable(i) && seen[i]) {
        mean += (double) sent[i] / rails.weight(i);
        usable++;
      }
    }
    for (int i = 0; i < rails.count(); i++) {
      if (!rails.usable(i)) {
        seen[i] = false; // a rail that was away does not make up for its absence
        continue;
      }
      if (!seen[i]) {
        seen[i] = true;
        sent[i] = usable == 0 ? 0 : (long) (mean / usable * rails.weight(i));
      }
      double share = (double) sent[i] / rails.weight(i);
      if (share < least && (i != avoid || best == WAIT)) {
        least = share;
        best = i;
      }
    }
    return best != WAIT && rails.canSendNow(best) ? best : WAIT;
  }

  @Override
  public void onSent(int rail, long payloadBytes) {
    sent[rail] += payloadBytes;
    if (sent[rail] > FORGET_BYTES) {
      for (int i = 0; i < sent.length; i++) {
        sent[i] /= 2;
      }
    }
  }
}

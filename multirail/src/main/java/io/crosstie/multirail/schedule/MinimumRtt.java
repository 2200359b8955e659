// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.schedule;

/** The rail with the least round trip among those with room: the default of Multipath TCP. */
public final class MinimumRtt implements PathScheduler {
  @Override
  public int select(RailsView rails, long packetBytes, long backlogBytes, int avoid, long nowNs) {
    int best = WAIT;
    for (int i = 0; i < rails.count(); i++) {
      if (rails.usable(i)
          && rails.canSendNow(i)
          && (best == WAIT
              || best == avoid
              || (i != avoid && rails.rttNs(i) < rails.rttNs(best)))) {
        best = i;
      }
    }
    return best;
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.schedule;

/**
 * Everything on the usable rail with the highest weight, the lowest number first among equals; the
 * others only stand by.
 */
public final class PrimaryBackup implements PathScheduler {
  @Override
  public int select(RailsView rails, long packetBytes, long backlogBytes, int avoid, long nowNs) {
    int primary = WAIT;
    for (int i = 0; i < rails.count(); i++) {
      if (rails.usable(i) && (primary == WAIT || rails.weight(i) > rails.weight(primary))) {
        primary = i;
      }
    }
    return primary != WAIT && rails.canSendNow(primary) ? primary : WAIT;
  }
}

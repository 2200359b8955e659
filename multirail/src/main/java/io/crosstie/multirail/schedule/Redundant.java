// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.schedule;

/**
 * Every packet's content on all usable rails: the quickest copy counts, the others are dropped by
 * the receiver's filter.
 */
public final class Redundant implements PathScheduler {
  private final MinimumRtt first = new MinimumRtt();

  @Override
  public int select(RailsView rails, long packetBytes, long backlogBytes, int avoid, long nowNs) {
    return first.select(rails, packetBytes, backlogBytes, avoid, nowNs);
  }

  @Override
  public boolean redundant() {
    return true;
  }
}

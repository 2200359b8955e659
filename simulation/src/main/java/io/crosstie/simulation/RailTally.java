// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.simulation;

/**
 * What the network did to the packets of one rail of one connection, one direction; found by the
 * destination's connection id.
 */
final class RailTally {
  private static final LinkCounter[] COUNTERS = LinkCounter.values();

  final long connectionId;
  final int rail;
  private final long[] counts = new long[COUNTERS.length];

  RailTally(long connectionId, int rail) {
    this.connectionId = connectionId;
    this.rail = rail;
  }

  void count(LinkCounter counter) {
    counts[counter.ordinal()]++;
  }

  long get(LinkCounter counter) {
    return counts[counter.ordinal()];
  }

  /** Delivered with a sound header. */
  long usable() {
    return get(LinkCounter.DELIVERED)
        - get(LinkCounter.HEADER_DAMAGED)
        - get(LinkCounter.TRUNCATED);
  }

  @Override
  public String toString() {
    StringBuilder text =
        new StringBuilder("rail " + rail + " to id " + Long.toHexString(connectionId));
    for (LinkCounter counter : COUNTERS) {
      if (get(counter) != 0) {
        text.append(' ').append(counter).append('=').append(get(counter));
      }
    }
    return text.toString();
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.simulation;

import io.crosstie.multirail.connection.Connection;
import io.crosstie.multirail.connection.ConnectionRails;
import io.crosstie.multirail.path.RailCounter;
import java.util.HashMap;
import java.util.Map;

/**
 * Writes into the trace which of the telling counters moved in a duty cycle; only where a trace is
 * kept.
 */
final class CounterWatch {
  private static final RailCounter[] TELLING = {
    RailCounter.LOST_BY_THRESHOLD,
    RailCounter.LOST_BY_TIME,
    RailCounter.LOST_BY_TIMEOUT,
    RailCounter.LOST_BY_NACK,
    RailCounter.REINJECTED,
    RailCounter.LOST_BY_RAIL_DOWN,
    RailCounter.SPURIOUS,
    RailCounter.CRC_FAILURES,
    RailCounter.REFUSED,
    RailCounter.DUPLICATE_PACKETS,
    RailCounter.DUPLICATE_FRAGMENTS,
  };

  private record Key(Connection connection, int rail, RailCounter counter) {}

  private final Map<Key, Long> last = new HashMap<>();

  void look(SimProcess process, Trace trace, long nowNs) {
    for (Connection c : process.liveConnections()) {
      for (ConnectionRails.RailInfo rail : c.rails()) {
        for (RailCounter counter : TELLING) {
          long value = rail.counters().get(counter);
          Long before = last.put(new Key(c, rail.id(), counter), value);
          long grown = value - (before == null ? 0 : before);
          if (grown > 0) {
            trace.text(
                nowNs,
                () ->
                    process.name
                        + "  to "
                        + c.peerName()
                        + " rail "
                        + rail.id()
                        + ": "
                        + counter
                        + " +"
                        + grown);
          }
        }
      }
    }
  }
}

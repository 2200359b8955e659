// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo.rails;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.crosstie.messaging.Counters;
import io.crosstie.messaging.RailCounter;
import io.crosstie.messaging.RailInfo;
import io.crosstie.messaging.RailState;
import java.util.List;
import org.junit.jupiter.api.Test;

final class RailTotalsTest {
  private final RailTotals totals = new RailTotals(rail -> rail.local().startsWith("udp:"));

  /** Equal to others of the same rail, as the library's are, which makes them anew at each look. */
  private record OfRail(int rail) implements Counters<RailCounter> {
    @Override
    public Class<RailCounter> type() {
      return RailCounter.class;
    }

    @Override
    public long get(RailCounter counter) {
      return 100L * rail;
    }
  }

  private static RailInfo rail(int id) {
    return new RailInfo(
        id, "", "udp", RailState.ACTIVE, "udp://198.18.1.1:7400", "", new OfRail(id));
  }

  private long payload(RailInfo... rails) {
    totals.update(List.of(rails));
    return totals.sum(RailCounter.PAYLOAD_IN);
  }

  @Test
  void railsThatWereCountOnceHoweverOftenOneLooks() {
    assertEquals(100, payload(rail(1)));
    assertEquals(100, payload(rail(1)), "the same rail at a second look");
    assertEquals(300, payload(rail(1), rail(2)));
    assertEquals(300, payload(rail(2)), "the first one has ended");
    assertEquals(300, payload());
    assertEquals(600, payload(rail(3)));
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.observability;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.crosstie.multirail.path.RailCounter;
import io.crosstie.transport.Counters;
import org.junit.jupiter.api.Test;

/** Counters go on when the set behind them is replaced; gauges are those of the present set. */
final class TotalsTest {
  @Test
  void countersNeverFallGaugesFollow() {
    Counters<RailCounter> first = new Counters<>(RailCounter.class);
    first.add(RailCounter.PACKETS_OUT, 5);
    first.set(RailCounter.SRTT_NS, 100);
    Totals<RailCounter> totals = new Totals<>(RailCounter.class, first);
    assertEquals(5, totals.total(RailCounter.PACKETS_OUT));
    first.increment(RailCounter.PACKETS_OUT);
    totals.follow(first);
    assertEquals(6, totals.total(RailCounter.PACKETS_OUT));

    totals.follow(null);
    assertEquals(6, totals.total(RailCounter.PACKETS_OUT));
    assertEquals(0, totals.gauge(RailCounter.SRTT_NS));

    Counters<RailCounter> second = new Counters<>(RailCounter.class);
    second.add(RailCounter.PACKETS_OUT, 2);
    second.set(RailCounter.SRTT_NS, 70);
    totals.follow(second);
    assertEquals(8, totals.total(RailCounter.PACKETS_OUT));
    assertEquals(70, totals.gauge(RailCounter.SRTT_NS));
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.observability;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.crosstie.messaging.Counters;
import io.crosstie.messaging.RailCounter;
import java.util.EnumMap;
import org.junit.jupiter.api.Test;

/** Counters go on when the set behind them is replaced; gauges are those of the present set. */
final class TotalsTest {
  private static final class Counted implements Counters<RailCounter> {
    private final EnumMap<RailCounter, Long> values = new EnumMap<>(RailCounter.class);

    void set(RailCounter counter, long value) {
      values.put(counter, value);
    }

    @Override
    public Class<RailCounter> type() {
      return RailCounter.class;
    }

    @Override
    public long get(RailCounter counter) {
      return values.getOrDefault(counter, 0L);
    }
  }

  @Test
  void countersNeverFallGaugesFollow() {
    Counted first = new Counted();
    first.set(RailCounter.PACKETS_OUT, 5);
    first.set(RailCounter.SRTT_NS, 100);
    Totals<RailCounter> totals = new Totals<>(RailCounter.class, first);
    assertEquals(5, totals.total(RailCounter.PACKETS_OUT));
    first.set(RailCounter.PACKETS_OUT, 6);
    totals.follow(first);
    assertEquals(6, totals.total(RailCounter.PACKETS_OUT));

    totals.follow(null);
    assertEquals(6, totals.total(RailCounter.PACKETS_OUT));
    assertEquals(0, totals.gauge(RailCounter.SRTT_NS));

    Counted second = new Counted();
    second.set(RailCounter.PACKETS_OUT, 2);
    second.set(RailCounter.SRTT_NS, 70);
    totals.follow(second);
    assertEquals(8, totals.total(RailCounter.PACKETS_OUT));
    assertEquals(70, totals.gauge(RailCounter.SRTT_NS));
  }
}

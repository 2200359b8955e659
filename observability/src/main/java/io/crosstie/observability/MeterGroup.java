// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.observability;

import io.crosstie.messaging.Counters;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** The meters that come and go together: those of a node, a port, a peer or a rail. */
final class MeterGroup<E extends Enum<E>> {
  private final MeterRegistry registry;
  private final Tags tags;
  private final Totals<E> totals;
  private final List<Meter> meters = new ArrayList<>();

  /** Registers a meter for each counter. */
  MeterGroup(
      MeterRegistry registry,
      Tags tags,
      Class<E> type,
      @Nullable Counters<E> counters,
      Function<E, Metric> catalog) {
    this.registry = registry;
    this.tags = tags;
    this.totals = new Totals<>(type, counters);
    for (E counter : totals.constants()) {
      Metric metric = catalog.apply(counter);
      if (metric.monotone()) {
        add(metric, totals, of -> of.total(counter));
      } else {
        add(metric, totals, of -> of.gauge(counter));
      }
    }
  }

  /** Registers one meter more. */
  <T> void add(Metric metric, T state, ToDoubleFunction<T> value) {
    meters.add(metric.register(registry, tags, state, value));
  }

  /** The counters to read from now on. */
  void follow(@Nullable Counters<E> counters) {
    totals.follow(counters);
  }

  void remove() {
    meters.forEach(registry::remove);
    meters.clear();
  }
}

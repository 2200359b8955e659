// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.observability;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.BaseUnits;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * How one value is shown.
 *
 * @param tags those that tell it from others of the same name; the same keys for all of them
 * @param monotone whether it only ever grows
 * @param unit Micrometer's base unit, null for a plain number
 * @param scale what the value is multiplied by to be in that unit
 */
record Metric(
    String name,
    Tags tags,
    boolean monotone,
    @Nullable String unit,
    double scale,
    String description) {
  private static final double NANOSECOND = 1e-9;

  static Metric count(String name, String description) {
    return new Metric(name, Tags.empty(), true, null, 1, description);
  }

  static Metric gauge(String name, String description) {
    return new Metric(name, Tags.empty(), false, null, 1, description);
  }

  /** The same of bytes. */
  Metric bytes() {
    return new Metric(name, tags, monotone, BaseUnits.BYTES, 1, description);
  }

  /** The same of nanoseconds, shown in seconds. */
  Metric nanoseconds() {
    return new Metric(name, tags, monotone, "seconds", NANOSECOND, description);
  }

  /** The same of bytes in a second. */
  Metric bytesPerSecond() {
    return new Metric(name, tags, monotone, "bytes_per_second", 1, description);
  }

  /** The same with one more tag. */
  Metric with(String key, String value) {
    return new Metric(name, tags.and(key, value), monotone, unit, scale, description);
  }

  /**
   * Registers it.
   *
   * @param common tags that tell whose value it is
   * @param state what the value is read from, by any thread; the registry holds it weakly
   */
  <T> Meter register(MeterRegistry registry, Tags common, T state, ToDoubleFunction<T> value) {
    ToDoubleFunction<T> scaled = scale == 1 ? value : of -> value.applyAsDouble(of) * scale;
    Tags all = common.and(tags);
    return monotone
        ? FunctionCounter.builder(name, state, scaled)
            .tags(all)
            .baseUnit(unit)
            .description(description)
            .register(registry)
        : Gauge.builder(name, state, scaled)
            .tags(all)
            .baseUnit(unit)
            .description(description)
            .register(registry);
  }
}

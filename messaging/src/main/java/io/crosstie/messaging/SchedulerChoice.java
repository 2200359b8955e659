// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import io.crosstie.multirail.schedule.EstimatedCompletion;
import io.crosstie.multirail.schedule.MinimumRtt;
import io.crosstie.multirail.schedule.PathScheduler;
import io.crosstie.multirail.schedule.PrimaryBackup;
import io.crosstie.multirail.schedule.Redundant;
import io.crosstie.multirail.schedule.WeightedRoundRobin;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;

/** Path schedulers by name. */
final class SchedulerChoice {
  private static final Map<String, Supplier<PathScheduler>> BY_NAME = byName();

  private SchedulerChoice() {}

  private static Map<String, Supplier<PathScheduler>> byName() {
    Map<String, Supplier<PathScheduler>> schedulers = new LinkedHashMap<>(); // in the order to show
    schedulers.put(NodeConfigBuilder.DEFAULT_SCHEDULER, EstimatedCompletion::new);
    schedulers.put("weighted", WeightedRoundRobin::new);
    schedulers.put("min-rtt", MinimumRtt::new);
    schedulers.put("primary-backup", PrimaryBackup::new);
    schedulers.put("redundant", Redundant::new);
    return schedulers;
  }

  /** What makes those of the application. */
  static Supplier<PathScheduler> own(Supplier<io.crosstie.messaging.PathScheduler> schedulers) {
    return () ->
        new SchedulerAdapter(
            Objects.requireNonNull(schedulers.get(), "the supplier of path schedulers gave none"));
  }

  /**
   * What makes schedulers of that name.
   *
   * @throws CrosstieException if there is none; the message lists the choices
   */
  static Supplier<PathScheduler> named(String name) {
    Supplier<PathScheduler> scheduler = BY_NAME.get(name);
    if (scheduler == null) {
      throw new CrosstieException(
          "scheduler is \""
              + name
              + "\"; choose one of "
              + String.join(", ", BY_NAME.keySet())
              + ", or give a Supplier<PathScheduler> of your own");
    }
    return scheduler;
  }
}

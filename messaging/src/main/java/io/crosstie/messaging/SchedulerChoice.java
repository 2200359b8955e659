// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import io.crosstie.multirail.PathScheduler;
import java.util.List;
import java.util.function.Supplier;

/** Path schedulers by name. */
final class SchedulerChoice {
  private static final List<String> NAMES =
      List.of("ect", "weighted", "min-rtt", "primary-backup", "redundant");

  private SchedulerChoice() {}

  static void check(String name) {
    if (!NAMES.contains(name)) {
      throw new CrosstieException(
          "scheduler is \""
              + name
              + "\"; choose one of "
              + String.join(", ", NAMES)
              + ", or give a Supplier<PathScheduler> of your own");
    }
  }

  static Supplier<PathScheduler> byName(String name) {
    throw new IllegalStateException("not written yet: " + name); // the core brings them
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/** Micrometer binder and JFR events over the counters and events of a node. */
module io.crosstie.observability {
  requires transitive io.crosstie.messaging;
  requires static transitive org.jspecify;
  requires transitive micrometer.core;
  requires jdk.jfr;

  exports io.crosstie.observability;
}

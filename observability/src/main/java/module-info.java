// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/** Micrometer binder, JFR events and the counters that other processes can read. */
module io.crosstie.observability {
  requires transitive io.crosstie.messaging;
  requires static transitive org.jspecify;
}

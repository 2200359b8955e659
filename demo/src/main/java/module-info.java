// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/** Multi-NIC failover demo with a live page. */
module io.crosstie.demo {
  requires io.crosstie.messaging;
  requires io.crosstie.observability;
  requires static transitive org.jspecify;
}

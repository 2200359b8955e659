// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/** The failover demo: two processes, three rails, some die, nothing is lost. */
module io.crosstie.demo {
  requires com.google.gson;
  requires io.crosstie.messaging;
  requires io.crosstie.multirail;
  requires io.crosstie.reliability;
  requires static transitive org.jspecify;

  exports io.crosstie.demo;

  opens io.crosstie.demo to
      com.google.gson;
}

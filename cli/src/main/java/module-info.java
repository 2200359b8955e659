// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/** The crosstie command. */
module io.crosstie.cli {
  requires com.google.gson;
  requires info.picocli;
  requires io.crosstie.benchmarks;
  requires io.crosstie.demo;
  requires io.crosstie.lab;
  requires io.crosstie.launch;
  requires io.crosstie.messaging;
  requires io.crosstie.ranks;
  requires io.crosstie.simulation;
  requires io.crosstie.testkit;
  requires static transitive org.jspecify;

  opens io.crosstie.cli to
      info.picocli;
}

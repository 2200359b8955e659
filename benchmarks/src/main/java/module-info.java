// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/** JMH and whole-process benchmarks, Crosstie beside its peers. */
module io.crosstie.benchmarks {
  requires transitive io.crosstie.messaging;
  requires static transitive org.jspecify;
  requires java.management;
  requires jdk.management;
  requires jmh.core;

  exports io.crosstie.benchmarks;
}

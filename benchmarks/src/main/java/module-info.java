// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/** JMH and whole-process benchmarks, Crosstie beside its peers. */
module io.crosstie.benchmarks {
  requires transitive io.crosstie.messaging;
  requires transitive io.crosstie.transport;
  requires static transitive org.jspecify;
  requires HdrHistogram;
  requires com.google.gson;
  requires io.aeron.client;
  requires io.aeron.driver;
  requires java.management;
  requires jdk.management;
  requires jmh.core;
  requires org.agrona;

  exports io.crosstie.benchmarks;
  exports io.crosstie.benchmarks.link;
  exports io.crosstie.benchmarks.process;

  opens io.crosstie.benchmarks.process to
      com.google.gson;
}

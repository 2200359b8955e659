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
  requires io.netty.buffer;
  requires io.netty.common;
  requires io.netty.transport;
  requires io.netty.transport.classes.epoll;
  requires jmh.core;
  requires org.agrona;
  requires org.zeromq.jeromq;

  exports io.crosstie.benchmarks;
  exports io.crosstie.benchmarks.link;
  exports io.crosstie.benchmarks.perf;
  exports io.crosstie.benchmarks.process;

  opens io.crosstie.benchmarks.process to
      com.google.gson;
}

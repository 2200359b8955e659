// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/** JMH and whole-process benchmarks, Crosstie beside its peers. */
@SuppressWarnings("module") // the modules that a package is exported to are compiled after this one
module io.crosstie.benchmarks {
  requires io.crosstie.examples.ranks;
  requires io.crosstie.launch;
  requires io.crosstie.messaging;
  requires io.crosstie.multirail;
  requires io.crosstie.ranks;
  requires io.crosstie.testkit;
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

  exports io.crosstie.benchmarks to
      io.crosstie.cli;
  exports io.crosstie.benchmarks.perf to
      io.crosstie.cli;
  exports io.crosstie.benchmarks.process to
      io.crosstie.cli;

  opens io.crosstie.benchmarks.process to
      com.google.gson;
}

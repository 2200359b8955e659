// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/** The failover demos: two processes or two containers, some rails die, nothing is lost. */
@SuppressWarnings("module") // the modules that a package is exported to are compiled after this one
module io.crosstie.demo {
  requires HdrHistogram;
  requires com.google.gson;
  requires io.crosstie.messaging;
  requires io.crosstie.observability;
  requires io.crosstie.testkit;
  requires io.crosstie.transport;
  requires io.netty.buffer;
  requires io.netty.codec;
  requires io.netty.codec.http;
  requires io.netty.common;
  requires io.netty.handler;
  requires io.netty.transport;
  requires micrometer.core;
  requires micrometer.registry.prometheus;
  requires static transitive org.jspecify;

  exports io.crosstie.demo to
      io.crosstie.cli;
  exports io.crosstie.demo.live to
      io.crosstie.cli;

  opens io.crosstie.demo to
      com.google.gson;
  opens io.crosstie.demo.live to
      com.google.gson;
}

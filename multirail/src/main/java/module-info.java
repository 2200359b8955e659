// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/** The connection: path scheduler, rail health, striping, failover and fail-back. */
module io.crosstie.multirail {
  requires io.crosstie.agrona;
  requires transitive io.crosstie.reliability;
  requires static transitive org.jspecify;

  exports io.crosstie.multirail;
  exports io.crosstie.multirail.config;
  exports io.crosstie.multirail.connection;
  exports io.crosstie.multirail.event;
  exports io.crosstie.multirail.handshake;
  exports io.crosstie.multirail.memory;
  exports io.crosstie.multirail.path;
  exports io.crosstie.multirail.port;
  exports io.crosstie.multirail.schedule;
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/** The connection: path scheduler, rail health, striping, failover and fail-back. */
@SuppressWarnings("module") // the modules that a package is exported to are compiled after this one
module io.crosstie.multirail {
  requires io.crosstie.agrona;
  requires transitive io.crosstie.reliability;
  requires static transitive org.jspecify;

  exports io.crosstie.multirail to
      io.crosstie.messaging,
      io.crosstie.simulation;
  exports io.crosstie.multirail.config to
      io.crosstie.messaging,
      io.crosstie.simulation;
  exports io.crosstie.multirail.connection to
      io.crosstie.messaging,
      io.crosstie.simulation;
  exports io.crosstie.multirail.event to
      io.crosstie.messaging,
      io.crosstie.simulation;
  exports io.crosstie.multirail.handshake to
      io.crosstie.messaging,
      io.crosstie.simulation;
  exports io.crosstie.multirail.memory to
      io.crosstie.messaging,
      io.crosstie.simulation;
  exports io.crosstie.multirail.path to
      io.crosstie.messaging,
      io.crosstie.simulation;
  exports io.crosstie.multirail.port to
      io.crosstie.messaging,
      io.crosstie.simulation;
  exports io.crosstie.multirail.region to
      io.crosstie.messaging,
      io.crosstie.simulation;
  exports io.crosstie.multirail.schedule to
      io.crosstie.messaging,
      io.crosstie.simulation;
}

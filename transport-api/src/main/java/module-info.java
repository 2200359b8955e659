// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/** The Rail SPI: what a path between two nodes can do. */
@SuppressWarnings("module") // the modules that a package is exported to are compiled after this one
module io.crosstie.transport {
  requires transitive io.crosstie.checksum;
  requires static transitive org.jspecify;
  requires org.jctools.core.jdk11;

  exports io.crosstie.transport to
      io.crosstie.benchmarks,
      io.crosstie.demo,
      io.crosstie.lab,
      io.crosstie.messaging,
      io.crosstie.multirail,
      io.crosstie.reliability,
      io.crosstie.simulation,
      io.crosstie.transport.shm,
      io.crosstie.transport.udp;
  exports io.crosstie.transport.linux to
      io.crosstie.benchmarks,
      io.crosstie.demo,
      io.crosstie.lab,
      io.crosstie.launch,
      io.crosstie.messaging,
      io.crosstie.transport.shm,
      io.crosstie.transport.udp;
  exports io.crosstie.transport.thread to
      io.crosstie.benchmarks,
      io.crosstie.messaging,
      io.crosstie.simulation,
      io.crosstie.transport.udp;
}

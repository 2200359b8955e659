// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/** Wire format, packet-number spaces, loss detection, flow control and reassembly. */
@SuppressWarnings("module") // the modules that a package is exported to are compiled after this one
module io.crosstie.reliability {
  requires transitive io.crosstie.transport;
  requires transitive io.crosstie.checksum;
  requires static transitive org.jspecify;

  exports io.crosstie.reliability.channel to
      io.crosstie.benchmarks,
      io.crosstie.messaging,
      io.crosstie.multirail,
      io.crosstie.simulation;
  exports io.crosstie.reliability.congestion to
      io.crosstie.benchmarks,
      io.crosstie.messaging,
      io.crosstie.multirail,
      io.crosstie.simulation;
  exports io.crosstie.reliability.fault to
      io.crosstie.benchmarks,
      io.crosstie.messaging,
      io.crosstie.multirail,
      io.crosstie.simulation;
  exports io.crosstie.reliability.datagram to
      io.crosstie.messaging,
      io.crosstie.multirail,
      io.crosstie.simulation;
  exports io.crosstie.reliability.loss to
      io.crosstie.benchmarks,
      io.crosstie.messaging,
      io.crosstie.multirail,
      io.crosstie.simulation;
  exports io.crosstie.reliability.memory to
      io.crosstie.benchmarks,
      io.crosstie.messaging,
      io.crosstie.multirail,
      io.crosstie.simulation;
  exports io.crosstie.reliability.packet to
      io.crosstie.benchmarks,
      io.crosstie.messaging,
      io.crosstie.multirail,
      io.crosstie.simulation;
  exports io.crosstie.reliability.time to
      io.crosstie.benchmarks,
      io.crosstie.messaging,
      io.crosstie.multirail,
      io.crosstie.simulation;
  exports io.crosstie.reliability.wire to
      io.crosstie.benchmarks,
      io.crosstie.messaging,
      io.crosstie.multirail,
      io.crosstie.simulation;
}

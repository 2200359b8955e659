// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/** Wire format, packet-number spaces, loss detection, flow control and reassembly. */
module io.crosstie.reliability {
  requires transitive io.crosstie.transport;
  requires transitive io.crosstie.checksum;
  requires static transitive org.jspecify;

  exports io.crosstie.reliability.channel;
  exports io.crosstie.reliability.congestion;
  exports io.crosstie.reliability.fault;
  exports io.crosstie.reliability.loss;
  exports io.crosstie.reliability.memory;
  exports io.crosstie.reliability.packet;
  exports io.crosstie.reliability.time;
  exports io.crosstie.reliability.wire;
}

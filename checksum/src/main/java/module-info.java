// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/** CRC-32C and other checksums; copy and checksum in one pass. */
@SuppressWarnings("module") // the modules that a package is exported to are compiled after this one
module io.crosstie.checksum {
  requires static transitive org.jspecify;

  exports io.crosstie.checksum to
      io.crosstie.accelerator.x86,
      io.crosstie.benchmarks,
      io.crosstie.demo,
      io.crosstie.lab,
      io.crosstie.messaging,
      io.crosstie.multirail,
      io.crosstie.reliability,
      io.crosstie.simulation,
      io.crosstie.transport,
      io.crosstie.transport.shm,
      io.crosstie.transport.udp;

  uses io.crosstie.checksum.Accelerator;
}

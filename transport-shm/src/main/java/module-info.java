// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/** Shared-memory rails between processes of one host. */
@SuppressWarnings("module") // the modules that a package is exported to are compiled after this one
module io.crosstie.transport.shm {
  requires transitive io.crosstie.transport;
  requires static transitive org.jspecify;

  exports io.crosstie.transport.shm to
      io.crosstie.simulation;

  provides io.crosstie.transport.RailDriver with
      io.crosstie.transport.shm.ShmDriver;
}

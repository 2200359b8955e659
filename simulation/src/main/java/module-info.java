// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/** Virtual clock, seeded network and checkers around the shipped core classes. */
@SuppressWarnings("module") // the modules that a package is exported to are compiled after this one
module io.crosstie.simulation {
  requires io.crosstie.multirail;
  requires io.crosstie.ranks;
  requires io.crosstie.transport.shm;
  requires static transitive org.jspecify;

  exports io.crosstie.simulation to
      io.crosstie.cli;
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/** Parallel programs: ranks, tags, communicators, rendezvous, collective operations. */
@SuppressWarnings("module") // the module that packages are exported to is compiled after this one
module io.crosstie.ranks {
  requires transitive io.crosstie;
  requires io.crosstie.launch;
  requires static transitive org.jspecify;

  exports io.crosstie.ranks;
  exports io.crosstie.ranks.match to
      io.crosstie.simulation;
  exports io.crosstie.ranks.p2p to
      io.crosstie.simulation;
  exports io.crosstie.ranks.schedule to
      io.crosstie.simulation;
}

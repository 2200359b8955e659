// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/** Parallel programs: ranks, tags, communicators, rendezvous, collective operations. */
module io.crosstie.ranks {
  requires transitive io.crosstie;
  requires io.crosstie.launch;
  requires static transitive org.jspecify;

  exports io.crosstie.ranks;
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/** How the processes of a parallel job find one another, and a launcher for one host. */
@SuppressWarnings("module") // the modules that it is exported to are compiled after this one
module io.crosstie.launch {
  requires io.crosstie.transport;
  requires jdk.net;
  requires static transitive org.jspecify;

  exports io.crosstie.launch to
      io.crosstie.benchmarks,
      io.crosstie.cli,
      io.crosstie.ranks;
}

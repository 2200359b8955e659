// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/** Parallel programs on ranks. */
@SuppressWarnings("module") // the module that a package is exported to is compiled after this one
module io.crosstie.examples.ranks {
  requires transitive io.crosstie.ranks;
  requires static transitive org.jspecify;

  exports io.crosstie.examples.kernels to
      io.crosstie.benchmarks;
}

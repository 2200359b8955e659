// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/** Parallel programs on ranks. */
module io.crosstie.examples.ranks {
  requires io.crosstie.ranks;
  requires static transitive org.jspecify;
}

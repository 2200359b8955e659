// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/** Programs to begin with. */
module io.crosstie.samples {
  requires io.crosstie;
  requires static transitive org.jspecify;
}

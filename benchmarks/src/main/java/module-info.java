// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/** JMH and whole-process benchmarks, Crosstie beside its peers. */
module io.crosstie.benchmarks {
  requires io.crosstie.messaging;
  requires static transitive org.jspecify;
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/** What the tests of all modules share. */
module io.crosstie.testkit {
  requires static transitive org.jspecify;
  requires org.junit.jupiter.api;

  exports io.crosstie.testkit;
}

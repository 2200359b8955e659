// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/**
 * What tests and tools of all modules share: child processes and the lines they talk in, the
 * kernel's tools and network namespaces, streams that are verified, and for tests what a machine
 * has.
 */
module io.crosstie.testkit {
  requires static transitive org.jspecify;
  requires com.google.gson;
  requires static org.junit.jupiter.api; // of the tests' own package, which no tool uses

  exports io.crosstie.testkit;
  exports io.crosstie.testkit.process;
  exports io.crosstie.testkit.stream;

  opens io.crosstie.testkit.stream to
      com.google.gson; // accounts travel between processes
}

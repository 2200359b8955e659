// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/** The laboratory: two hosts in network namespaces, real faults, and Multipath TCP beside. */
@SuppressWarnings("module") // the modules that a package is exported to are compiled after this one
module io.crosstie.lab {
  requires com.google.gson;
  requires io.crosstie.messaging;
  requires io.crosstie.testkit;
  requires io.crosstie.transport;
  requires java.management;
  requires static transitive org.jspecify;

  exports io.crosstie.lab to
      io.crosstie.cli;

  opens io.crosstie.lab to
      com.google.gson;
}

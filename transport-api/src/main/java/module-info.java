// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/** The Rail SPI: what a path between two nodes can do. */
module io.crosstie.transport {
  requires static transitive org.jspecify;

  exports io.crosstie.transport;
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/** The connection: path scheduler, rail health, striping, failover and fail-back. */
module io.crosstie.multirail {
  requires io.crosstie.agrona;
  requires transitive io.crosstie.reliability;
  requires static transitive org.jspecify;

  exports io.crosstie.multirail;
}

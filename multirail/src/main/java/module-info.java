// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/** The connection: path scheduler, rail health, striping, failover and fail-back. */
@SuppressWarnings("requires-automatic") // Agrona names its module, but describes none
module io.crosstie.multirail {
  requires org.agrona;
  requires transitive io.crosstie.reliability;
  requires static transitive org.jspecify;

  exports io.crosstie.multirail;
}

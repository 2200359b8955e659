// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/** The one artifact that applications depend on. */
module io.crosstie {
  requires transitive io.crosstie.messaging;
  requires transitive io.crosstie.transport.udp;
  requires transitive io.crosstie.transport.shm;
}

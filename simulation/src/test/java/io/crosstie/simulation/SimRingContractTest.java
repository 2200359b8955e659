// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.simulation;

/** Simulated shared memory. */
class SimRingContractTest extends SimRailFixture {
  SimRingContractTest() {
    super(
        PortProfile.ring(PortProfile.RingProfile.plain(1 << 20, true)),
        new LinkModel(500, 0, 4_000_000_000L, 1 << 30, 1 << 20));
  }
}

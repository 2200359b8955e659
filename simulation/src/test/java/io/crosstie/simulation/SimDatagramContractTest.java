// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.simulation;

/** Simulated datagrams. */
class SimDatagramContractTest extends SimRailFixture {
  SimDatagramContractTest() {
    super(PortProfile.datagram(8972), new LinkModel(20_000, 0, 10_000_000_000L, 8 << 20, 8972));
  }
}

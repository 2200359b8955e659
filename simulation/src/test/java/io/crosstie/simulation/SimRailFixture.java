// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.simulation;

import io.crosstie.transport.PortHandler;
import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailContract;
import io.crosstie.transport.RailPort;
import java.util.HashMap;
import java.util.Map;

/** The contract of all rails, held by simulated ones: each poll lets some virtual time go by. */
abstract class SimRailFixture extends RailContract {
  private static final long STEP_NS = 50_000;

  private final SimClock clock = new SimClock();
  private final SimNetwork network = new SimNetwork(clock, new Trace(0, null), 1);
  private final Map<String, Integer> names = new HashMap<>();
  private final PortProfile profile;
  private final boolean ring;

  SimRailFixture(PortProfile profile, LinkModel model) {
    this.profile = profile;
    this.ring = profile.isRing();
    network.define("net", model);
  }

  @Override
  protected RailPort open(String node, PortHandler handler) throws Exception {
    int n = names.merge(node, 1, Integer::sum);
    return reopen(node, SimNetwork.address(ring, "net", node + n), handler);
  }

  @Override
  protected RailPort reopen(String node, RailAddress address, PortHandler handler)
      throws Exception {
    return network.open(address, profile, handler, SimHost.of(() -> {}));
  }

  @Override
  protected void progress() {
    clock.runUntil(clock.nowNs() + STEP_NS);
  }

  @Override
  protected long nowNs() {
    return clock.nowNs();
  }
}

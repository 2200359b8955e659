// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.udp;

import io.crosstie.testkit.Facility;
import io.crosstie.transport.PortContext;
import io.crosstie.transport.PortHandler;
import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailDriver;
import io.crosstie.transport.RailFixture;
import io.crosstie.transport.RailPort;
import io.crosstie.transport.RailUri;

/** Ports on loopback, some with threads of their own. */
abstract class OwnThreadFixture extends RailFixture {
  /** What the port of a node is opened with. */
  abstract RailDriver driver(String node);

  @Override
  protected RailPort open(String node, PortHandler handler) throws Exception {
    return open(node, "udp://127.0.0.1:0", handler);
  }

  @Override
  protected RailPort reopen(String node, RailAddress address, PortHandler handler)
      throws Exception {
    return open(node, address.text(), handler);
  }

  private RailPort open(String node, String address, PortHandler handler) throws Exception {
    RailDriver driver = driver(node);
    Facility.require(driver.whyUnavailable() == null, driver.whyUnavailable());
    return driver.open(RailUri.parse(address), new PortContext(node, 1, 2), handler);
  }
}

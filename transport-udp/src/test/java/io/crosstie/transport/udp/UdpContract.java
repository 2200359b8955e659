// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.udp;

import io.crosstie.testkit.Facility;
import io.crosstie.transport.PortContext;
import io.crosstie.transport.PortHandler;
import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailDriver;
import io.crosstie.transport.RailPort;
import io.crosstie.transport.RailUri;
import io.crosstie.transport.WaitingRailContract;

/** The contract of rails, over loopback. */
abstract class UdpContract extends WaitingRailContract {

  /** The driver under test. */
  abstract RailDriver driver();

  /** What stands behind the URI's host and port, starting with a question mark. */
  abstract String options();

  /** The host to bind. */
  String host() {
    return "127.0.0.1";
  }

  @Override
  protected RailPort open(String node, PortHandler handler) throws Exception {
    return open(node, "udp://" + host() + ":0", handler);
  }

  @Override
  protected RailPort reopen(String node, RailAddress address, PortHandler handler)
      throws Exception {
    return open(node, address.text(), handler);
  }

  private RailPort open(String node, String address, PortHandler handler) throws Exception {
    RailDriver driver = driver();
    Facility.require(driver.whyUnavailable() == null, driver.whyUnavailable());
    return driver.open(
        RailUri.parse(address + options()), new PortContext(node, 1, node.hashCode()), handler);
  }
}

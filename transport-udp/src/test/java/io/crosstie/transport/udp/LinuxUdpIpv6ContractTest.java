// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.udp;

import io.crosstie.testkit.Facility;
import io.crosstie.transport.RailDriver;
import org.junit.jupiter.api.BeforeEach;

/** The contract of rails on Linux, over IPv6. */
class LinuxUdpIpv6ContractTest extends UdpContract {
  @Override
  RailDriver driver() {
    return new LinuxUdpDriver();
  }

  @BeforeEach
  void hasIpv6() {
    Facility.IPV6.require("the contract over IPv6");
  }

  @Override
  String options() {
    return "";
  }

  @Override
  String host() {
    return "[::1]";
  }
}

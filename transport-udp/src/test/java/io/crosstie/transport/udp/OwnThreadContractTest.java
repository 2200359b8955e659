// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.udp;

import io.crosstie.transport.RailDriver;
import io.crosstie.transport.thread.OwnThreadDriver;

/** The contract of rails on Linux, whose ports are used by threads of their own. */
class OwnThreadContractTest extends UdpContract {
  @Override
  RailDriver driver() {
    return new OwnThreadDriver(new LinuxUdpDriver());
  }

  @Override
  String options() {
    return "?mtu=1500";
  }
}

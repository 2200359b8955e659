// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.udp;

import io.crosstie.transport.RailDriver;

/** The contract of rails on Linux, with offload and the largest packets that loopback carries. */
class LinuxUdpContractTest extends UdpContract {
  @Override
  RailDriver driver() {
    return new LinuxUdpDriver();
  }

  @Override
  String options() {
    return "";
  }
}

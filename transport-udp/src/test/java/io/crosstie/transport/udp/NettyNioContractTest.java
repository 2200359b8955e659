// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.udp;

import io.crosstie.transport.NioPoller;
import io.crosstie.transport.Poller;
import io.crosstie.transport.RailDriver;

/** The contract of rails, through Netty on java.nio, as where native access is denied. */
class NettyNioContractTest extends UdpContract {
  @Override
  RailDriver driver() {
    return new NettyUdpDriver(false);
  }

  @Override
  String options() {
    return "";
  }

  @Override
  protected Poller poller() throws Exception {
    return new NioPoller();
  }
}

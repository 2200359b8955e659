// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.udp;

import io.crosstie.transport.RailDriver;

/** The contract of rails, through Netty on epoll. */
class NettyEpollContractTest extends UdpContract {
  @Override
  RailDriver driver() {
    return new NettyUdpDriver();
  }

  @Override
  String options() {
    return "";
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.udp;

import io.crosstie.transport.RailDriver;

/** Faults under Netty on epoll. */
class NettyEpollFaultTest extends UdpFaultContract {
  @Override
  RailDriver driver() {
    return new NettyUdpDriver();
  }
}

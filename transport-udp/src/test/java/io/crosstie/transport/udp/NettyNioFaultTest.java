// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.udp;

import io.crosstie.transport.NioPoller;
import io.crosstie.transport.Poller;
import io.crosstie.transport.RailDriver;

/** Faults under Netty on java.nio. */
class NettyNioFaultTest extends UdpFaultContract {
  @Override
  RailDriver driver() {
    return new NettyUdpDriver(false);
  }

  @Override
  boolean knowsItsSocket() {
    return false;
  }

  @Override
  protected Poller poller() throws Exception {
    return new NioPoller();
  }

  /** No test here: this driver cannot tell its socket from another one. */
  @Override
  void aSocketReplacedByAnotherSocketIsNoticed() {}

  /** No test here: java.nio has no segmentation offload. */
  @Override
  void segmentationThatFailsIsGivenUpAndNothingIsLost() {}
}

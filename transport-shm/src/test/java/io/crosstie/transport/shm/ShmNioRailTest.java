// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.shm;

import io.crosstie.transport.NioPoller;
import io.crosstie.transport.Poller;

/** What every rail does, with java.nio channels for doorbells. */
class ShmNioRailTest extends ShmRailTest {
  @Override
  String options() {
    return "size=64KiB&sockets=nio";
  }

  @Override
  protected Poller poller() throws Exception {
    return new NioPoller();
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;

import io.crosstie.transport.PortContext;
import io.crosstie.transport.PortHandler;
import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailDriver;
import io.crosstie.transport.RailPort;
import io.crosstie.transport.RailUri;
import io.crosstie.transport.WaitingRailContract;
import java.nio.file.Path;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What every rail does, with descriptors for doorbells. */
class ShmRailTest extends WaitingRailContract {
  @TempDir Path base;

  /** The options under test. */
  String options() {
    return "size=256KiB";
  }

  @Override
  protected RailPort open(String node, PortHandler handler) throws Exception {
    return new ShmDriver()
        .open(
            RailUri.parse("shm:" + base + "?" + options()),
            new PortContext(node, node.hashCode(), 1),
            handler);
  }

  /**
   * The folder's name comes from seed and incarnation: a node's port comes back under its address.
   */
  @Override
  protected RailPort reopen(String node, RailAddress address, PortHandler handler)
      throws Exception {
    RailPort port = open(node, handler);
    assertEquals(address, port.localAddress());
    return port;
  }

  @Test
  void theDriverIsFound() {
    RailDriver driver =
        ServiceLoader.load(RailDriver.class).stream()
            .map(ServiceLoader.Provider::get)
            .filter(d -> d.scheme().equals("shm"))
            .findFirst()
            .orElseThrow();
    assertInstanceOf(ShmDriver.class, driver);
    assertEquals("shm", driver.name());
    assertEquals(100, driver.priority());
    assertEquals(null, driver.whyUnavailable());
  }
}

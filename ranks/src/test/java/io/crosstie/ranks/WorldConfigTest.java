// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.ranks.p2p.Limits;
import io.crosstie.testkit.process.Ports;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;

/** What a program decides before it joins. */
final class WorldConfigTest {
  /** Ranks with large and small heaps keep to the same. */
  @Test
  void boundsDoNotFollowTheHeap() {
    assertEquals(new Limits(16 << 10, 1 << 16, 16 << 20), new WorldConfig().limits(2));
    assertEquals(new Limits(16 << 10, 1 << 14, 4 << 20), new WorldConfig().limits(5));
    assertEquals(new Limits(16 << 10, 256, 64 << 10), new WorldConfig().limits(10_001));
  }

  @Test
  void nothingIsLeftOfAWorldThatCannotBe() throws IOException {
    InetAddress loopback = InetAddress.getLoopbackAddress();
    int port;
    try (DatagramSocket socket = new DatagramSocket(new InetSocketAddress(loopback, 0))) {
      port = socket.getLocalPort();
    }
    WorldConfig config =
        new WorldConfig()
            .job(0, 2, "cannot-be", "127.0.0.1:" + Ports.free())
            .rail("udp://127.0.0.1:" + port)
            .eagerBytes(1 << 20);
    String why = assertThrows(RanksException.class, () -> World.join(config)).getMessage();
    assertTrue(why.contains("the eager limit is"), why);
    new DatagramSocket(new InetSocketAddress(loopback, port)).close();
  }
}

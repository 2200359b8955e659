// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.crosstie.testkit.Facility;
import io.crosstie.transport.LinkEvent;
import io.crosstie.transport.PortContext;
import io.crosstie.transport.PortHandler;
import io.crosstie.transport.Rail;
import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailPort;
import io.crosstie.transport.RailUri;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.DatagramChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The first rails of a port have sockets of their own, bound to the port's address. */
class OwnSocketTest {
  private static final int OWN_SOCKETS = 8;

  /** What its own sockets are for: with one of eight only, the other rails wait for it. */
  @Test
  void eachOfTheFirstRailsHasOne() throws Exception {
    LinuxUdpDriver driver = new LinuxUdpDriver();
    Facility.require(driver.whyUnavailable() == null, driver.whyUnavailable());
    try (RailPort port =
        driver.open(RailUri.parse("udp://127.0.0.1:0"), new PortContext("w", 1, 7), new Silent())) {
      int number = UdpAddress.parse(port.localAddress()).port();
      assertEquals(1, sockets(number));
      for (int peer = 1; peer <= OWN_SOCKETS + 2; peer++) {
        var unused = port.connect(new RailAddress("udp://127.0.0.1:" + (number ^ peer)));
        assertEquals(1 + Math.min(peer, OWN_SOCKETS), sockets(number));
      }
      nobodyElseMayBind(number, false);
      nobodyElseMayBind(number, true);
    }
  }

  private static final class Silent implements PortHandler {
    @Override
    public void onPacket(RailPort at, MemorySegment memory, long offset, int length, long source) {}

    @Override
    public void onLinkEvent(RailPort at, @Nullable Rail rail, LinkEvent event, int errno) {}
  }

  /**
   * The first socket shares its port at no other time than while one of ours is bound beside it.
   */
  private static void nobodyElseMayBind(int number, boolean shared) throws IOException {
    try (DatagramChannel other = DatagramChannel.open()) {
      other.setOption(StandardSocketOptions.SO_REUSEADDR, shared);
      InetSocketAddress to = new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), number);
      assertThrows(BindException.class, () -> other.bind(to));
    }
  }

  /** How many sockets the system has at 127.0.0.1 and that port. */
  private static long sockets(int port) throws IOException {
    String local = ": 0100007F:%04X ".formatted(port); // behind the number of the entry
    try (var lines = Files.lines(Path.of("/proc/self/net/udp"))) {
      return lines.filter(line -> line.contains(local)).count();
    }
  }
}

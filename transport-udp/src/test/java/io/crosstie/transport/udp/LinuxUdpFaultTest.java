// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.transport.LinkEvent;
import io.crosstie.transport.Poller;
import io.crosstie.transport.PortCounter;
import io.crosstie.transport.Rail;
import io.crosstie.transport.RailDriver;
import io.crosstie.transport.Station;
import io.crosstie.transport.linux.Errno;
import java.net.DatagramSocket;
import java.net.InetAddress;
import org.junit.jupiter.api.Test;

/** Faults under the Linux driver. */
class LinuxUdpFaultTest extends UdpFaultContract {
  @Override
  RailDriver driver() {
    return new LinuxUdpDriver();
  }

  @Test
  void nobodyListeningIsToldOfTheRailConcernedAndStopsNoOther() throws Exception {
    Pair pair = pair();
    Station c = station("c");
    Rail toNobody = pair.a.port().connect(c.port().localAddress());
    c.port().close();
    for (int i = 0; i < 10; i++) {
      send(toNobody, bytes(i, 50));
      send(pair.aToB, bytes(i, 60));
      toNobody.flush();
      pair.aToB.flush();
      pollAll();
    }
    pump(() -> pair.a.heard(LinkEvent.REFUSED) && pair.b.packets.size() >= 10);
    for (Station.Event event : pair.a.events) {
      assertEquals(LinkEvent.REFUSED, event.event());
      assertEquals(Errno.ECONNREFUSED, event.errno());
      assertSame(toNobody, event.rail());
    }
    assertTrue(toNobody.isOpen());
    assertEquals(20, pair.a.port().counters().get(PortCounter.PACKETS_OUT), "none was dropped");
  }

  @Test
  void aPortWhoseNumberIsAnothersFileTakesNothingFromItWhenSevered() throws Exception {
    Station a = station("a");
    try (DatagramSocket others = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
      int fd = Descriptors.ofUdpPort(portNumber(a.port()));
      Descriptors.dup2(Descriptors.ofUdpPort(others.getLocalPort()), fd);
      assertEquals(2, Descriptors.allOfUdpPort(others.getLocalPort()).size());
      a.port().sever();
      assertEquals(2, Descriptors.allOfUdpPort(others.getLocalPort()).size());
    }
  }

  @Test
  void anAnswerNobodyWaitsForDoesNotKeepTheEngineAwake() throws Exception {
    Pair pair = pair();
    Station c = station("c");
    Rail toNobody = pair.a.port().connect(c.port().localAddress());
    c.port().close();
    try (Poller poller = poller()) {
      assertTrue(pair.a.port().attach(poller));
      send(toNobody, bytes(1, 50));
      toNobody.flush();
      pump(
          () -> {
            boolean ready = pair.a.port().prepareToBlock();
            boolean woken = poller.await(0);
            pair.a.port().afterBlock();
            return ready && !woken && pair.a.heard(LinkEvent.REFUSED);
          });
    }
  }
}

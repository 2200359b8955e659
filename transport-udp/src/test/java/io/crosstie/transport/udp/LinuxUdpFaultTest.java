// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.udp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
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
import io.crosstie.transport.linux.Libc;
import io.crosstie.transport.linux.SocketAbi;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.util.List;
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

  /**
   * Packets that came one by one let offload go off, just as the kernel has merged others: those
   * are told apart, none is lost, and offload goes off a little later.
   */
  @Test
  void whatWasMergedBeforeOffloadWentOffIsToldApart() throws Exception {
    for (int before = 60; before <= 68; before++) { // one of them is the last before it goes off
      Pair pair = pair();
      assertEquals(1, pair.a.port().counters().get(PortCounter.GSO_ACTIVE));
      assertEquals(1, pair.b.port().counters().get(PortCounter.GRO_ACTIVE));
      int common = Descriptors.ofUdpPort(portNumber(pair.b.port()));
      Rail unused = pair.b.port().connect(pair.a.port().localAddress()); // by a socket of its own
      List<Integer> sockets = Descriptors.allOfUdpPort(portNumber(pair.b.port()));
      assertTrue(sockets.remove(Integer.valueOf(common)));
      int last = before - 1;
      pair.b.reaction =
          (port, packet) -> {
            if (indexOf(packet.bytes()) == last) {
              burst(pair.aToB, last + 1);
            }
          };
      int sent = 0;
      for (; sent < before; sent++) {
        sendOne(pair, sent);
      }
      sent += BURST;
      awaitAll(pair, sent);
      Libc libc = new Libc();
      for (int i = 0; i < 3 * before; i++) {
        sendOne(pair, sent++);
      }
      pump(() -> libc.getOption(sockets.getFirst(), SocketAbi.SOL_UDP, SocketAbi.UDP_GRO) == 0);
      burst(pair.aToB, sent);
      sent += BURST;
      awaitAll(pair, sent);
    }
  }

  private static final int BURST = 3;

  private static void sendNow(Rail rail, int index, int length) {
    long offset = rail.claim(length);
    assertTrue(offset >= 0);
    write(rail.txMemory(), offset, bytes(index, length));
    rail.commit(length);
  }

  /** Leaves as one message, which the loopback interface hands over as it is. */
  private static void burst(Rail rail, int first) {
    for (int i = 0; i < BURST; i++) {
      sendNow(rail, first + i, 600);
    }
    rail.flush();
  }

  private void sendOne(Pair pair, int index) {
    sendNow(pair.aToB, index, 100);
    pair.aToB.flush();
    pump(() -> pair.b.packets.stream().anyMatch(packet -> indexOf(packet.bytes()) == index));
    pollAll(); // finds nothing, as in between two packets that come one by one
  }

  /** Each as it was sent, in order. */
  private void awaitAll(Pair pair, int count) {
    pump(() -> indexOf(pair.b.packets.getLast().bytes()) >= count - BURST); // of the last burst
    pollAll();
    for (int i = 0; i < pair.b.packets.size(); i++) {
      byte[] packet = pair.b.packets.get(i).bytes();
      assertArrayEquals(bytes(i, packet.length < 600 ? 100 : 600), packet, "packet " + i);
    }
    assertEquals(count, pair.b.packets.size());
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

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.udp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.testkit.Facility;
import io.crosstie.testkit.OpenDescriptors;
import io.crosstie.transport.LinkEvent;
import io.crosstie.transport.Poller;
import io.crosstie.transport.PortContext;
import io.crosstie.transport.PortCounter;
import io.crosstie.transport.PortHandler;
import io.crosstie.transport.Rail;
import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailDriver;
import io.crosstie.transport.RailFixture;
import io.crosstie.transport.RailPort;
import io.crosstie.transport.RailUri;
import io.crosstie.transport.Station;
import io.crosstie.transport.linux.Libc;
import io.crosstie.transport.linux.SocketAbi;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What a UDP port does when something is wrong: its socket taken away under it, nobody listening,
 * an offload failing.
 */
abstract class UdpFaultContract extends RailFixture {
  private static final long TWO_SECONDS_NS = 2_000_000_000L;

  private long clockNs;

  /** The driver under test. */
  abstract RailDriver driver();

  /** Whether the driver can tell its own socket from another UDP socket under the same number. */
  boolean knowsItsSocket() {
    return true;
  }

  @BeforeEach
  void isLinux() {
    Facility.require(Libc.whyUnavailable() == null, Libc.whyUnavailable());
  }

  @Override
  protected long nowNs() {
    return clockNs;
  }

  @Override
  protected RailPort open(String node, PortHandler handler) throws Exception {
    return driver()
        .open(
            RailUri.parse("udp://127.0.0.1:0?mtu=1500"),
            new PortContext(node, 1, node.hashCode()),
            handler);
  }

  @Override
  protected RailPort reopen(String node, RailAddress address, PortHandler handler)
      throws Exception {
    return driver().open(RailUri.parse(address.text()), new PortContext(node, 2, 0), handler);
  }

  static int portNumber(RailPort port) {
    String text = port.localAddress().text();
    return Integer.parseInt(text.substring(text.lastIndexOf(':') + 1));
  }

  /**
   * Takes the socket of b away, and expects the port to notice, to stay calm and to be replaceable.
   */
  private void isSurvived(Pair pair, Runnable attack, boolean idle) throws Exception {
    Rail rail = pair.b.port().connect(pair.a.port().localAddress());
    RailAddress address = pair.b.port().localAddress();
    try (Poller poller = poller()) {
      boolean attached = pair.b.port().attach(poller);
      pollAll();
      attack.run();
      if (idle) {
        clockNs += TWO_SECONDS_NS; // nothing is sent and nothing arrives: the port looks for itself
        pollAll();
      } else {
        pump(
            () -> {
              if (rail.claim(100) >= 0) {
                rail.commit(100);
                rail.flush();
              }
              return !rail.isOpen();
            });
      }
      assertEquals(1, pair.b.events.stream().filter(e -> e.event() == LinkEvent.CLOSED).count());
      assertFalse(rail.isOpen());
      assertEquals(Rail.CLOSED, rail.claim(10));
      if (attached) {
        boolean unused = poller.await(0); // may tell of it once
        assertFalse(poller.await(0), "the engine would spin");
      }
      for (int i = 0; i < 10; i++) {
        pollAll();
        assertTrue(pair.b.port().prepareToBlock());
        pair.b.port().afterBlock();
      }
      assertEquals(1, pair.b.events.stream().filter(e -> e.event() == LinkEvent.CLOSED).count());
      pair.b.port().close();
    }
    Station again = stationAgain("b", address);
    send(pair.aToB, bytes(1, 77));
    pair.aToB.flush();
    pump(() -> !again.packets.isEmpty());
    assertArrayEquals(bytes(1, 77), again.packets.getFirst().bytes());
  }

  @Test
  void aSocketClosedByAnotherIsNoticedWhenSending() throws Exception {
    Pair pair = pair();
    int fd = Descriptors.ofUdpPort(portNumber(pair.b.port()));
    isSurvived(pair, () -> assertEquals(0, new Libc().close(fd)), false);
  }

  @Test
  void aSocketClosedByAnotherIsNoticedWhenIdle() throws Exception {
    Pair pair = pair();
    int fd = Descriptors.ofUdpPort(portNumber(pair.b.port()));
    isSurvived(pair, () -> assertEquals(0, new Libc().close(fd)), true);
  }

  @Test
  void aSocketReplacedByAFileIsNoticed() throws Exception {
    for (boolean idle : new boolean[] {false, true}) {
      Pair pair = pair();
      int fd = Descriptors.ofUdpPort(portNumber(pair.b.port()));
      Libc libc = new Libc();
      int readable =
          libc.eventfd(1, SocketAbi.EFD_NONBLOCK); // a poller that goes on watching would spin
      isSurvived(pair, () -> Descriptors.dup2(readable, fd), idle);
      if (knowsItsSocket()) {
        assertTrue(Descriptors.isOpen(fd), "a descriptor of somebody else was closed");
        assertEquals(0, libc.close(fd));
      }
      assertEquals(0, libc.close(readable));
    }
  }

  @Test
  void aSocketReplacedByAnotherSocketIsNoticed() throws Exception {
    Pair pair = pair();
    int fd = Descriptors.ofUdpPort(portNumber(pair.b.port()));
    Libc libc = new Libc();
    int other = libc.socket(SocketAbi.AF_INET, SocketAbi.SOCK_DGRAM, 0);
    isSurvived(pair, () -> Descriptors.dup2(other, fd), true);
    assertTrue(Descriptors.isOpen(fd), "a descriptor of somebody else was closed");
    assertEquals(0, libc.close(fd));
    assertEquals(0, libc.close(other));
  }

  @Test
  void nothingIsLeftOpen() throws Exception {
    pair(); // whatever is made once
    closeAll();
    Set<String> before = OpenDescriptors.now();
    for (int i = 0; i < 5; i++) {
      Pair pair = pair();
      send(pair.aToB, bytes(1, 100));
      pair.aToB.flush();
      pump(() -> !pair.b.packets.isEmpty());
      closeAll();
    }
    assertEquals(Set.of(), OpenDescriptors.since(before));
  }

  @Test
  void whatTheHandlerThrowsComesOutOfPollAndThePortLivesOn() throws Exception {
    Pair pair = pair();
    pair.b.reaction =
        (port, packet) -> {
          if (packet.bytes().length == 13) {
            throw new IllegalStateException("thirteen");
          }
        };
    send(pair.aToB, bytes(1, 13));
    pair.aToB.flush();
    IllegalStateException thrown =
        assertThrows(IllegalStateException.class, () -> pump(() -> false));
    assertEquals("thirteen", thrown.getMessage());
    send(pair.aToB, bytes(2, 14));
    pair.aToB.flush();
    pump(() -> pair.b.packets.size() >= 2);
    assertArrayEquals(bytes(2, 14), pair.b.packets.getLast().bytes());
    assertThrows(IllegalStateException.class, () -> pair.b.port().accept());
  }

  @Test
  void emptyDatagramsAreDropped() throws Exception {
    Pair pair = pair();
    try (java.net.DatagramSocket socket = new java.net.DatagramSocket()) {
      socket.send(
          new java.net.DatagramPacket(
              new byte[0],
              0,
              java.net.InetAddress.getLoopbackAddress(),
              portNumber(pair.b.port())));
      pump(() -> pair.b.port().counters().get(PortCounter.DROPPED_IN) == 1);
    }
    assertEquals(0, pair.b.packets.size());
  }

  @Test
  void segmentationThatFailsIsGivenUpAndNothingIsLost() throws Exception {
    Pair pair = pair();
    assertEquals(1, pair.a.port().counters().get(PortCounter.GSO_ACTIVE));
    for (int fd : Descriptors.allOfUdpPort(portNumber(pair.a.port()))) {
      // the kernel refuses to segment for a socket that sends no checksums; SO_NO_CHECK
      assertEquals(0, new Libc().setOption(fd, SocketAbi.SOL_SOCKET, 11, 1));
    }
    for (int round = 0; round < 3; round++) {
      for (int i = 0; i < 40; i++) {
        send(pair.aToB, bytes(round * 40 + i, 1000));
      }
      pair.aToB.flush();
    }
    pump(() -> pair.b.packets.size() >= 120);
    assertEquals(120, pair.b.packets.size());
    assertEquals(1, pair.a.port().counters().get(PortCounter.OFFLOAD_FALLBACKS));
    assertEquals(0, pair.a.port().counters().get(PortCounter.GSO_ACTIVE));
    assertEquals(120, pair.a.port().counters().get(PortCounter.PACKETS_OUT));
    assertEquals(0, pair.a.port().counters().get(PortCounter.DROPPED_OUT));
    assertFalse(pair.a.port().attributes().kind().contains("gso"));
    assertTrue(pair.a.events.isEmpty());
  }

  @Test
  void buffersAreAskedForAndReadBack() throws Exception {
    Pair pair = pair();
    var counters = pair.a.port().counters();
    assertEquals(4 << 20, counters.get(PortCounter.RECEIVE_BUFFER_ASKED));
    assertEquals(4 << 20, counters.get(PortCounter.SEND_BUFFER_ASKED));
    assertTrue(counters.get(PortCounter.RECEIVE_BUFFER_GOT) > 0);
    assertTrue(counters.get(PortCounter.SEND_BUFFER_GOT) > 0);
    assertEquals(
        counters.get(PortCounter.RECEIVE_BUFFER_GOT),
        pair.a.port().attributes().receiveBufferBytes());
  }

  @Test
  void anEngineMayChangeItsThread() throws Exception {
    Pair pair = pair();
    for (int i = 0; i < 3; i++) {
      int round = i;
      Throwable[] failure = new Throwable[1];
      Thread thread =
          Thread.ofPlatform()
              .start(
                  () -> {
                    try {
                      send(pair.aToB, bytes(round, 99));
                      pair.aToB.flush();
                      pump(() -> pair.b.packets.size() > round);
                    } catch (Throwable t) {
                      failure[0] = t;
                    }
                  });
      thread.join();
      if (failure[0] != null) {
        throw new AssertionError(failure[0]);
      }
    }
    assertEquals(3, Stream.of(pair.b.packets.toArray()).count());
  }
}

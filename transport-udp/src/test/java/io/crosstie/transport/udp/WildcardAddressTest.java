// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.testkit.Facility;
import io.crosstie.transport.LinkEvent;
import io.crosstie.transport.PortContext;
import io.crosstie.transport.PortHandler;
import io.crosstie.transport.Rail;
import io.crosstie.transport.RailDriver;
import io.crosstie.transport.RailException;
import io.crosstie.transport.RailPort;
import io.crosstie.transport.RailUri;
import io.crosstie.transport.linux.Libc;
import io.crosstie.transport.thread.OwnThreadDriver;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * A port that is bound to all addresses of this host answers from the one that it was asked at:
 * whoever asks takes answers from there only, as a socket does that is connected.
 */
class WildcardAddressTest {
  private static final long PATIENCE_NS = 60_000_000_000L;

  /** In one flush, so that they leave merged where that is possible. */
  private static final int PACKETS = 6;

  private static final int LENGTH = 300;

  private final List<DatagramChannel> clients = new ArrayList<>();
  private final List<Rail> accepted = new ArrayList<>();
  private @Nullable RailPort port;
  private @Nullable RailException refused;

  @AfterEach
  void closeAll() throws IOException {
    for (DatagramChannel client : clients) {
      client.close();
    }
    if (port != null) {
      port.close();
    }
  }

  private RailPort open(RailDriver driver, String host) throws Exception {
    Facility.require(driver.whyUnavailable() == null, driver.whyUnavailable());
    RailPort opened =
        driver.open(RailUri.parse("udp://" + host + ":0"), new PortContext("w", 1, 7), new Reply());
    port = opened;
    return opened;
  }

  /** Answers each packet without a rail; for one that asks for it, a rail is made. */
  private final class Reply implements PortHandler {
    @Override
    public void onPacket(RailPort at, MemorySegment memory, long offset, int length, long source) {
      at.reply(memory, offset, length);
      if (memory.get(ValueLayout.JAVA_BYTE, offset) == 'r') {
        try {
          accepted.add(at.accept());
        } catch (RailException e) {
          refused = e;
        }
      }
    }

    @Override
    public void onLinkEvent(RailPort at, @Nullable Rail rail, LinkEvent event, int errno) {}
  }

  private DatagramChannel client(String host) throws IOException {
    String text = String.valueOf(port);
    int number = Integer.parseInt(text.substring(text.lastIndexOf(':') + 1));
    DatagramChannel client = DatagramChannel.open();
    clients.add(client);
    client.configureBlocking(false);
    InetAddress asked = InetAddress.ofLiteral(host);
    client.bind(new InetSocketAddress(Interfaces.loopback(asked.getClass()), 0)); // as the route
    client.connect(new InetSocketAddress(asked, number));
    return client;
  }

  private static void ask(DatagramChannel client, char what) throws IOException {
    assertEquals(1, client.write(ByteBuffer.wrap(new byte[] {(byte) what})));
  }

  /** Bytes of the next packet that the client takes, or -1 if none comes. */
  @SuppressWarnings("ThreadPriorityCheck") // a spinning test lets others run
  private int next(DatagramChannel client) throws IOException {
    ByteBuffer into = ByteBuffer.allocate(2000);
    long clock = 0;
    long endNs = System.nanoTime() + PATIENCE_NS;
    while (System.nanoTime() - endNs < 0) {
      int unused = port == null ? 0 : port.poll(clock += 1000, 16);
      int length = client.read(into);
      if (length > 0) {
        return length;
      }
      Thread.yield();
    }
    return -1;
  }

  private void isAnsweredFrom(String host, boolean withRail) throws IOException {
    DatagramChannel client = client(host);
    ask(client, withRail ? 'r' : 's');
    assertEquals(1, next(client), "a reply without a rail, from " + host);
    if (!withRail) {
      return;
    }
    assertEquals(null, refused);
    Rail rail = accepted.getLast();
    for (int i = 0; i < PACKETS; i++) {
      long at = rail.claim(LENGTH);
      assertTrue(at >= 0);
      rail.txMemory().asSlice(at, LENGTH).fill((byte) i);
      rail.commit(LENGTH);
    }
    rail.flush();
    for (int i = 0; i < PACKETS; i++) {
      assertEquals(LENGTH, next(client), "packet " + i + " of a rail, from " + host);
    }
    // and once more behind those of the first rails, which have sockets of their own
    ask(client, 's');
    assertEquals(1, next(client), "a later reply, from " + host);
  }

  /** More than there are sockets of their own for rails, and for addresses. */
  private void answersAtAllAddressesOfLoopback(RailDriver driver) throws Exception {
    RailPort unused = open(driver, "0.0.0.0");
    for (int i = 1; i <= 24; i++) {
      isAnsweredFrom("127.0.0." + i, false);
    }
    for (int i = 1; i <= 12; i++) {
      isAnsweredFrom("127.0.0." + (1 + i % 3), true);
    }
  }

  private void answersAtAllAddressesOfInterfaces(
      RailDriver driver, String wildcard, Class<? extends InetAddress> family) throws Exception {
    RailPort unused = open(driver, wildcard);
    for (InetAddress address : Interfaces.addresses(family)) {
      if (!address.isLinkLocalAddress()) {
        isAnsweredFrom(address.getHostAddress(), true);
      }
    }
  }

  @Test
  void linuxAnswersFromTheAddressThatWasAsked() throws Exception {
    answersAtAllAddressesOfLoopback(new LinuxUdpDriver());
  }

  @Test
  void aRailWithAThreadOfItsOwnDoesSoToo() throws Exception {
    answersAtAllAddressesOfLoopback(new OwnThreadDriver(new LinuxUdpDriver()));
  }

  @Test
  void nettyOnEpollAnswersFromTheAddressThatWasAsked() throws Exception {
    Facility.require(Libc.whyUnavailable() == null, Libc.whyUnavailable());
    answersAtAllAddressesOfLoopback(new NettyUdpDriver());
  }

  @Test
  void nettyOnNioAnswersFromTheAddressesThatInterfacesHaveAtTheStart() throws Exception {
    answersAtAllAddressesOfInterfaces(
        new NettyUdpDriver(false), "0.0.0.0", java.net.Inet4Address.class);
  }

  @Test
  void overIpv6EachDriverAnswersFromTheAddressThatWasAsked() throws Exception {
    Facility.IPV6.require("answers over IPv6");
    for (RailDriver driver :
        List.of(new LinuxUdpDriver(), new NettyUdpDriver(), new NettyUdpDriver(false))) {
      answersAtAllAddressesOfInterfaces(driver, "[::]", java.net.Inet6Address.class);
      closeAll();
      clients.clear();
    }
  }
}

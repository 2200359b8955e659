// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.multirail.config.EndpointConfig;
import io.crosstie.multirail.connection.Connection;
import io.crosstie.multirail.event.RailState;
import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Rails that are added and removed, again and again or to many peers at once. */
class ExchangedRailsTest {
  private static final long MS = 1_000_000;

  private final MemoryNet net = new MemoryNet();
  private final Pair.Side hub = side("hub", 1);
  private final List<Pair.Side> peers = new ArrayList<>();

  private static Pair.Side side(String name, long incarnation) {
    return new Pair.Side(EndpointConfig.defaults(name, -1, incarnation), incarnation);
  }

  private boolean run(long forNs, BooleanSupplier until) {
    for (long end = net.nowNs + forNs; net.nowNs < end; net.nowNs += MS / 20) {
      hub.endpoint.poll(net.nowNs);
      for (Pair.Side peer : peers) {
        peer.endpoint.poll(net.nowNs);
      }
      if (until.getAsBoolean()) {
        return true;
      }
    }
    return false;
  }

  /** Each on a host of its own, or all on one. */
  private void connect(int number, boolean oneHost) throws RailException {
    hub.endpoint.addPort(net.opener("mem://hub:1"), net.nowNs);
    for (int i = 0; i < number; i++) {
      Pair.Side peer = side("p" + i, 2 + i);
      String address = oneHost ? "mem://p:" + (100 + i) : "mem://p" + i + ":1";
      peer.endpoint.addPort(net.opener(address), net.nowNs);
      peers.add(peer);
      hub.endpoint.connect("p" + i, List.of(new RailAddress(address)), net.nowNs);
    }
    assertTrue(
        run(
            5000 * MS,
            () ->
                hub.connections.stream().allMatch(c -> c.state() == Connection.State.UP)
                    && peers.stream().allMatch(peer -> !peer.connections.isEmpty())));
  }

  private static boolean isActive(Pair.Side side, String local) {
    return side.connections.stream()
        .allMatch(
            c ->
                c.rails().stream()
                    .anyMatch(
                        rail -> rail.local().equals(local) && rail.state() == RailState.ACTIVE));
  }

  @Test
  @Tag("R23")
  void aRailIsOfUseToManyPeersAtOnce() throws RailException {
    connect(40, true);
    run(1000 * MS, () -> false);
    hub.endpoint.addPort(net.opener("mem://hub:2"), net.nowNs);
    assertTrue(run(200 * MS, () -> isActive(hub, "mem://hub:2")));
  }

  /** Their second NICs have addresses that nobody has heard of before. */
  @Test
  @Tag("R23")
  void secondRailsOfManyPeersAreOfUseSoon() throws RailException {
    connect(40, false);
    run(1000 * MS, () -> false);
    for (int i = 0; i < peers.size(); i++) {
      peers.get(i).endpoint.addPort(net.opener("mem://second" + i + ":1"), net.nowNs);
    }
    assertTrue(
        run(
            200 * MS,
            () ->
                hub.connections.stream()
                    .allMatch(
                        c ->
                            c.rails().stream()
                                .anyMatch(
                                    rail ->
                                        rail.remote().startsWith("mem://second")
                                            && rail.state() == RailState.ACTIVE))));
  }

  /** Away for a moment at a time, and under another address each second time. */
  @Test
  @Tag("R23")
  void aRailThatComesAndGoesIsOfUseAtOnceEachTime() throws RailException {
    connect(1, true);
    int index = hub.endpoint.addPort(net.opener("mem://hub:2"), net.nowNs);
    for (int i = 0; i < 200; i++) {
      String local = "mem://hub:" + (2 + i % 2 * i);
      hub.endpoint.removePort(index, net.nowNs);
      run(20 * MS, () -> false);
      index = hub.endpoint.addPort(net.opener(local), net.nowNs);
      int round = i;
      assertTrue(
          run(200 * MS, () -> isActive(hub, local)),
          () -> "round " + round + ": " + hub.connections.getFirst().rails());
    }
    assertEquals(1, hub.connections.size());
    assertEquals(Connection.State.UP, hub.connections.getFirst().state());
  }

  @Test
  void numbersAreUsedAgainAndListsStayShort() throws RailException {
    connect(1, true);
    Connection c = hub.connections.getFirst();
    Connection other = peers.getFirst().connections.getFirst();
    int index = hub.endpoint.addPort(net.opener("mem://hub:2"), net.nowNs);
    for (int i = 0; i < 1000; i++) {
      hub.endpoint.removePort(index, net.nowNs);
      run(MS, () -> false);
      index = hub.endpoint.addPort(net.opener("mem://hub:" + (3 + i)), net.nowNs);
      run(50 * MS, () -> false);
    }
    assertEquals(2, hub.endpoint.ports().size());
    assertEquals(2, hub.endpoint.portTable().size());
    assertTrue(c.pathCount() <= 64, () -> c.pathCount() + " rails are known to the hub");
    assertTrue(other.pathCount() <= 64, () -> other.pathCount() + " rails are known to the peer");
    assertTrue(run(1000 * MS, () -> isActive(hub, "mem://hub:1002")));
    assertEquals(1, hub.connections.size());
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.multirail.config.EndpointConfig;
import io.crosstie.multirail.connection.Connection;
import io.crosstie.multirail.connection.EndpointListener;
import io.crosstie.multirail.event.NodeEvent;
import io.crosstie.multirail.handshake.ConnectionLimits;
import io.crosstie.multirail.schedule.EstimatedCompletion;
import io.crosstie.reliability.wire.AbortFrame;
import io.crosstie.reliability.wire.PacketHeader;
import io.crosstie.reliability.wire.PingFrame;
import io.crosstie.reliability.wire.Reject;
import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Nodes that are not configured: what they learn, and how many connections they can have. */
class ConnectionLimitsTest {
  private static final String NODE = "mem://node:1";
  private static final String NAME = "secret-node";
  private static final long INCARNATION = 0x5ec2e7_0123_4567L;
  private static final long MS = 1_000_000;

  private final MemoryNet net = new MemoryNet();
  private final List<Rogue> rogues = new ArrayList<>();
  private final List<Pair.Side> honest = new ArrayList<>();
  private final byte[] packet = new byte[1472];

  private static final class Host implements EndpointListener {
    final Endpoint endpoint;
    final List<NodeEvent> events = new ArrayList<>();
    final Set<String> configured;
    final boolean acceptsOthers;

    Host(int maxConnections, boolean acceptsOthers, String... configured) {
      this.configured = Set.of(configured);
      this.acceptsOthers = acceptsOthers;
      EndpointConfig config =
          EndpointConfig.defaults(NAME, -1, INCARNATION)
              .change()
              .maxConnections(maxConnections)
              .build();
      endpoint = new Endpoint(config, new Random(1), () -> 0, EstimatedCompletion::new, this);
    }

    @Override
    public void onEvent(NodeEvent event) {
      events.add(event);
    }

    @Override
    public boolean mayConnect(String peerName) {
      return acceptsOthers || configured.contains(peerName);
    }

    @Override
    public boolean isConfigured(String peerName) {
      return configured.contains(peerName);
    }
  }

  private Host host(int maxConnections, boolean acceptsOthers, String... configured)
      throws RailException {
    Host host = new Host(maxConnections, acceptsOthers, configured);
    host.endpoint.addPort(net.opener(NODE), net.nowNs);
    return host;
  }

  private boolean run(Host host, long forNs, BooleanSupplier until) {
    for (long end = net.nowNs + forNs; net.nowNs < end; net.nowNs += 50_000) {
      host.endpoint.poll(net.nowNs);
      honest.forEach(side -> side.endpoint.poll(net.nowNs));
      rogues.forEach(rogue -> rogue.poll(net.nowNs));
      if (until.getAsBoolean()) {
        return true;
      }
    }
    return false;
  }

  private Rogue rogue(String address) throws RailException {
    Rogue rogue = new Rogue(net, "rogue", address);
    rogue.towards(NODE);
    rogues.add(rogue);
    return rogue;
  }

  private Pair.Side honest(String name, String address) throws RailException {
    Pair.Side side = new Pair.Side(EndpointConfig.defaults(name, -1, 5), 5);
    side.endpoint.addPort(net.opener(address), net.nowNs);
    side.endpoint.connect(NAME, List.of(new RailAddress(NODE)), net.nowNs);
    honest.add(side);
    return side;
  }

  private static boolean isUp(Pair.Side side) {
    return side.connections.getLast().state() == Connection.State.UP;
  }

  /** Whether it was accepted. */
  private boolean handshake(Host host, Rogue rogue, String name, long id) {
    rogue.name = name;
    rogue.incarnation = id;
    rogue.localId = id;
    rogue.remoteId = 0;
    int retries = rogue.retries;
    int rejects = rogue.rejects.size();
    rogue.init();
    run(host, 10 * MS, () -> rogue.retries > retries || rogue.rejects.size() > rejects);
    if (rogue.rejects.size() == rejects) {
      rogue.hello();
      run(host, 10 * MS, () -> rogue.remoteId != 0 || rogue.rejects.size() > rejects);
    }
    return rogue.remoteId != 0;
  }

  private void confirm(Host host, Rogue rogue) {
    int at = rogue.begin(packet);
    rogue.sealAndSend(packet, at + PingFrame.encode(packet, at));
    run(host, MS, () -> false);
  }

  @Test
  @Tag("R31")
  void whoIsNotAcceptedLearnsNothingButThat() throws RailException {
    Host host = host(4096, false, "friend");
    host.endpoint.addPort(net.opener("mem://another-port:2"), net.nowNs);
    Rogue unknown = rogue("mem://unknown:1");
    assertFalse(handshake(host, unknown, "unknown", 11));
    assertEquals(0, unknown.retries, "no cookie");
    unknown.hello(); // without one
    int at = unknown.begin(packet);
    for (int i = 0; i < 20; i++) {
      at += AbortFrame.encode(packet, at, i, 1);
    }
    unknown.remoteId = 4711;
    unknown.sealAndSend(packet, at);
    run(host, 100 * MS, () -> false);
    assertEquals(1, unknown.rejects.size());
    assertEquals(Reject.REFUSED, unknown.rejects.getFirst().reason());
    for (byte[] m : unknown.received) {
      String text = new String(m, StandardCharsets.ISO_8859_1);
      for (String secret : List.of(NAME, "another-port", "mem:", "friend")) {
        assertFalse(text.contains(secret), text);
      }
      boolean reset = Rogue.isReset(m);
      assertTrue(reset || PacketHeader.kind(m, 0) == PacketHeader.REJECT, "kind of " + text);
    }
    assertEquals(0, host.endpoint.connections().size());
    assertEquals(List.of(), host.events);
    assertTrue(handshake(host, unknown, "friend", 12));
  }

  @Test
  @Tag("R31")
  void oneAddressHasFewConnections() throws RailException {
    Host host = host(4096, true);
    Rogue rogue = rogue("mem://evil:1");
    int in = 0;
    for (int i = 0; i < 100; i++) {
      in += handshake(host, rogue, "name" + i, 100 + i) ? 1 : 0;
    }
    assertEquals(ConnectionLimits.MAX_PER_ADDRESS, in);
    assertEquals(Reject.BUSY, rogue.rejects.getLast().reason());
    Pair.Side side = honest("honest", "mem://evil:2");
    assertTrue(run(host, 1000 * MS, () -> isUp(side)), side.events::toString);
  }

  @Test
  @Tag("R31")
  void oneHostLeavesRoomForOthers() throws RailException {
    Host host = host(64, true);
    int in = 0;
    for (int i = 0; i < 70; i++) {
      Rogue rogue = rogue("mem://evil:" + (100 + i));
      if (handshake(host, rogue, "name" + i, 100 + i)) {
        confirm(host, rogue);
        in++;
      }
    }
    assertEquals(56, in);
    Pair.Side side = honest("honest", "mem://other:1");
    assertTrue(run(host, 1000 * MS, () -> isUp(side)), side.events::toString);
    assertEquals(57, host.endpoint.connections().size(), "none was ended for it");
  }

  @Test
  @Tag("R31")
  void whoNeverConfirmsMakesRoomForOthers() throws RailException {
    Host host = host(4, true);
    List<Rogue> in = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      Rogue rogue = rogue("mem://evil:" + (100 + i));
      assertTrue(handshake(host, rogue, "name" + i, 100 + i));
      in.add(rogue);
    }
    confirm(host, in.getFirst());
    Pair.Side side = honest("honest", "mem://other:1");
    assertTrue(run(host, 1000 * MS, () -> side.saw(NodeEvent.Rejected.class)));
    assertTrue(run(host, 2000 * MS, () -> isUp(side)), side.events::toString);
    assertEquals(4, host.endpoint.connections().size());
    List<String> lost = new ArrayList<>();
    for (NodeEvent event : host.events) {
      if (event instanceof NodeEvent.PeerLost) {
        lost.add(event.peer());
      }
    }
    assertEquals(List.of("name1"), lost, "the oldest that was not confirmed");
  }

  @Test
  @Tag("R31")
  void whoIsConfiguredAlwaysHasRoom() throws RailException {
    Host host = host(1, true, "friend");
    Rogue rogue = rogue("mem://evil:1");
    assertTrue(handshake(host, rogue, "name", 100));
    confirm(host, rogue);
    Pair.Side side = honest("friend", "mem://other:1");
    assertTrue(run(host, 1000 * MS, () -> isUp(side)), side.events::toString);
    Pair.Side another = honest("another", "mem://other:2");
    assertTrue(run(host, 1000 * MS, () -> another.saw(NodeEvent.Rejected.class)));
    run(host, 2000 * MS, () -> false);
    assertFalse(isUp(another));
  }
}

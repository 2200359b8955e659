// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.handshake;

import io.crosstie.multirail.config.EndpointConfig;
import io.crosstie.multirail.connection.Connection;
import io.crosstie.reliability.wire.Hello;
import io.crosstie.reliability.wire.Init;
import io.crosstie.reliability.wire.Introduction;
import io.crosstie.reliability.wire.NodeName;
import io.crosstie.reliability.wire.PacketHeader;
import io.crosstie.transport.RailAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The side that begins connections: knows which peers are to be connected and by which seeds, tries
 * them with INIT, with back-off, for ever, and answers a cookie with HELLO.
 */
final class Initiator {
  /** What this side calls the rail that the handshake uses. */
  static final int FIRST_RAIL = 0;

  private static final int MAX_TARGETS = 65536;

  private final HandshakeHost host;
  private final EndpointConfig config;
  private final InitQueue queue;
  private final SeedRails seedRails;
  private final HandshakePackets packets;
  private final Introductions introductions;
  private final PreviousIds previousIds;
  private final Map<String, List<RailAddress>> targets = new HashMap<>();
  private SeedResolver resolver = SeedResolver.AS_WRITTEN;

  Initiator(
      HandshakeHost host,
      EndpointConfig config,
      InitQueue queue,
      SeedRails seedRails,
      HandshakePackets packets,
      Introductions introductions,
      PreviousIds previousIds) {
    this.host = host;
    this.config = config;
    this.queue = queue;
    this.seedRails = seedRails;
    this.packets = packets;
    this.introductions = introductions;
    this.previousIds = previousIds;
  }

  void setSeedResolver(SeedResolver newResolver) {
    resolver = newResolver;
  }

  // ---- which peers are to be connected ----

  Connection connect(String name, List<RailAddress> seeds, long nowNs) {
    NodeName.require(name);
    if (targets.size() >= MAX_TARGETS) {
      throw new IllegalStateException("more than " + MAX_TARGETS + " peers configured");
    }
    targets.put(name, List.copyOf(seeds));
    Connection existing = existing(name);
    return existing != null ? existing : begin(name, seeds, nowNs);
  }

  private Connection begin(String name, List<RailAddress> seeds, long nowNs) {
    HandshakeAttempt attempt = new HandshakeAttempt(new SeedAddresses(seeds, resolver), nowNs);
    queue.reserveRoom();
    Connection c = host.newConnection(name, true);
    queue.add(c, attempt);
    return c;
  }

  private @Nullable Connection existing(String name) {
    for (Connection c : host.connections()) {
      if (c.peerName().equals(name)
          && !c.state().isOver()
          && c.state() != Connection.State.CLOSING) {
        return c;
      }
    }
    return null;
  }

  /** Begins a connection in place of one that the peer has closed, if the peer is configured. */
  void reconnect(Connection closed, long nowNs) {
    List<RailAddress> seeds = targets.get(closed.wantedName());
    if (seeds != null && !closed.closedHere() && existing(closed.wantedName()) == null) {
      begin(closed.wantedName(), seeds, nowNs);
    }
  }

  /** A connection left the tables: a configured peer is connected again, unless we closed. */
  void onGone(Connection c, long nowNs) {
    List<RailAddress> seeds = targets.get(c.wantedName());
    if (seeds != null && (c.closedHere() || c.state() == Connection.State.SUPERSEDED)) {
      targets.remove(c.wantedName());
    } else if (seeds != null && !c.askedAnew() && existing(c.wantedName()) == null) {
      begin(c.wantedName(), seeds, nowNs);
    }
  }

  /** Ends the attempt of a connection, if one is under way. */
  void abandon(Connection c) {
    HandshakeAttempt attempt = queue.remove(c);
    if (attempt != null) {
      attempt.end(null);
    }
  }

  // ---- the attempts ----

  void onTimers(long nowNs) {
    int inits = 0;
    for (HandshakeAttempt attempt = queue.first();
        attempt != null && nowNs >= attempt.dueNs() && inits < InitQueue.MAX_INITS_PER_CYCLE;
        attempt = queue.first()) {
      Connection c = attempt.connection();
      try {
        inits += onTimer(c, attempt, nowNs);
      } catch (RuntimeException | Error x) {
        attempt.suspend();
        host.onError(c, x);
      }
    }
  }

  /** Returns how many attempts sent INITs. */
  private int onTimer(Connection c, HandshakeAttempt attempt, long nowNs) {
    if (c.state() != Connection.State.CONNECTING) {
      abandon(c);
      return 0;
    }
    if (!attempt.mayLeave(queue, nowNs)) {
      return 0;
    }
    transmit(c, attempt, nowNs);
    return attempt.answered() != null ? 0 : 1;
  }

  private void transmit(Connection c, HandshakeAttempt attempt, long nowNs) {
    attempt.refreshSeeds(nowNs);
    seedRails.open(c, attempt);
    attempt.onTransmitted(nowNs);
    SeedRail answered = attempt.answered();
    if (answered != null) {
      attempt.onHello(nowNs);
      sendHello(c, answered, attempt);
      return;
    }
    Init init =
        new Init(
            PacketHeader.WIRE_VERSION,
            PacketHeader.WIRE_VERSION,
            config.incarnation(),
            config.name(),
            c.wantedName());
    for (SeedRail rail : attempt.rails()) {
      packets.send(rail, init::encode);
    }
  }

  private void sendHello(Connection c, SeedRail rail, HandshakeAttempt attempt) {
    Introduction own = introductions.own(c.id(), rail.port, rail.rail);
    long previousId = previousIds.of(c.wantedName(), host.connections());
    Hello hello =
        new Hello(
            PacketHeader.WIRE_VERSION,
            FIRST_RAIL,
            attempt.cookie(),
            c.wantedName(),
            previousId,
            own);
    c.onAddressesTold(hello.addressesThatFit() == own.addresses().size());
    packets.send(rail, hello::encode);
  }
}

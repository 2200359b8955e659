// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.handshake;

import io.crosstie.multirail.config.EndpointConfig;
import io.crosstie.multirail.connection.Connection;
import io.crosstie.multirail.connection.EndpointListener;
import io.crosstie.multirail.event.EndpointCounter;
import io.crosstie.multirail.port.PortTable;
import io.crosstie.reliability.time.SlipClock;
import io.crosstie.reliability.wire.Hello;
import io.crosstie.reliability.wire.Init;
import io.crosstie.reliability.wire.PacketHeader;
import io.crosstie.reliability.wire.Reject;
import io.crosstie.reliability.wire.Reset;
import io.crosstie.reliability.wire.Retry;
import io.crosstie.reliability.wire.Welcome;
import io.crosstie.transport.Counters;
import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailPort;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Handshakes of one endpoint, both sides: INIT, RETRY with a stateless cookie, HELLO, WELCOME
 * (R23). Hands what comes, and what is due, to the {@link Initiator} and the {@link Responder}. The
 * engine's thread.
 */
public final class Handshaker {
  private final HandshakeHost host;
  private final SlipClock clock;
  private final Counters<EndpointCounter> counters;
  private final FormerConnections formers = new FormerConnections();
  private final HandshakePackets packets;
  private final RailPairing pairing;
  private final NameClaims claims;
  private final ConnectionLimits limits;
  private final Initiator initiator;
  private final Responder responder;
  private final ResetRateLimiter resets;

  /**
   * @param random for cookies
   */
  public Handshaker(
      HandshakeHost host,
      PortTable ports,
      EndpointConfig config,
      SlipClock clock,
      RandomGenerator random,
      Counters<EndpointCounter> counters,
      EndpointListener listener) {
    this.host = host;
    this.clock = clock;
    this.counters = counters;
    this.packets = new HandshakePackets(host, ports, config, counters);
    this.pairing = new RailPairing(ports, counters, listener);
    this.claims = new NameClaims(packets, listener);
    this.limits = new ConnectionLimits(host, config, listener::isConfigured);
    this.initiator = new Initiator(host, config, packets, formers, pairing, listener);
    Acceptor acceptor = new Acceptor(host, packets, formers, initiator, limits, claims, pairing);
    this.responder =
        new Responder(
            config, new StatelessCookies(random), packets, formers, acceptor, listener, counters);
    this.resets = new ResetRateLimiter(config.incarnation());
  }

  /** Before anything else: who looks up seeds that name hosts; without it they are as written. */
  public void setSeedResolver(SeedResolver resolver) {
    initiator.setSeedResolver(resolver);
  }

  /** Makes further rails of the connections that are up. */
  public RailPairing pairing() {
    return pairing;
  }

  /**
   * Begins a connection to that peer, and begins another one whenever it is over, until this side
   * closes it. One that exists already is returned.
   */
  public Connection connect(String name, List<RailAddress> seeds, long nowNs) {
    return initiator.connect(name, seeds, nowNs);
  }

  /** From now on nobody is accepted. */
  public void refuseNew() {
    responder.refuseNew();
  }

  /**
   * A peer closed a connection some time ago, and may have been started anew since: if it is a
   * configured one it is connected again, though what still comes for the old connection is
   * answered for a while longer.
   */
  public void reconnect(Connection c, long nowNs) {
    if (!responder.refusesNew()) {
      initiator.reconnect(c, nowNs);
    }
  }

  /** A connection left the tables: a configured peer is connected again, unless we closed. */
  public void onGone(Connection c, long nowNs) {
    initiator.abandon(c);
    formers.onGone(c);
    limits.onGone(c);
    pairing.onGone(c);
    initiator.onGone(c, nowNs);
  }

  public void onTimers(long nowNs) {
    claims.onTimers(nowNs);
    initiator.onTimers(nowNs);
  }

  /** When {@link #onTimers} has to be called at the latest. */
  public long deadlineNs() {
    return Math.min(claims.deadlineNs(), initiator.deadlineNs());
  }

  /**
   * A handshake packet that is valid as such.
   *
   * @param source key of the sender
   */
  public void onHandshake(
      int kind, RailPort port, int portIndex, byte[] m, int length, long source, long nowNs) {
    try {
      dispatch(kind, port, portIndex, m, length, source, nowNs);
    } catch (RuntimeException | Error x) {
      host.onError(null, x);
    }
  }

  private void dispatch(
      int kind, RailPort port, int portIndex, byte[] m, int length, long source, long nowNs) {
    switch (kind) {
      case PacketHeader.INIT -> responder.onInit(port, m, Init.parse(m, 0, length), nowNs);
      case PacketHeader.RETRY -> initiator.onRetry(port, source, Retry.parse(m, 0, length), nowNs);
      case PacketHeader.HELLO ->
          responder.onHello(port, portIndex, Hello.parse(m, 0, length), clock.freshNs(), nowNs);
      case PacketHeader.WELCOME -> {
        Welcome welcome = Welcome.parse(m, 0, length);
        if (!initiator.onWelcome(port, source, welcome, clock.freshNs(), nowNs)) {
          counters.increment(EndpointCounter.INVALID_PACKETS);
        }
      }
      case PacketHeader.REJECT ->
          initiator.onReject(port, source, Reject.parse(m, 0, length), nowNs);
      case PacketHeader.RESET -> onReset(m, nowNs);
      default -> counters.increment(EndpointCounter.INVALID_PACKETS);
    }
  }

  // ---- packets for connections that one side does not know ----

  /**
   * A packet for a connection that is not there: whoever sent it is answered with RESET, a few
   * times a second at most (R11); a process that was superseded with REJECT (R33).
   *
   * @param source key of the sender
   */
  public void onUnknown(RailPort port, byte[] m, int length, long source, long nowNs) {
    if (!Reset.mayAnswer(PacketHeader.DATA, length) || !resets.take(source, nowNs)) {
      return;
    }
    long id = PacketHeader.connectionId(m, 0);
    FormerConnections.Superseded sender = formers.supersededById(id);
    if (sender != null) {
      String text = FormerConnections.supersededText(sender.name());
      packets.reject(port, sender.peerId(), Reject.RESTARTED, sender.incarnation(), text);
    } else {
      packets.reset(port, PacketHeader.rail(m, 0), id);
    }
  }

  /** The peer does not know a connection. */
  private void onReset(byte[] m, long nowNs) {
    Connection c = byPeerId(PacketHeader.connectionId(m, 0));
    if (c == null) {
      return;
    }
    long now = Reset.incarnation(m, 0);
    try {
      if (now != c.peerIncarnation()) {
        c.onRestarted(now, nowNs);
      } else {
        c.onLost("the peer does not know this connection any more", nowNs);
      }
    } catch (RuntimeException | Error x) {
      host.onError(c, x);
    }
  }

  private @Nullable Connection byPeerId(long id) {
    for (Connection c : host.connections()) {
      if (c.peerId() == id && !c.state().isOver() && c.state() != Connection.State.CONNECTING) {
        return c;
      }
    }
    return null;
  }
}

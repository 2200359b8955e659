// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.handshake;

import io.crosstie.multirail.config.EndpointConfig;
import io.crosstie.multirail.connection.Connection;
import io.crosstie.multirail.connection.EndpointListener;
import io.crosstie.multirail.event.EndpointCounter;
import io.crosstie.multirail.event.ErrorSink;
import io.crosstie.multirail.port.PortTable;
import io.crosstie.reliability.time.SlipClock;
import io.crosstie.reliability.wire.Hello;
import io.crosstie.reliability.wire.Init;
import io.crosstie.reliability.wire.PacketHeader;
import io.crosstie.reliability.wire.Reject;
import io.crosstie.reliability.wire.Retry;
import io.crosstie.reliability.wire.Welcome;
import io.crosstie.transport.Counters;
import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailPort;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Handshakes of one endpoint, both sides: INIT, RETRY with a stateless cookie, HELLO, WELCOME
 * (R23). Hands what comes, and what is due, to the {@link Initiator} and the {@link Responder}. The
 * engine's thread.
 */
public final class Handshaker {
  private final HandshakeHost host;
  private final Counters<EndpointCounter> counters;
  private final FaultScope scope = new FaultScope();
  private final InitQueue queue = new InitQueue();
  private final PreviousIds previousIds = new PreviousIds();
  private final SupersededNodes superseded = new SupersededNodes();
  private final RailPairing pairing;
  private final NameClaims claims;
  private final ConnectionLimits limits;
  private final AdmissionRules rules;
  private final Initiator initiator;
  private final InitiatorAnswers answers;
  private final Responder responder;
  private final UnknownConnections unknown;

  /**
   * @param random for cookies
   * @param errors takes what drivers throw
   */
  public Handshaker(
      HandshakeHost host,
      PortTable ports,
      EndpointConfig config,
      SlipClock clock,
      RandomGenerator random,
      Counters<EndpointCounter> counters,
      EndpointListener listener,
      ErrorSink errors) {
    this.host = host;
    this.counters = counters;
    this.pairing = new RailPairing(host, ports, counters, listener);
    HandshakePackets packets = new HandshakePackets(ports, errors, counters);
    Introductions introductions = new Introductions(config, ports);
    SimultaneousOpen simultaneous = new SimultaneousOpen(host, config, queue);
    this.claims = new NameClaims(host, packets, listener);
    this.limits = new ConnectionLimits(host, config, listener::isConfigured);
    this.rules =
        new AdmissionRules(config, packets, introductions, superseded, listener::mayConnect);
    this.initiator =
        new Initiator(
            host, config, queue, new SeedRails(ports), packets, introductions, previousIds);
    this.answers =
        new InitiatorAnswers(
            host,
            config,
            clock,
            queue,
            packets,
            introductions,
            superseded,
            pairing,
            scope,
            counters,
            listener);
    this.responder =
        new Responder(
            host,
            config,
            clock,
            new StatelessCookies(random),
            packets,
            rules,
            claims,
            previousIds,
            simultaneous,
            new Acceptor(host, ports, packets, introductions, simultaneous, limits, pairing, scope),
            scope,
            counters);
    this.unknown = new UnknownConnections(host, config, packets, superseded, scope, counters);
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
    rules.refuseNew();
  }

  /**
   * A peer closed a connection some time ago, and may have been started anew since: if it is a
   * configured one it is connected again, though what still comes for the old connection is
   * answered for a while longer.
   */
  public void askAnew(Connection c, long nowNs) {
    if (!rules.refusesNew()) {
      initiator.reconnect(c, nowNs);
    }
  }

  /** A connection left the tables: a configured peer is connected again, unless we closed. */
  public void onGone(Connection c, long nowNs) {
    initiator.abandon(c);
    previousIds.onGone(c);
    limits.onGone(c);
    pairing.onGone(c);
    if (c.peerIncarnation() != 0 && c.state() == Connection.State.RESTARTED) {
      superseded.add(c);
    }
    initiator.onGone(c, nowNs);
  }

  public void onTimers(long nowNs) {
    claims.onTimers(nowNs);
    initiator.onTimers(nowNs);
  }

  /** When {@link #onTimers} has to be called at the latest. */
  public long deadlineNs() {
    return Math.min(claims.deadlineNs(), queue.earliestNs());
  }

  /**
   * A handshake packet that is valid as such.
   *
   * @param source key of the sender
   */
  public void onHandshake(
      int kind, RailPort port, int portIndex, byte[] m, int length, long source, long nowNs) {
    scope.enter(null);
    try {
      dispatch(kind, port, portIndex, m, length, source, nowNs);
    } catch (RuntimeException | Error x) {
      host.onError(scope.connection(), x);
    }
  }

  private void dispatch(
      int kind, RailPort port, int portIndex, byte[] m, int length, long source, long nowNs) {
    switch (kind) {
      case PacketHeader.INIT -> responder.onInit(port, m, Init.parse(m, 0, length), nowNs);
      case PacketHeader.RETRY -> answers.onRetry(port, source, Retry.parse(m, 0, length), nowNs);
      case PacketHeader.HELLO ->
          responder.onHello(port, portIndex, Hello.parse(m, 0, length), nowNs);
      case PacketHeader.WELCOME ->
          answers.onWelcome(port, source, Welcome.parse(m, 0, length), nowNs);
      case PacketHeader.REJECT -> answers.onReject(port, source, Reject.parse(m, 0, length), nowNs);
      case PacketHeader.RESET -> unknown.onReset(m, nowNs);
      default -> counters.increment(EndpointCounter.INVALID_PACKETS);
    }
  }

  /**
   * A packet for a connection that is not there: whoever sent it is told, a few times a second at
   * most (R11); a process that was superseded, that it was (R33).
   *
   * @param source key of the sender
   */
  public void onUnknown(RailPort port, byte[] m, int length, long source, long nowNs) {
    unknown.onPacket(port, m, length, source, nowNs);
  }
}

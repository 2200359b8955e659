// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.handshake;

import io.crosstie.multirail.config.EndpointConfig;
import io.crosstie.multirail.connection.Connection;
import io.crosstie.multirail.event.EndpointCounter;
import io.crosstie.reliability.time.SlipClock;
import io.crosstie.reliability.wire.Cookie;
import io.crosstie.reliability.wire.Hello;
import io.crosstie.reliability.wire.Init;
import io.crosstie.reliability.wire.Introduction;
import io.crosstie.reliability.wire.NodeName;
import io.crosstie.reliability.wire.PacketHeader;
import io.crosstie.reliability.wire.Reject;
import io.crosstie.reliability.wire.Retry;
import io.crosstie.transport.Counters;
import io.crosstie.transport.RailPort;
import org.jspecify.annotations.Nullable;

/**
 * The side that is asked for connections: answers INIT with a stateless cookie, and decides whether
 * a HELLO that brings it back is accepted (R23).
 *
 * <p>Nothing is kept of a node before its cookie came back, so there is no backlog of half-open
 * connections that it could fill. A HELLO under the name of a peer that is up ends the connection
 * to that only if {@link NameClaims} finds that the peer does not answer (R33); one with an
 * incarnation that was superseded is rejected (R11).
 */
final class Responder {
  private final HandshakeHost host;
  private final EndpointConfig config;
  private final SlipClock clock;
  private final StatelessCookies cookies;
  private final HandshakePackets packets;
  private final AdmissionRules rules;
  private final NameClaims claims;
  private final PreviousIds previousIds;
  private final SimultaneousOpen simultaneous;
  private final Acceptor acceptor;
  private final FaultScope scope;
  private final Counters<EndpointCounter> counters;

  Responder(
      HandshakeHost host,
      EndpointConfig config,
      SlipClock clock,
      StatelessCookies cookies,
      HandshakePackets packets,
      AdmissionRules rules,
      NameClaims claims,
      PreviousIds previousIds,
      SimultaneousOpen simultaneous,
      Acceptor acceptor,
      FaultScope scope,
      Counters<EndpointCounter> counters) {
    this.host = host;
    this.config = config;
    this.clock = clock;
    this.cookies = cookies;
    this.packets = packets;
    this.rules = rules;
    this.claims = claims;
    this.previousIds = previousIds;
    this.simultaneous = simultaneous;
    this.acceptor = acceptor;
    this.scope = scope;
    this.counters = counters;
  }

  void onInit(RailPort port, byte[] m, @Nullable Init init, long nowNs) {
    long incarnation = Init.incarnation(m, 0);
    if (init == null || incarnation == config.incarnation()) {
      counters.increment(EndpointCounter.INVALID_PACKETS);
      if (init == null) {
        String text = "INIT is malformed, or has a name that is none here: " + NodeName.RULE;
        packets.reject(port, 0, Reject.REFUSED, incarnation, text);
      }
      return;
    }
    if (!rules.mayConnect(port, 0, init.name(), incarnation)) {
      return;
    }
    if (init.minVersion() > PacketHeader.WIRE_VERSION
        || init.maxVersion() < PacketHeader.WIRE_VERSION) {
      String text =
          "\"" + config.name() + "\" speaks protocol version " + PacketHeader.WIRE_VERSION;
      packets.reject(port, 0, Reject.VERSION, incarnation, text);
      return;
    }
    if (rules.isMeant(port, 0, init.wantedName(), incarnation)
        && rules.isAdmitted(port, 0, init.name(), incarnation)) {
      Cookie cookie = cookies.issue(port.sourceAddress(), incarnation, nowNs);
      Retry retry = new Retry(PacketHeader.WIRE_VERSION, incarnation, config.incarnation(), cookie);
      packets.reply(port, retry::encode);
    }
  }

  void onHello(RailPort port, int portIndex, @Nullable Hello hello, long nowNs) {
    if (hello == null) {
      counters.increment(EndpointCounter.INVALID_PACKETS);
      return;
    }
    Introduction peer = hello.sender();
    long id = peer.connectionId();
    long roundTripNs =
        cookies.ageNs(hello.cookie(), port.sourceAddress(), peer.incarnation(), clock.freshNs());
    if (roundTripNs < 0) {
      counters.increment(EndpointCounter.BAD_COOKIES);
      return;
    }
    counters.increment(EndpointCounter.HANDSHAKES_IN);
    if (!rules.mayConnect(port, id, peer.name(), peer.incarnation())
        || !rules.isMeant(port, id, hello.wantedName(), peer.incarnation())
        || !rules.isAdmitted(port, id, peer.name(), peer.incarnation())
        || !rules.isCompatible(port, peer)) {
      return;
    }
    Connection halfOpen = null;
    boolean replaces = false;
    boolean ended = previousIds.of(peer.name(), host.connections()) == id;
    for (Connection c : host.connections()) {
      if (!c.peerName().equals(peer.name()) || c.state().isOver()) {
        continue;
      }
      scope.enter(c);
      if (c.state() == Connection.State.CONNECTING) {
        if (simultaneous.oursSurvives(c, peer, nowNs)) {
          return;
        }
        halfOpen = c;
      } else if (c.peerIncarnation() == peer.incarnation() && c.peerId() == id) {
        acceptor.repeat(c, port, portIndex, hello, roundTripNs, nowNs);
        return;
      } else {
        scope.enter(null); // what goes wrong is not the fault of the connection that is up
        if (!claims.isFree(c, port, peer, nowNs)) {
          return; // if it was not rejected it asks again
        }
        replaces = true;
      }
    }
    scope.enter(null);
    if (ended) {
      String text = "the connection of this id has ended here; the next one needs another";
      packets.reject(port, id, Reject.ENDED, peer.incarnation(), text);
      return;
    }
    acceptor.accept(halfOpen, replaces, port, portIndex, hello, roundTripNs, nowNs);
  }
}

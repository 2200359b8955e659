// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.handshake;

import io.crosstie.multirail.config.EndpointConfig;
import io.crosstie.multirail.connection.EndpointListener;
import io.crosstie.multirail.event.EndpointCounter;
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
 * The side that is asked for connections: answers INIT with a stateless cookie, and hands a HELLO
 * that brings it back to the {@link Acceptor} if its sender may connect at all (R23). Whoever may
 * not is rejected.
 *
 * <p>Nothing is kept of a node before its cookie came back, so there is no backlog of half-open
 * connections that it could fill. One with an incarnation that was superseded is rejected (R11).
 */
final class Responder {
  private static final String UNKNOWN_PEER =
      "only peers that are configured here may connect; configure this one with peer(name)";

  private final EndpointConfig config;
  private final StatelessCookies cookies;
  private final HandshakePackets packets;
  private final FormerConnections formers;
  private final Acceptor acceptor;
  private final EndpointListener listener;
  private final Counters<EndpointCounter> counters;

  /** Nobody is accepted any more. */
  private boolean closing;

  Responder(
      EndpointConfig config,
      StatelessCookies cookies,
      HandshakePackets packets,
      FormerConnections formers,
      Acceptor acceptor,
      EndpointListener listener,
      Counters<EndpointCounter> counters) {
    this.config = config;
    this.cookies = cookies;
    this.packets = packets;
    this.formers = formers;
    this.acceptor = acceptor;
    this.listener = listener;
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
    if (!mayConnect(port, 0, init.name(), incarnation)) {
      return;
    }
    if (init.minVersion() > PacketHeader.WIRE_VERSION
        || init.maxVersion() < PacketHeader.WIRE_VERSION) {
      String text =
          "\"" + config.name() + "\" speaks protocol version " + PacketHeader.WIRE_VERSION;
      packets.reject(port, 0, Reject.VERSION, incarnation, text);
      return;
    }
    if (isMeant(port, 0, init.wantedName(), incarnation)
        && isAdmitted(port, 0, init.name(), incarnation)) {
      Cookie cookie = cookies.issue(port.sourceAddress(), incarnation, nowNs);
      Retry retry = new Retry(PacketHeader.WIRE_VERSION, incarnation, config.incarnation(), cookie);
      packets.reply(port, retry::encode);
    }
  }

  /**
   * A HELLO came.
   *
   * @param arrivedNs when it did, to tell the round trip
   */
  void onHello(RailPort port, int portIndex, @Nullable Hello hello, long arrivedNs, long nowNs) {
    if (hello == null) {
      counters.increment(EndpointCounter.INVALID_PACKETS);
      return;
    }
    Introduction peer = hello.sender();
    long id = peer.connectionId();
    long roundTripNs =
        cookies.ageNs(hello.cookie(), port.sourceAddress(), peer.incarnation(), arrivedNs);
    if (roundTripNs < 0) {
      counters.increment(EndpointCounter.BAD_COOKIES);
      return;
    }
    counters.increment(EndpointCounter.HANDSHAKES_IN);
    if (!mayConnect(port, id, peer.name(), peer.incarnation())
        || !isMeant(port, id, hello.wantedName(), peer.incarnation())
        || !isAdmitted(port, id, peer.name(), peer.incarnation())
        || !isCompatible(port, peer)) {
      return;
    }
    acceptor.onHello(port, portIndex, hello, roundTripNs, nowNs);
  }

  // ---- who may connect at all ----

  /** From now on nobody is accepted. */
  void refuseNew() {
    closing = true;
  }

  boolean refusesNew() {
    return closing;
  }

  private boolean mayConnect(RailPort port, long connectionId, String name, long incarnation) {
    boolean may = listener.mayConnect(name);
    if (!may) {
      packets.reject(port, connectionId, Reject.REFUSED, incarnation, UNKNOWN_PEER);
    }
    return may;
  }

  /** Whether the sender looks for this node. */
  private boolean isMeant(RailPort port, long connectionId, String wantedName, long incarnation) {
    boolean meant = wantedName.isEmpty() || wantedName.equals(config.name());
    if (!meant) {
      String text = "this is \"" + config.name() + "\"";
      packets.reject(port, connectionId, Reject.WRONG_NAME, incarnation, text);
    }
    return meant;
  }

  /**
   * Whether a node of that name and incarnation may be here now.
   *
   * @param connectionId the sender's; 0 if that is not known
   */
  private boolean isAdmitted(RailPort port, long connectionId, String name, long incarnation) {
    if (closing) {
      String text = "\"" + config.name() + "\" is about to close";
      packets.reject(port, connectionId, Reject.CLOSING, incarnation, text);
      return false;
    }
    if (name.equals(config.name())) {
      String text = "\"" + name + "\" is the name of the node asked; each needs a name of its own";
      packets.reject(port, connectionId, Reject.NAME_TAKEN, incarnation, text);
      return false;
    }
    // It has to know which connection is meant, since that one ends for good: HELLO tells its id.
    if (connectionId != 0 && formers.isSuperseded(name, incarnation)) {
      String text = FormerConnections.supersededText(name);
      packets.reject(port, connectionId, Reject.RESTARTED, incarnation, text);
      return false;
    }
    return true;
  }

  /** Whether this node can work with what the peer tells of itself. */
  private boolean isCompatible(RailPort port, Introduction peer) {
    String why = packets.whyIncompatible(peer.limits());
    if (why != null) {
      packets.reject(port, peer.connectionId(), Reject.REFUSED, peer.incarnation(), why);
    }
    return why == null;
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.handshake;

import io.crosstie.multirail.connection.Connection;
import io.crosstie.multirail.path.RailPath;
import io.crosstie.reliability.wire.Hello;
import io.crosstie.reliability.wire.Introduction;
import io.crosstie.reliability.wire.PacketHeader;
import io.crosstie.reliability.wire.Reject;
import io.crosstie.reliability.wire.Welcome;
import io.crosstie.transport.Rail;
import io.crosstie.transport.RailException;
import io.crosstie.transport.RailPort;
import org.jspecify.annotations.Nullable;

/**
 * Makes a connection of a HELLO whose sender may connect, and answers it with WELCOME. A HELLO
 * under the name of a peer that is up ends the connection to that only if {@link NameClaims} finds
 * that the peer does not answer (R33).
 */
final class Acceptor {
  private final HandshakeHost host;
  private final HandshakePackets packets;
  private final FormerConnections formers;
  private final Initiator initiator;
  private final ConnectionLimits limits;
  private final NameClaims claims;
  private final RailPairing pairing;

  /** Which connection the HELLO at hand is about: it ends if something is thrown meanwhile. */
  private @Nullable Connection concerned;

  Acceptor(
      HandshakeHost host,
      HandshakePackets packets,
      FormerConnections formers,
      Initiator initiator,
      ConnectionLimits limits,
      NameClaims claims,
      RailPairing pairing) {
    this.host = host;
    this.packets = packets;
    this.formers = formers;
    this.initiator = initiator;
    this.limits = limits;
    this.claims = claims;
    this.pairing = pairing;
  }

  void onHello(RailPort port, int portIndex, Hello hello, long roundTripNs, long nowNs) {
    concerned = null;
    try {
      answer(port, portIndex, hello, roundTripNs, nowNs);
    } catch (RuntimeException | Error x) {
      host.onError(concerned, x);
    }
  }

  private void answer(RailPort port, int portIndex, Hello hello, long roundTripNs, long nowNs) {
    Introduction peer = hello.sender();
    long id = peer.connectionId();
    Connection halfOpen = null;
    boolean replaces = false;
    boolean ended = formers.previousId(peer.name(), host.connections()) == id;
    for (Connection c : host.connections()) {
      if (!c.peerName().equals(peer.name()) || c.state().isOver()) {
        continue;
      }
      concerned = c;
      if (c.state() == Connection.State.CONNECTING) {
        if (initiator.oursSurvives(c, peer, nowNs)) {
          return;
        }
        halfOpen = c;
      } else if (c.peerIncarnation() == peer.incarnation() && c.peerId() == id) {
        repeat(c, port, portIndex, hello, roundTripNs, nowNs);
        return;
      } else {
        concerned = null; // what goes wrong is not the fault of the connection that is up
        if (!claims.isFree(c, port, peer, nowNs)) {
          return; // if it was not rejected it asks again
        }
        replaces = true;
      }
    }
    concerned = null;
    if (ended) {
      String text = "the connection of this id has ended here; the next one needs another";
      packets.reject(port, id, Reject.ENDED, peer.incarnation(), text);
      return;
    }
    accept(halfOpen, replaces, port, portIndex, hello, roundTripNs, nowNs);
  }

  /**
   * Nothing changes before it is certain that there is room.
   *
   * @param halfOpen this side's connection to the peer that it has begun, which becomes the
   *     accepted one
   * @param replaces whether there is an earlier one that was up, which ends
   */
  private void accept(
      @Nullable Connection halfOpen,
      boolean replaces,
      RailPort port,
      int portIndex,
      Hello hello,
      long roundTripNs,
      long nowNs) {
    Introduction peer = hello.sender();
    String from = port.sourceAddress().text();
    String full = halfOpen == null && !replaces ? limits.whyFull(peer.name(), from, nowNs) : null;
    if (full != null) {
      packets.reject(port, peer.connectionId(), Reject.BUSY, peer.incarnation(), full);
      return;
    }
    Rail rail;
    try {
      rail = pairing.accept(port);
    } catch (RailException x) {
      String text = "no room for another rail";
      packets.reject(port, peer.connectionId(), Reject.BUSY, peer.incarnation(), text);
      return;
    }
    boolean attached = false;
    try {
      if (replaces) {
        endOthers(peer, halfOpen, nowNs);
      }
      Connection c = halfOpen == null ? host.newConnection(peer.name(), false) : halfOpen;
      concerned = c;
      limits.onAccepted(c, from);
      if (halfOpen != null) {
        initiator.yieldTo(halfOpen, peer, hello.previousId());
      }
      attached = true;
      pairing.establish(c, portIndex, hello.rail(), rail, 0, peer, roundTripNs, nowNs);
      sendWelcome(c, port, hello);
    } finally {
      if (!attached) {
        rail.close();
      }
    }
  }

  /** The peer begins anew: as another process, or because it has forgotten the connection. */
  @SuppressWarnings("ReferenceEquality") // a connection is a state machine, not a value
  private void endOthers(Introduction peer, @Nullable Connection except, long nowNs) {
    for (Connection c : host.connections()) {
      if (c == except || !c.peerName().equals(peer.name()) || c.state().isOver()) {
        continue;
      }
      concerned = c;
      if (c.peerIncarnation() != peer.incarnation()) {
        c.onRestarted(peer.incarnation(), nowNs);
      } else {
        c.onLost("the peer began a new connection", nowNs);
      }
    }
  }

  /**
   * The WELCOME was lost. The initiator may have come to another port meanwhile, because the first
   * one is cut: then the rail leaves from that one.
   */
  @SuppressWarnings("ReferenceEquality") // this very port, not one like it
  private void repeat(
      Connection c, RailPort port, int portIndex, Hello hello, long roundTripNs, long nowNs) {
    RailPath path = c.path(hello.rail());
    if (path != null) {
      Rail before = path.link().rail();
      if (before == null || (before.port() != port && c.railSet().isUnheard(path, nowNs))) {
        pairing.moveTo(c, path, port, portIndex, roundTripNs, nowNs);
      }
    }
    sendWelcome(c, port, hello);
  }

  @SuppressWarnings("ReferenceEquality") // this very port, not one like it
  private void sendWelcome(Connection c, RailPort port, Hello hello) {
    RailPath path = c.path(hello.rail());
    Rail rail = path == null ? null : path.link().rail();
    if (path == null || rail == null || rail.port() != port) {
      return;
    }
    Introduction own = packets.introduction(c.id(), port, rail);
    Welcome welcome =
        new Welcome(
            PacketHeader.WIRE_VERSION,
            hello.rail(),
            hello.sender().connectionId(),
            hello.sender().incarnation(),
            own);
    c.onAddressesTold(welcome.addressesThatFit() == own.addresses().size());
    if (packets.send(rail, welcome::encode)) {
      path.link().onCommittedWithoutNumber();
    }
  }
}

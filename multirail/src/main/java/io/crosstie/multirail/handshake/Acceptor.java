// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.handshake;

import io.crosstie.multirail.connection.Connection;
import io.crosstie.multirail.event.RailState;
import io.crosstie.multirail.path.RailPath;
import io.crosstie.multirail.port.PortTable;
import io.crosstie.reliability.wire.Hello;
import io.crosstie.reliability.wire.Introduction;
import io.crosstie.reliability.wire.PacketHeader;
import io.crosstie.reliability.wire.Reject;
import io.crosstie.reliability.wire.Welcome;
import io.crosstie.transport.Rail;
import io.crosstie.transport.RailException;
import io.crosstie.transport.RailPort;
import org.jspecify.annotations.Nullable;

/** Makes a connection of a HELLO that is accepted, and answers it with WELCOME. */
final class Acceptor {
  private final HandshakeHost host;
  private final PortTable ports;
  private final HandshakePackets packets;
  private final Introductions introductions;
  private final SimultaneousOpen simultaneous;
  private final ConnectionLimits limits;
  private final RailPairing pairing;
  private final FaultScope scope;

  Acceptor(
      HandshakeHost host,
      PortTable ports,
      HandshakePackets packets,
      Introductions introductions,
      SimultaneousOpen simultaneous,
      ConnectionLimits limits,
      RailPairing pairing,
      FaultScope scope) {
    this.host = host;
    this.ports = ports;
    this.packets = packets;
    this.introductions = introductions;
    this.simultaneous = simultaneous;
    this.limits = limits;
    this.pairing = pairing;
    this.scope = scope;
  }

  /**
   * Nothing changes before it is certain that there is room.
   *
   * @param halfOpen this side's connection to the peer that it has begun, which becomes the
   *     accepted one
   * @param replaces whether there is an earlier one that was up, which ends
   */
  void accept(
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
      rail = ports.accept(port);
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
      scope.enter(c);
      limits.onAccepted(c, from);
      if (halfOpen != null) {
        simultaneous.giveWay(halfOpen, peer, hello.formerId());
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
      scope.enter(c);
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
  void repeat(
      Connection c, RailPort port, int portIndex, Hello hello, long roundTripNs, long nowNs) {
    RailPath path = c.paths.get(hello.rail());
    if (path != null) {
      Rail before = path.link().rail();
      if (before == null || (before.port() != port && isUnheard(c, path, nowNs))) {
        moveTo(c, path, port, portIndex, roundTripNs, nowNs);
      }
    }
    sendWelcome(c, port, hello);
  }

  private void moveTo(
      Connection c, RailPath path, RailPort port, int portIndex, long roundTripNs, long nowNs) {
    try {
      Rail rail = ports.accept(port);
      if (path.state() == RailState.REMOVED) {
        c.reopenPath(path, portIndex, nowNs); // else nothing that comes by it would be heard
      } else {
        c.health.onClosed(path, "the peer came by another way", nowNs);
        path.link().moveTo(portIndex, port.localAddress().text());
      }
      path.attach(rail, 0, nowNs);
      path.onHandshakeRoundTrip(roundTripNs, nowNs);
      path.probing().probeNow(nowNs);
      c.refreshRails();
      host.activate(c);
    } catch (RailException x) {
      c.problem(String.valueOf(x.getMessage()));
    }
  }

  /** A WELCOME behind which no packet came for longer than a round trip is taken for lost. */
  private static boolean isUnheard(Connection c, RailPath path, long nowNs) {
    return path.health().heardNs() <= path.health().activeSinceNs()
        && nowNs - path.health().activeSinceNs() >= path.responseNs(c.paths.peerAckDelayNs());
  }

  @SuppressWarnings("ReferenceEquality") // this very port, not one like it
  private void sendWelcome(Connection c, RailPort port, Hello hello) {
    RailPath path = c.paths.get(hello.rail());
    Rail rail = path == null ? null : path.link().rail();
    if (path == null || rail == null || rail.port() != port) {
      return;
    }
    Introduction own = introductions.own(c.id(), port, rail);
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

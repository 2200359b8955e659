// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.handshake;

import io.crosstie.multirail.config.EndpointConfig;
import io.crosstie.multirail.connection.Connection;
import io.crosstie.multirail.event.EndpointCounter;
import io.crosstie.reliability.wire.PacketHeader;
import io.crosstie.reliability.wire.Reject;
import io.crosstie.reliability.wire.Reset;
import io.crosstie.transport.Counters;
import io.crosstie.transport.RailPort;
import org.jspecify.annotations.Nullable;

/** Packets for connections that one side does not know: RESET is sent, and received. */
final class UnknownConnections {
  private final HandshakeHost host;
  private final HandshakePackets packets;
  private final SupersededNodes superseded;
  private final FaultScope scope;
  private final Counters<EndpointCounter> counters;
  private final long incarnation;
  private final ResetRateLimiter resets;

  UnknownConnections(
      HandshakeHost host,
      EndpointConfig config,
      HandshakePackets packets,
      SupersededNodes superseded,
      FaultScope scope,
      Counters<EndpointCounter> counters) {
    this.host = host;
    this.packets = packets;
    this.superseded = superseded;
    this.scope = scope;
    this.counters = counters;
    this.incarnation = config.incarnation();
    this.resets = new ResetRateLimiter(incarnation);
  }

  /** See {@link Handshaker#onUnknown}. */
  void onPacket(RailPort port, byte[] m, int length, long source, long nowNs) {
    if (!Reset.mayAnswer(PacketHeader.DATA, length) || !resets.take(source, nowNs)) {
      return;
    }
    int rail = PacketHeader.rail(m, 0);
    long id = PacketHeader.connectionId(m, 0);
    SupersededNodes.Node sender = superseded.byId(id);
    if (sender != null) {
      String text = SupersededNodes.explanation(sender.name());
      packets.reject(port, sender.peerId(), Reject.RESTARTED, sender.incarnation(), text);
    } else {
      counters.increment(EndpointCounter.RESETS_OUT);
      packets.reply(port, (to, offset, limit) -> Reset.encode(to, offset, rail, id, incarnation));
    }
  }

  /** The peer does not know a connection. */
  void onReset(byte[] m, long nowNs) {
    Connection c = byPeerId(PacketHeader.connectionId(m, 0));
    if (c == null) {
      return;
    }
    scope.enter(c);
    long now = Reset.incarnation(m, 0);
    if (now != c.peerIncarnation()) {
      c.onRestarted(now, nowNs);
    } else {
      c.onLost("the peer does not know this connection any more", nowNs);
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

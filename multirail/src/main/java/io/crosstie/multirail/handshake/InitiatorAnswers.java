// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.handshake;

import io.crosstie.multirail.config.EndpointConfig;
import io.crosstie.multirail.connection.Connection;
import io.crosstie.multirail.event.EndpointCounter;
import io.crosstie.multirail.event.EventSink;
import io.crosstie.multirail.event.NodeEvent;
import io.crosstie.multirail.path.RailPath;
import io.crosstie.reliability.time.SlipClock;
import io.crosstie.reliability.wire.CloseFrame;
import io.crosstie.reliability.wire.Introduction;
import io.crosstie.reliability.wire.PacketHeader;
import io.crosstie.reliability.wire.Reject;
import io.crosstie.reliability.wire.Retry;
import io.crosstie.reliability.wire.Welcome;
import io.crosstie.transport.Counters;
import io.crosstie.transport.RailPort;
import org.jspecify.annotations.Nullable;

/** What the initiator makes of a responder's answers: RETRY, WELCOME and REJECT. */
final class InitiatorAnswers {
  /** Who rejected us is asked again so much later. */
  private static final long REFUSED_NS = 200_000_000L;

  /** And so much later who gave an answer that is of no use until a process is started anew. */
  private static final long UNUSABLE_NS = 1_000_000_000L;

  private final HandshakeHost host;
  private final EndpointConfig config;
  private final SlipClock clock;
  private final InitQueue queue;
  private final HandshakePackets packets;
  private final Introductions introductions;
  private final SupersededNodes superseded;
  private final RailPairing pairing;
  private final FaultScope scope;
  private final Counters<EndpointCounter> counters;
  private final EventSink events;

  InitiatorAnswers(
      HandshakeHost host,
      EndpointConfig config,
      SlipClock clock,
      InitQueue queue,
      HandshakePackets packets,
      Introductions introductions,
      SupersededNodes superseded,
      RailPairing pairing,
      FaultScope scope,
      Counters<EndpointCounter> counters,
      EventSink events) {
    this.host = host;
    this.config = config;
    this.clock = clock;
    this.queue = queue;
    this.packets = packets;
    this.introductions = introductions;
    this.superseded = superseded;
    this.pairing = pairing;
    this.scope = scope;
    this.counters = counters;
    this.events = events;
  }

  void onRetry(RailPort port, long source, @Nullable Retry retry, long nowNs) {
    if (retry == null || retry.incarnation() != config.incarnation()) {
      return;
    }
    for (HandshakeAttempt attempt : queue.all()) {
      Connection c = attempt.connection();
      scope.enter(c);
      SeedRail from = attempt.railFrom(port, source);
      if (from == null) {
        continue;
      }
      if (superseded.contains(c.wantedName(), retry.responder())) {
        c.problem("rejected: " + from.seed + " is a process that was superseded by a newer one");
        attempt.onRefused(from, nowNs + UNUSABLE_NS);
      } else if (attempt.answered() == null || attempt.answered() == from) {
        if (attempt.makeKnownTo(retry.responder())) {
          host.renumber(c);
        }
        attempt.onRetry(from, retry.cookie(), nowNs);
      }
    }
  }

  void onWelcome(RailPort port, long source, @Nullable Welcome welcome, long nowNs) {
    if (welcome == null || welcome.toIncarnation() != config.incarnation()) {
      return;
    }
    Connection c = host.connectionById(welcome.toConnectionId());
    HandshakeAttempt attempt = c == null ? null : queue.of(c);
    SeedRail from = attempt == null ? null : attempt.railFrom(port, source);
    if (c == null || attempt == null || from == null || c.state() != Connection.State.CONNECTING) {
      return;
    }
    scope.enter(c);
    Introduction peer = welcome.sender();
    if (welcome.rail() != Initiator.FIRST_RAIL) {
      counters.increment(EndpointCounter.INVALID_PACKETS); // not the number that HELLO gave it
      return;
    }
    String why = introductions.whyIncompatible(peer.limits());
    if (why != null) {
      closeIncompatible(c, attempt, from, peer, why, nowNs);
      return;
    }
    if (!peer.name().equals(c.wantedName())) {
      c.problem(
          "rejected: "
              + from.seed
              + " is \""
              + peer.name()
              + "\", not \""
              + c.wantedName()
              + "\"; correct the peer's name or address");
      return;
    }
    if (superseded.contains(peer.name(), peer.incarnation())) {
      return; // it was asked before it was superseded
    }
    long roundTripNs = attempt.roundTripNs(clock.freshNs());
    attempt.end(from);
    HandshakeAttempt unused = queue.remove(c);
    pairing.begunWith(c, attempt.seeds());
    pairing.establish(
        c, from.portIndex, welcome.rail(), from.rail, from.committed(), peer, roundTripNs, nowNs);
    RailPath path = c.paths.get(welcome.rail());
    if (path != null) {
      path.link().alsoKnownAs(from.seed);
    }
  }

  /**
   * The peer has accepted what this side cannot use: it is told that the connection is over, and is
   * asked again later, when it may be another.
   */
  private void closeIncompatible(
      Connection c,
      HandshakeAttempt attempt,
      SeedRail from,
      Introduction peer,
      String why,
      long nowNs) {
    counters.increment(EndpointCounter.REJECTED);
    c.problem("rejected: " + from.seed + " answers, but " + why + "; run the same release on both");
    packets.send(
        from,
        (to, offset, limit) -> {
          PacketHeader.begin(
              to, offset, PacketHeader.DATA, Initiator.FIRST_RAIL, peer.connectionId(), 0);
          return PacketHeader.LENGTH + CloseFrame.encode(to, offset + PacketHeader.LENGTH, 0, 0, 0);
        });
    attempt.onRefused(from, nowNs + UNUSABLE_NS);
  }

  void onReject(RailPort port, long source, @Nullable Reject reject, long nowNs) {
    if (reject == null || reject.incarnation() != config.incarnation()) {
      return;
    }
    Connection established = host.connectionById(reject.connectionId());
    if (established != null && established.state() != Connection.State.CONNECTING) {
      scope.enter(established);
      if (reject.reason() == Reject.RESTARTED) { // only the peer knows that id
        established.onSuperseded(reject.text(), nowNs);
      }
      return;
    }
    for (HandshakeAttempt attempt : queue.all()) {
      Connection c = attempt.connection();
      scope.enter(c);
      SeedRail from = attempt.railFrom(port, source);
      boolean meant = reject.connectionId() == 0 || reject.connectionId() == c.id();
      if (meant && from != null) {
        onReject(c, attempt, from, reject, nowNs);
      }
    }
  }

  private void onReject(
      Connection c, HandshakeAttempt attempt, SeedRail from, Reject reject, long nowNs) {
    String name = Reject.reasonName(reject.reason());
    String why =
        "rejected by "
            + from.seed
            + " ("
            + name
            + "): "
            + reject.text()
            + (reject.reason() == Reject.VERSION
                ? "; this node speaks version "
                    + PacketHeader.WIRE_VERSION
                    + "; run the same release on both sides"
                : "");
    boolean news = !why.equals(c.problem());
    c.problem(why);
    if (reject.reason() == Reject.RESTARTED && reject.connectionId() != 0) {
      c.onSuperseded(reject.text(), nowNs);
      return;
    }
    if (reject.reason() == Reject.ENDED) {
      if (reject.connectionId() == c.id()) {
        host.renumber(c);
        attempt.onRefused(from, nowNs);
      }
      return;
    }
    attempt.onRefused(
        from, nowNs + (reject.reason() == Reject.NAME_TAKEN ? UNUSABLE_NS : REFUSED_NS));
    if (news) {
      events.onEvent(new NodeEvent.Rejected(c.wantedName(), from.seed.text(), name, reject.text()));
    }
  }
}

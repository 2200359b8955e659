// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.handshake;

import io.crosstie.multirail.config.EndpointConfig;
import io.crosstie.multirail.connection.Connection;
import io.crosstie.multirail.event.EventSink;
import io.crosstie.multirail.event.NodeEvent;
import io.crosstie.multirail.path.RailPath;
import io.crosstie.reliability.wire.Hello;
import io.crosstie.reliability.wire.Init;
import io.crosstie.reliability.wire.Introduction;
import io.crosstie.reliability.wire.NodeName;
import io.crosstie.reliability.wire.PacketHeader;
import io.crosstie.reliability.wire.Reject;
import io.crosstie.reliability.wire.Retry;
import io.crosstie.reliability.wire.Welcome;
import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailPort;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The side that begins connections: knows which peers are to be connected and by which seeds, tries
 * them with INIT, with back-off, for ever, and answers a cookie with HELLO; and what it makes of
 * the answers: RETRY, WELCOME and REJECT.
 *
 * <p>Of two opens that cross, the one by the lower (name, incarnation) survives; the other side's
 * half-open connection becomes the accepted one, so its channels stay what they are.
 */
final class Initiator {
  private static final int MAX_TARGETS = 65536;

  /** Who rejected us is asked again so much later. */
  private static final long REFUSED_NS = 200_000_000L;

  /** And so much later who gave an answer that is of no use until a process is started anew. */
  private static final long UNUSABLE_NS = 1_000_000_000L;

  /** A peer that has answered an INIT of ours no longer ago than this is about to accept. */
  private static final long UNDER_WAY_NS = 2_000_000_000L;

  private final HandshakeHost host;
  private final EndpointConfig config;
  private final HandshakePackets packets;
  private final FormerConnections formers;
  private final RailPairing pairing;
  private final EventSink events;
  private final InitQueue queue = new InitQueue();
  private final Map<String, List<RailAddress>> targets = new HashMap<>();
  private SeedResolver resolver = SeedResolver.AS_WRITTEN;

  Initiator(
      HandshakeHost host,
      EndpointConfig config,
      HandshakePackets packets,
      FormerConnections formers,
      RailPairing pairing,
      EventSink events) {
    this.host = host;
    this.config = config;
    this.packets = packets;
    this.formers = formers;
    this.pairing = pairing;
    this.events = events;
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
    } else if (seeds != null && !c.reconnected() && existing(c.wantedName()) == null) {
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

  /** When {@link #onTimers} has to be called at the latest. */
  long deadlineNs() {
    return queue.earliestNs();
  }

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
    pairing.connectSeeds(c, attempt);
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
    Introduction own = packets.introduction(c.id(), rail.port, rail.rail);
    long previousId = formers.previousId(c.wantedName(), host.connections());
    Hello hello =
        new Hello(
            PacketHeader.WIRE_VERSION,
            HandshakePackets.FIRST_RAIL,
            attempt.cookie(),
            c.wantedName(),
            previousId,
            own);
    c.onAddressesTold(hello.addressesThatFit() == own.addresses().size());
    packets.send(rail, hello::encode);
  }

  // ---- the answers ----

  void onRetry(RailPort port, long source, @Nullable Retry retry, long nowNs) {
    if (retry == null || retry.incarnation() != config.incarnation()) {
      return;
    }
    for (HandshakeAttempt attempt : queue.all()) {
      Connection c = attempt.connection();
      try {
        SeedRail from = attempt.railFrom(port, source);
        if (from != null) {
          onRetry(c, attempt, from, retry, nowNs);
        }
      } catch (RuntimeException | Error x) {
        host.onError(c, x);
      }
    }
  }

  private void onRetry(
      Connection c, HandshakeAttempt attempt, SeedRail from, Retry retry, long nowNs) {
    if (formers.isSuperseded(c.wantedName(), retry.responder())) {
      c.problem("rejected: " + from.seed + " is a process that was superseded by a newer one");
      attempt.onRefused(from, nowNs + UNUSABLE_NS);
    } else if (attempt.answered() == null || attempt.answered() == from) {
      boolean another = attempt.makeKnownTo(retry.responder());
      if (another) {
        host.renumber(c);
      }
      attempt.onRetry(from, retry.cookie(), another, nowNs);
    }
  }

  /**
   * A WELCOME came.
   *
   * @param arrivedNs when it did, to tell the round trip
   * @return false if it does not fit the HELLO, and so is invalid
   */
  boolean onWelcome(
      RailPort port, long source, @Nullable Welcome welcome, long arrivedNs, long nowNs) {
    if (welcome == null || welcome.toIncarnation() != config.incarnation()) {
      return true;
    }
    Connection c = host.connectionById(welcome.toConnectionId());
    HandshakeAttempt attempt = c == null ? null : queue.of(c);
    SeedRail from = attempt == null ? null : attempt.railFrom(port, source);
    if (c == null || attempt == null || from == null || c.state() != Connection.State.CONNECTING) {
      return true;
    }
    if (welcome.rail() != HandshakePackets.FIRST_RAIL) {
      return false;
    }
    try {
      onWelcome(c, attempt, from, welcome, arrivedNs, nowNs);
    } catch (RuntimeException | Error x) {
      host.onError(c, x);
    }
    return true;
  }

  private void onWelcome(
      Connection c,
      HandshakeAttempt attempt,
      SeedRail from,
      Welcome welcome,
      long arrivedNs,
      long nowNs) {
    Introduction peer = welcome.sender();
    String why = packets.whyIncompatible(peer.limits());
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
    if (formers.isSuperseded(peer.name(), peer.incarnation())) {
      return; // it was asked before it was superseded
    }
    long roundTripNs = attempt.roundTripNs(arrivedNs);
    attempt.end(from);
    HandshakeAttempt unused = queue.remove(c);
    pairing.setSeeds(c, attempt.seeds());
    pairing.establish(
        c, from.portIndex, welcome.rail(), from.rail, from.committed(), peer, roundTripNs, nowNs);
    RailPath path = c.path(welcome.rail());
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
    c.problem("rejected: " + from.seed + " answers, but " + why + "; run the same release on both");
    packets.close(from, peer.connectionId());
    attempt.onRefused(from, nowNs + UNUSABLE_NS);
  }

  void onReject(RailPort port, long source, @Nullable Reject reject, long nowNs) {
    if (reject == null || reject.incarnation() != config.incarnation()) {
      return;
    }
    Connection established = host.connectionById(reject.connectionId());
    if (established != null && established.state() != Connection.State.CONNECTING) {
      if (reject.reason() == Reject.RESTARTED) { // only the peer knows that id
        supersede(established, reject.text(), nowNs);
      }
      return;
    }
    for (HandshakeAttempt attempt : queue.all()) {
      Connection c = attempt.connection();
      boolean meant = reject.connectionId() == 0 || reject.connectionId() == c.id();
      try {
        SeedRail from = attempt.railFrom(port, source);
        if (meant && from != null) {
          onReject(c, attempt, from, reject, nowNs);
        }
      } catch (RuntimeException | Error x) {
        host.onError(c, x);
      }
    }
  }

  private void supersede(Connection c, String text, long nowNs) {
    try {
      c.onSuperseded(text, nowNs);
    } catch (RuntimeException | Error x) {
      host.onError(c, x);
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
    boolean isNew = !why.equals(c.problem());
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
    if (isNew) {
      events.onEvent(new NodeEvent.Rejected(c.wantedName(), from.seed.text(), name, reject.text()));
    }
  }

  // ---- opens that cross ----

  /** Whether this side's open goes on, and the peer's, whose HELLO has come, does not. */
  boolean oursSurvives(Connection halfOpen, Introduction peer, long nowNs) {
    HandshakeAttempt attempt = queue.of(halfOpen);
    return attempt != null
        && attempt.wasAnswered(UNDER_WAY_NS, nowNs)
        && isLower(config.name(), config.incarnation(), peer.name(), peer.incarnation());
  }

  private static boolean isLower(String nameA, long incarnationA, String nameB, long incarnationB) {
    int byName = nameA.compareTo(nameB);
    return byName < 0 || (byName == 0 && incarnationA < incarnationB);
  }

  /**
   * This side's open ends, and its half-open connection becomes the accepted one.
   *
   * @param previousId under which the peer has sent last to this side
   */
  void yieldTo(Connection halfOpen, Introduction peer, long previousId) {
    HandshakeAttempt attempt = queue.remove(halfOpen);
    if (attempt != null) {
      if (attempt.makeKnownTo(peer.incarnation())) {
        host.renumber(halfOpen);
      }
      attempt.end(null);
    }
    if (halfOpen.id() == previousId) {
      host.renumber(halfOpen); // the peer had accepted it, and has lost it since
    }
    halfOpen.becomeResponder();
  }
}

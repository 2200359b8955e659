// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.handshake;

import io.crosstie.multirail.connection.Connection;
import io.crosstie.multirail.event.EndpointCounter;
import io.crosstie.multirail.event.EventSink;
import io.crosstie.multirail.event.NodeEvent;
import io.crosstie.multirail.event.RailState;
import io.crosstie.multirail.path.RailPath;
import io.crosstie.multirail.port.PortTable;
import io.crosstie.reliability.wire.Introduction;
import io.crosstie.reliability.wire.PacketHeader;
import io.crosstie.transport.Counters;
import io.crosstie.transport.Rail;
import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailException;
import io.crosstie.transport.RailPort;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Makes rails out of this node's ports and the peer's addresses. Only the initiator does, so both
 * sides agree on the numbers.
 *
 * <p>Each address of the peer is paired with the reachable port whose own address looks most like
 * it (same subnet first) and which has the fewest rails so far; ports left over get the address
 * most like theirs. So two nodes with two NICs each have two rails, and one with a single NIC
 * reaches both NICs of the other.
 */
public final class RailPairing {
  private static final String NO_ANSWER = "no answer";

  private final PortTable ports;
  private final Counters<EndpointCounter> counters;
  private final EventSink events;

  /** Where peers were looked for at first, by the connections that this side began. */
  private final Map<Connection, SeedAddresses> seeds = new HashMap<>();

  /** Of a peer's addresses, the ones that the application was told that no port leads to. */
  private final Map<Connection, Set<RailAddress>> declined = new HashMap<>();

  RailPairing(PortTable ports, Counters<EndpointCounter> counters, EventSink events) {
    this.ports = ports;
    this.counters = counters;
    this.events = events;
  }

  /** Makes a rail of what a port has received last. */
  Rail accept(RailPort port) throws RailException {
    return ports.accept(port);
  }

  /**
   * The rail that a handshake has used becomes the first of its connection, which is up with it.
   *
   * @param railId what both sides call the rail
   * @param committed packets that this side has committed on it
   * @param roundTripNs the handshake's own; 0 if it is not known
   */
  void establish(
      Connection c,
      int portIndex,
      int railId,
      Rail rail,
      int committed,
      Introduction peer,
      long roundTripNs,
      long nowNs) {
    c.establish(portIndex, railId, rail, committed, peer, roundTripNs, nowNs);
    pair(c, nowNs);
    c.activate();
  }

  /** The rail that a handshake has used leaves from that port from now on. */
  void moveTo(
      Connection c, RailPath path, RailPort port, int portIndex, long roundTripNs, long nowNs) {
    try {
      c.railSet().move(path, portIndex, ports.accept(port), roundTripNs, nowNs);
    } catch (RailException x) {
      c.problem(String.valueOf(x.getMessage()));
    }
  }

  // ---- the rails of a handshake ----

  /**
   * Opens the rails that an attempt tries its seeds by.
   *
   * <p>Every seed is tried from the port whose address is most like it, as rails are paired:
   * another one may be able to send there, and yet not be where the answer comes back to. Where no
   * answer has come for a while that port may be the one that is deaf, so the next one is tried as
   * well, one more each time. The connection says what is wrong with each so far.
   */
  void connectSeeds(Connection c, HandshakeAttempt attempt) {
    StringBuilder why = new StringBuilder(String.join("; ", attempt.seeds().problems()));
    for (RailAddress seed : attempt.seeds().addresses()) {
      String reason = "no rail of this node has the scheme \"" + seed.scheme() + "\"";
      RailPort best = null;
      int bestIndex = -1;
      int bestLikeness = -1;
      boolean isTried = false;
      for (int i = 0; i < ports.size(); i++) {
        RailPort port = ports.port(i);
        if (port == null) {
          continue;
        }
        String unreachable = port.whyUnreachable(seed);
        int likeness = likeness(port.localAddress(), seed);
        if (attempt.hasRail(i, seed)) {
          isTried = true;
        } else if (unreachable == null && likeness > bestLikeness) {
          best = port;
          bestIndex = i;
          bestLikeness = likeness;
        } else if (unreachable != null && ports.name(i).startsWith(seed.scheme())) {
          reason = unreachable;
        }
      }
      String problem = isTried ? NO_ANSWER : reason;
      if (best != null && !(isTried && attempt.isNew())) {
        problem = connectSeed(attempt, best, bestIndex, seed);
      }
      why.append(why.isEmpty() ? "" : "; ").append(seed).append(": ").append(problem);
    }
    if (attempt.answered() == null && !c.problem().startsWith("rejected")) {
      c.problem(why.toString());
    }
  }

  /** Returns what is wrong so far. */
  private String connectSeed(
      HandshakeAttempt attempt, RailPort port, int portIndex, RailAddress seed) {
    try {
      attempt.add(new SeedRail(portIndex, port, ports.connect(port, seed), seed));
      return NO_ANSWER;
    } catch (RailException x) {
      return String.valueOf(x.getMessage());
    }
  }

  // ---- further rails ----

  /** This side began the connection, with those. */
  void setSeeds(Connection c, SeedAddresses addresses) {
    seeds.put(c, addresses);
  }

  void onGone(Connection c) {
    seeds.remove(c);
    declined.remove(c);
  }

  public void pair(Connection c, long nowNs) {
    if (c.state() == Connection.State.UP) {
      reportUnreachable(c);
    }
    if (!c.isInitiator() || c.state() != Connection.State.UP) {
      return;
    }
    replaceAddresses(c, nowNs);
    dropUnknown(c, nowNs);
    pairEach(c, c.peerAddresses(), nowNs);
    for (int i = 0; i < ports.size(); i++) {
      RailPort port = ports.port(i);
      if (port == null || rails(c, i) > 0) {
        continue;
      }
      RailAddress best = null;
      for (RailAddress remote : c.peerAddresses()) {
        if (port.whyUnreachable(remote) == null
            && (best == null
                || likeness(port.localAddress(), remote) > likeness(port.localAddress(), best))) {
          best = remote;
        }
      }
      if (best != null) {
        add(c, i, best, nowNs);
      }
    }
  }

  /** Says of each address once that no port of its kind leads there, and why. */
  private void reportUnreachable(Connection c) {
    Set<RailAddress> reported = declined.computeIfAbsent(c, of -> new HashSet<>());
    reported.retainAll(c.peerAddresses());
    for (RailAddress remote : c.peerAddresses()) {
      String name = "";
      String why = null;
      boolean reachable = false;
      for (int i = 0; i < ports.size(); i++) {
        RailPort port = ports.port(i);
        if (port != null && port.localAddress().scheme().equals(remote.scheme())) {
          name = ports.name(i);
          why = port.whyUnreachable(remote);
          reachable |= why == null;
        }
      }
      if (why != null && !reachable && reported.add(remote)) {
        counters.increment(EndpointCounter.ADDRESSES_DECLINED);
        events.onEvent(new NodeEvent.RailDeclined(c.peerName(), name, remote.text(), why));
      }
    }
  }

  /**
   * Tries the addresses as well that the connection was begun with. For when no rail is left that
   * could bring news: what the peer advertised last may have been a port that was closed just then.
   */
  public void pairSeeds(Connection c, long nowNs) {
    if (c.isInitiator() && c.state() == Connection.State.UP) {
      SeedAddresses from = seeds.getOrDefault(c, SeedAddresses.NONE);
      from.refresh(nowNs);
      pairEach(c, from.addresses(), nowNs);
    }
  }

  private void pairEach(Connection c, List<RailAddress> remotes, long nowNs) {
    for (RailAddress remote : remotes) {
      if (!isPaired(c, remote)) {
        int best = -1;
        long bestScore = Long.MIN_VALUE;
        for (int i = 0; i < ports.size(); i++) {
          RailPort port = ports.port(i);
          if (port != null && port.whyUnreachable(remote) == null) {
            long score = likeness(port.localAddress(), remote) - 1000L * rails(c, i);
            if (score > bestScore) {
              bestScore = score;
              best = i;
            }
          }
        }
        if (best >= 0) {
          add(c, best, remote, nowNs);
        }
      }
    }
  }

  /**
   * A peer's port that was opened anew may have another address: the rail that led to the old one
   * takes it over.
   */
  private void replaceAddresses(Connection c, long nowNs) {
    for (int i = 0; i < c.pathCount(); i++) {
      RailPath path = c.path(i);
      RailAddress before = path == null ? null : path.link().remote();
      if (path == null
          || path.state() == RailState.REMOVED
          || (path.isOpen() && path.state() == RailState.ACTIVE)
          || before == null
          || c.peerAddresses().contains(before)) {
        continue;
      }
      RailPort port = ports.port(path.link().portIndex());
      for (RailAddress remote : c.peerAddresses()) {
        if (port != null
            && !isPaired(c, remote)
            && remote.scheme().equals(before.scheme())
            && port.whyUnreachable(remote) == null) {
          c.railSet().close(path, "peer moved", nowNs);
          path.link().leadTo(remote);
          if (path.health().wasActive()) { // else a peer had it tried whenever it tells of another
            path.link().connectNow(nowNs);
          }
          break;
        }
      }
    }
  }

  /** Gives up what was never of use and leads where the peer says it is not. */
  private void dropUnknown(Connection c, long nowNs) {
    for (int i = 0; i < c.pathCount(); i++) {
      RailPath path = c.path(i);
      RailAddress remote = path == null ? null : path.link().remote();
      if (path == null || path.state() != RailState.UNVALIDATED || remote == null) {
        continue;
      }
      RailAddress alias = path.link().remoteAlias();
      RailAddress given = alias == null ? remote : alias;
      if (!c.peerAddresses().contains(remote)
          && !seeds.getOrDefault(c, SeedAddresses.NONE).addresses().contains(given)) {
        c.railSet().remove(path, nowNs);
      }
    }
  }

  private void add(Connection c, int portIndex, RailAddress remote, long nowNs) {
    int id = freeId(c);
    RailPort port = ports.port(portIndex);
    if (id < 0 || port == null) {
      return;
    }
    Rail rail = null;
    try {
      rail = ports.connect(port, remote);
    } catch (RailException e) {
      c.problem(String.valueOf(e.getMessage()));
    }
    RailPath same = rail == null ? null : leadingTo(c, portIndex, rail.remoteAddress());
    if (rail != null && same != null) {
      rail.close(); // the same address under another name
      same.link().alsoKnownAs(remote);
      return;
    }
    RailPath path = c.path(id);
    if (path == null) {
      path = c.railSet().add(id, portIndex, nowNs);
    } else {
      c.railSet().reopen(path, portIndex, nowNs);
    }
    path.link().alsoKnownAs(remote);
    path.link().leadTo(remote);
    if (rail != null) {
      path.attach(rail, 0, nowNs);
      path.probing().probeNow(nowNs);
    } else {
      path.link().connectLater(nowNs);
    }
    c.railSet().refresh();
    c.activate();
  }

  /**
   * A number that was never used, else that of the rail that was removed longest ago, of which the
   * peer has surely heard; -1 if there is none. A number that comes back while the peer still has
   * the old rail by it, or gives it to another, is of no use to either.
   */
  private static int freeId(Connection c) {
    int removed = -1;
    long sinceNs = 0;
    for (int id = 0; id <= PacketHeader.MAX_RAIL; id++) {
      RailPath path = c.path(id);
      if (path == null) {
        return id;
      }
      if (path.state() == RailState.REMOVED
          && (removed < 0 || path.health().stateSinceNs() - sinceNs < 0)) {
        removed = id;
        sinceNs = path.health().stateSinceNs();
      }
    }
    return removed;
  }

  private static @Nullable RailPath leadingTo(Connection c, int portIndex, RailAddress remote) {
    for (int i = 0; i < c.pathCount(); i++) {
      RailPath path = c.path(i);
      if (path != null
          && path.state() != RailState.REMOVED
          && path.link().portIndex() == portIndex
          && remote.equals(path.link().remote())) {
        return path;
      }
    }
    return null;
  }

  private static boolean isPaired(Connection c, RailAddress remote) {
    for (int i = 0; i < c.pathCount(); i++) {
      RailPath path = c.path(i);
      if (path != null
          && path.state() != RailState.REMOVED
          && (remote.equals(path.link().remote()) || remote.equals(path.link().remoteAlias()))) {
        return true;
      }
    }
    return false;
  }

  private static int rails(Connection c, int portIndex) {
    int n = 0;
    for (int i = 0; i < c.pathCount(); i++) {
      RailPath path = c.path(i);
      if (path != null
          && path.link().portIndex() == portIndex
          && path.state() != RailState.REMOVED) {
        n++;
      }
    }
    return n;
  }

  /**
   * How many characters two addresses have in common from the left: the same subnet scores higher.
   */
  static int likeness(RailAddress a, RailAddress b) {
    String x = a.text();
    String y = b.text();
    int n = 0;
    while (n < x.length() && n < y.length() && x.charAt(n) == y.charAt(n)) {
      n++;
    }
    return n;
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail;

import io.crosstie.reliability.wire.PacketHeader;
import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailException;
import io.crosstie.transport.RailPort;

/**
 * Makes rails out of this node's ports and the peer's addresses. Only the initiator does, so both
 * sides agree on the numbers.
 *
 * <p>Each address of the peer is paired with the reachable port whose own address looks most like
 * it (same subnet first) and which has the fewest rails so far; ports left over get the address
 * most like theirs. So two nodes with two NICs each have two rails, and one with a single NIC
 * reaches both NICs of the other.
 */
final class RailPairing {
  private RailPairing() {}

  static void pair(Endpoint endpoint, Connection c, long nowNs) {
    if (!c.initiator || c.state() != Connection.State.UP) {
      return;
    }
    replaceAddresses(endpoint, c, nowNs);
    for (RailAddress remote : c.peerAddresses) {
      if (!isPaired(c, remote)) {
        int best = -1;
        long bestScore = Long.MIN_VALUE;
        for (PortSlot slot : endpoint.slots()) {
          RailPort port = slot.port;
          if (port != null && !slot.removed && port.whyUnreachable(remote) == null) {
            long score = likeness(port.localAddress(), remote) - 1000L * rails(c, slot.index);
            if (score > bestScore) {
              bestScore = score;
              best = slot.index;
            }
          }
        }
        if (best >= 0) {
          add(endpoint, c, best, remote, nowNs);
        }
      }
    }
    for (PortSlot slot : endpoint.slots()) {
      RailPort port = slot.port;
      if (port == null || slot.removed || rails(c, slot.index) > 0) {
        continue;
      }
      RailAddress best = null;
      for (RailAddress remote : c.peerAddresses) {
        if (port.whyUnreachable(remote) == null
            && (best == null
                || likeness(port.localAddress(), remote) > likeness(port.localAddress(), best))) {
          best = remote;
        }
      }
      if (best != null) {
        add(endpoint, c, slot.index, best, nowNs);
      }
    }
  }

  /**
   * A peer's port that was opened anew may have another address: the rail that led to the old one
   * takes it over.
   */
  private static void replaceAddresses(Endpoint endpoint, Connection c, long nowNs) {
    for (int i = 0; i < c.pathCount; i++) {
      RailPath path = c.paths[i];
      if (path == null
          || path.state == RailState.REMOVED
          || (path.isOpen() && path.state == RailState.ACTIVE)
          || path.remote == null
          || c.peerAddresses.contains(path.remote)) {
        continue;
      }
      RailPort port = endpoint.port(path.portIndex);
      for (RailAddress remote : c.peerAddresses) {
        if (port != null
            && !isPaired(c, remote)
            && remote.scheme().equals(path.remote.scheme())
            && port.whyUnreachable(remote) == null) {
          c.health.onClosed(path, "peer moved", nowNs);
          path.remote = remote;
          path.nextConnectNs = nowNs;
          break;
        }
      }
    }
  }

  private static void add(
      Endpoint endpoint, Connection c, int portIndex, RailAddress remote, long nowNs) {
    int id = 0;
    while (id <= PacketHeader.MAX_RAIL && c.paths[id] != null) {
      id++;
    }
    RailPort port = endpoint.port(portIndex);
    if (id > PacketHeader.MAX_RAIL || port == null) {
      return;
    }
    RailPath path = c.addPath(id, portIndex, nowNs);
    path.remote = remote;
    try {
      path.attach(port.connect(remote), nowNs);
      path.nextProbeNs = nowNs;
    } catch (RailException e) {
      c.problem(String.valueOf(e.getMessage()));
      path.nextConnectNs = nowNs + 100_000_000L;
    }
    c.refreshRails();
    endpoint.activate(c);
  }

  private static boolean isPaired(Connection c, RailAddress remote) {
    for (int i = 0; i < c.pathCount; i++) {
      RailPath path = c.paths[i];
      if (path != null && path.state != RailState.REMOVED && remote.equals(path.remote)) {
        return true;
      }
    }
    return false;
  }

  private static int rails(Connection c, int portIndex) {
    int n = 0;
    for (int i = 0; i < c.pathCount; i++) {
      RailPath path = c.paths[i];
      if (path != null && path.portIndex == portIndex && path.state != RailState.REMOVED) {
        n++;
      }
    }
    return n;
  }

  /**
   * How many characters two addresses have in common from the left: the same subnet scores higher.
   */
  private static int likeness(RailAddress a, RailAddress b) {
    String x = a.text();
    String y = b.text();
    int n = 0;
    while (n < x.length() && n < y.length() && x.charAt(n) == y.charAt(n)) {
      n++;
    }
    return n;
  }
}

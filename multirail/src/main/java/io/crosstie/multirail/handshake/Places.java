// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.handshake;

import io.crosstie.multirail.Endpoint;
import io.crosstie.multirail.connection.Connection;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The places that there are for connections of peers that were not configured (R24, R31): bounded,
 * and no address can take all of them. Connections that nobody confirms leave theirs to others.
 */
public final class Places {
  /** A node has one name, so an address has one, and for a while those of its former lives. */
  public static final int MAX_PER_ADDRESS = 8;

  /** A host may take all but one of so many parts of the places, where there are enough. */
  private static final int PARTS = 8;

  private static final int FEW = 64;
  private static final long CONFIRM_NS = 1_000_000_000L;

  /** Where the handshake of a connection came from. */
  private record Origin(String address, String host) {}

  private final Endpoint e;
  private final Map<Connection, Origin> accepted = new HashMap<>();

  Places(Endpoint endpoint) {
    this.e = endpoint;
  }

  void accepted(Connection c, String from) {
    Origin unused = accepted.put(c, new Origin(from, host(from)));
  }

  void onGone(Connection c) {
    Origin unused = accepted.remove(c);
  }

  /** Why a peer of that name and address cannot have a place now; null if it can. */
  @Nullable String whyFull(String name, String address, long nowNs) {
    int bound = e.config.maxConnections();
    int all = 0;
    int ofAddress = 0;
    int ofHost = 0;
    String host = host(address);
    Connection oldest = null;
    for (Connection c : e.connections()) {
      all++;
      Origin origin = accepted.get(c);
      if (origin == null || c.state().isOver()) {
        continue;
      }
      ofAddress += origin.address.equals(address) ? 1 : 0;
      ofHost += origin.host.equals(host) ? 1 : 0;
      boolean older = oldest == null || c.unconfirmedSinceNs() < oldest.unconfirmedSinceNs();
      oldest = older ? c : oldest;
    }
    if (ofAddress >= MAX_PER_ADDRESS) {
      return ofAddress + " other nodes are connected from " + address + "; a node has one name";
    }
    if (e.listener.isConfigured(name)) {
      return null;
    }
    int mostOfHost = bound < FEW ? bound : bound - bound / PARTS;
    if (all < bound && ofHost < mostOfHost) {
      return null;
    }
    if (oldest != null && nowNs - CONFIRM_NS >= oldest.unconfirmedSinceNs()) {
      oldest.onLost("it was never confirmed, and its place is needed", nowNs);
      return null;
    }
    return all >= bound
        ? "\"" + e.config.name() + "\" has its bound of " + bound + " connections"
        : "\"" + e.config.name() + "\" takes " + mostOfHost + " connections from one host";
  }

  /** An address without its port. */
  static String host(String address) {
    int colon = address.lastIndexOf(':');
    return colon < 0 ? address : address.substring(0, colon);
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.handshake;

import io.crosstie.multirail.config.EndpointConfig;
import io.crosstie.multirail.connection.Connection;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * How many connections with peers that were not configured are accepted (R24, R31): bounded, and
 * not all from one address. If there are too many, one that its peer has not confirmed gives way.
 */
public final class ConnectionLimits {
  /** A node has one name, so an address has one, and for a while those of its predecessors. */
  public static final int MAX_PER_ADDRESS = 8;

  /** A host may have all but one of so many parts of the connections, if these are not few. */
  private static final int PARTS = 8;

  private static final int FEW = 64;
  private static final long CONFIRM_NS = 1_000_000_000L;

  /** Where the handshake of an accepted connection came from. */
  private record Origin(String address, String host) {}

  private final HandshakeHost host;
  private final EndpointConfig config;
  private final Predicate<String> isConfigured;
  private final Map<Connection, Origin> origins = new HashMap<>();

  /**
   * @param isConfigured whether the peer of that name was configured
   */
  ConnectionLimits(HandshakeHost host, EndpointConfig config, Predicate<String> isConfigured) {
    this.host = host;
    this.config = config;
    this.isConfigured = isConfigured;
  }

  void onAccepted(Connection c, String from) {
    Origin unused = origins.put(c, new Origin(from, host(from)));
  }

  void onGone(Connection c) {
    Origin unused = origins.remove(c);
  }

  /**
   * Why a peer of that name and address cannot be accepted now; null if it can, and then one that
   * was never confirmed may have ended to make room.
   */
  @Nullable String whyFull(String name, String address, long nowNs) {
    int bound = config.maxConnections();
    int all = 0;
    int ofAddress = 0;
    int ofHost = 0;
    String hostName = host(address);
    Connection oldest = null;
    for (Connection c : host.connections()) {
      all++;
      Origin origin = origins.get(c);
      if (origin == null || c.state().isOver()) {
        continue;
      }
      ofAddress += origin.address.equals(address) ? 1 : 0;
      ofHost += origin.host.equals(hostName) ? 1 : 0;
      boolean older = oldest == null || c.unconfirmedSinceNs() < oldest.unconfirmedSinceNs();
      oldest = older ? c : oldest;
    }
    if (ofAddress >= MAX_PER_ADDRESS) {
      return ofAddress + " other nodes are connected from " + address + "; a node has one name";
    }
    if (isConfigured.test(name)) {
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
        ? "\"" + config.name() + "\" has its bound of " + bound + " connections"
        : "\"" + config.name() + "\" takes " + mostOfHost + " connections from one host";
  }

  /** An address without its port. */
  private static String host(String address) {
    int colon = address.lastIndexOf(':');
    return colon < 0 ? address : address.substring(0, colon);
  }
}

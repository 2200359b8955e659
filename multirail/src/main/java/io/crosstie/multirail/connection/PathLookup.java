// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.connection;

import io.crosstie.multirail.event.RailState;
import io.crosstie.multirail.path.PathListener;
import io.crosstie.multirail.path.Paths;
import io.crosstie.multirail.path.RailHealth;
import io.crosstie.multirail.path.RailPath;
import io.crosstie.multirail.port.PortTable;
import io.crosstie.reliability.wire.Frames;
import io.crosstie.reliability.wire.PacketHeader;
import io.crosstie.transport.Rail;
import io.crosstie.transport.RailException;
import io.crosstie.transport.RailPort;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Finds the path that a packet came by, and begins those that the peer has begun. */
final class PathLookup {
  private final Paths paths;
  private final PortTable ports;
  private final RailHealth health;
  private final ControlContent control;
  private final ConnectionRails rails;
  private final BooleanSupplier isInitiator;
  private final PathListener listener;

  /**
   * For one connection.
   *
   * @param isInitiator whether this side numbers the rails
   */
  PathLookup(
      Paths paths,
      PortTable ports,
      RailHealth health,
      ControlContent control,
      ConnectionRails rails,
      BooleanSupplier isInitiator,
      PathListener listener) {
    this.paths = paths;
    this.ports = ports;
    this.health = health;
    this.control = control;
    this.rails = rails;
    this.isInitiator = isInitiator;
    this.listener = listener;
  }

  /**
   * The path that a packet came by; the accepting side learns paths, and new rails behind old ones,
   * from here.
   */
  @SuppressWarnings("ReferenceEquality") // this very port, not one like it
  @Nullable RailPath of(
      RailPort port, int portIndex, byte[] h, int headerLength, long source, long nowNs) {
    int id = PacketHeader.rail(h, 0);
    RailPath path = paths.get(id);
    if (path == null) {
      if (isInitiator.getAsBoolean() || !hasChallenge(h, headerLength)) {
        return null; // the initiator numbers the rails, and begins each with a challenge
      }
      path = rails.addOfPeer(id, portIndex, nowNs);
      if (path == null) {
        return null; // its next challenge asks again
      }
    } else if (path.state() == RailState.REMOVED) {
      if (isInitiator.getAsBoolean() || !hasChallenge(h, headerLength)) {
        control.railGone(id); // it was not heard of, and would be probed for ever
        listener.activate();
        return null;
      }
      rails.reopen(path, portIndex, nowNs); // the port was taken out, and is in again
    }
    Rail rail = path.link().rail();
    if (rail != null && rail.port() == port && rail.remoteKey() == source && rail.isOpen()) {
      return path;
    }
    boolean replace =
        rail == null || !rail.isOpen() || rail.port() != port || path.state() != RailState.ACTIVE;
    if (replace && path.link().portIndex() == portIndex) {
      adopt(path, port, source, nowNs);
    }
    return path;
  }

  private void adopt(RailPath path, RailPort port, long source, long nowNs) {
    try {
      Rail rail = ports.accept(port);
      if (rail.remoteKey() != source) {
        rail.close();
        return;
      }
      if (path.link().rail() != null) {
        health.onClosed(path, "peer came back by another way", nowNs);
      }
      path.attach(rail, 0, nowNs);
      path.probing().challengeNow();
      control.news();
      path.probing().probeNow(nowNs);
      rails.refresh();
    } catch (RailException e) {
      listener.problem(String.valueOf(e.getMessage()));
    }
  }

  private static boolean hasChallenge(byte[] h, int headerLength) {
    for (int f = PacketHeader.LENGTH; f < headerLength; f += Frames.length(h, f)) {
      if (Frames.type(h, f) == Frames.CHALLENGE) {
        return true;
      }
    }
    return false;
  }
}

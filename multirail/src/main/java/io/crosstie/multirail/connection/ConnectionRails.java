// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.connection;

import io.crosstie.multirail.event.RailState;
import io.crosstie.multirail.path.PathListener;
import io.crosstie.multirail.path.Paths;
import io.crosstie.multirail.path.RailCounter;
import io.crosstie.multirail.path.RailHealth;
import io.crosstie.multirail.path.RailLink;
import io.crosstie.multirail.path.RailPath;
import io.crosstie.reliability.congestion.RateController;
import io.crosstie.transport.Counters;
import io.crosstie.transport.LinkEvent;
import io.crosstie.transport.Rail;
import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailPort;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How the rails of a connection begin and end: by the handshake, by the peer's first packet, with
 * the ports that they leave by; and what others may see of them.
 */
public final class ConnectionRails {
  /** What a rail is taken to carry before anything was measured, in bytes per second. */
  private static final long INITIAL_RATE = 125_000_000L;

  /**
   * A rail as others may see it.
   *
   * @param name local and remote address
   * @param kind the driver's word for itself
   */
  public record RailInfo(
      int id,
      String name,
      String kind,
      RailState state,
      String local,
      String remote,
      Counters<RailCounter> counters) {}

  private final NodeParts node;
  private final Paths paths;
  private final RailHealth health;
  private final ControlContent control;
  private final ChannelTable channels;
  private final PathListener listener;
  private volatile List<RailInfo> infos = List.of();

  ConnectionRails(
      NodeParts node,
      Paths paths,
      RailHealth health,
      ControlContent control,
      ChannelTable channels,
      PathListener listener) {
    this.node = node;
    this.paths = paths;
    this.health = health;
    this.control = control;
    this.channels = channels;
    this.listener = listener;
  }

  // ---- what others may see ----

  /** Snapshot; any thread. */
  List<RailInfo> infos() {
    return infos;
  }

  /** Something that others may see has changed. */
  public void refresh() {
    List<RailInfo> list = new ArrayList<>();
    for (int i = 0; i < paths.count(); i++) {
      RailPath path = paths.get(i);
      if (path != null) {
        RailPort port = node.ports().port(path.link().portIndex());
        if (port != null && path.state() != RailState.REMOVED) { // else it may be another's by now
          path.link().isOfKind(port.attributes().kind());
        }
        RailAddress remote = path.link().remote();
        list.add(
            new RailInfo(
                path.id(),
                path.link().name(),
                path.link().kind(),
                path.state(),
                path.link().name(),
                remote == null ? "" : remote.text(),
                path.counters()));
      }
    }
    infos = List.copyOf(list);
  }

  /** Brings what is measured rather than counted up to date. */
  void gauges(long nowNs) {
    for (int i = 0; i < paths.count(); i++) {
      RailPath path = paths.get(i);
      if (path != null) {
        path.gauges(nowNs);
      }
    }
  }

  // ---- one rail ----

  /** A rail that the peer begins; null if there is no memory for it now. */
  @Nullable RailPath addOfPeer(int id, int portIndex, long nowNs) {
    return channels.tryBeginRail() ? add(id, portIndex, nowNs) : null;
  }

  /** One that leads nowhere yet, by a number that was never used. */
  public RailPath add(int id, int portIndex, long nowNs) {
    RailPath path =
        new RailPath(
            id,
            new RailLink(portIndex, localName(portIndex), node.ports().weight(portIndex)),
            new RateController(INITIAL_RATE, RailPath.BASE_PACKET),
            node.clock(),
            node.config().maxAckDelayNs(),
            node.planted(),
            nowNs);
    paths.add(path);
    refresh();
    return path;
  }

  private String localName(int portIndex) {
    RailPort port = node.ports().port(portIndex);
    return port == null ? "port " + portIndex : port.localAddress().text();
  }

  /** A rail that was removed begins anew; its numbers go on (R1). */
  public void reopen(RailPath path, int portIndex, long nowNs) {
    path.link().begin(portIndex, localName(portIndex), node.ports().weight(portIndex));
    control.railIsThere(path.id());
    health.reopen(path, nowNs);
  }

  /**
   * The peer came by another port than before: the same rail leaves by that one.
   *
   * @param roundTripNs the handshake's own; 0 if it is not known
   */
  public void move(RailPath path, int portIndex, Rail rail, long roundTripNs, long nowNs) {
    if (path.state() == RailState.REMOVED) {
      reopen(path, portIndex, nowNs); // else nothing that comes by it would be heard
    } else {
      health.onClosed(path, "the peer came by another way", nowNs);
      path.link().moveTo(portIndex, localName(portIndex), node.ports().weight(portIndex));
    }
    path.attach(rail, 0, nowNs);
    path.onHandshakeRoundTrip(roundTripNs, nowNs);
    path.probing().probeNow(nowNs);
    refresh();
    listener.activate();
  }

  /** What is behind a rail is of no use any more; it is opened anew. */
  public void close(RailPath path, String cause, long nowNs) {
    health.onClosed(path, cause, nowNs);
  }

  /** Whether nothing came by a rail for longer than a round trip since it was begun. */
  public boolean isUnheard(RailPath path, long nowNs) {
    return path.health().heardNs() <= path.health().activeSinceNs()
        && nowNs - path.health().activeSinceNs() >= path.responseNs(paths.peerAckDelayNs());
  }

  /** Takes one out, and has the peer told so. */
  public void remove(RailPath path, long nowNs) {
    health.remove(path, nowNs);
    control.railGone(path.id());
  }

  // ---- what becomes of ports ----

  private static boolean leavesBy(@Nullable RailPath path, int portIndex) {
    return path != null
        && path.link().portIndex() == portIndex
        && path.state() != RailState.REMOVED;
  }

  /** A port was taken out, and with it every rail that leaves by it. */
  public void onPortRemoved(int portIndex, long nowNs) {
    for (int i = 0; i < paths.count(); i++) {
      RailPath path = paths.get(i);
      if (path != null && leavesBy(path, portIndex)) {
        remove(path, nowNs);
        listener.activate();
      }
    }
  }

  /** A port failed: no rail that leaves by it is of use. */
  public void onPortLost(int portIndex, String why, long nowNs) {
    for (int i = 0; i < paths.count(); i++) {
      RailPath path = paths.get(i);
      if (path != null && leavesBy(path, portIndex)) {
        health.onClosed(path, why, nowNs);
        listener.activate();
      }
    }
  }

  /**
   * A port's link told something of a rail.
   *
   * @return whether the watchdog has to look at once
   */
  boolean onLinkEvent(int portIndex, Rail rail, LinkEvent event, long nowNs) {
    boolean look = false;
    for (int i = 0; i < paths.count(); i++) {
      RailPath path = paths.get(i);
      Rail own = path == null ? null : path.link().rail();
      if (path == null
          || own == null
          || path.link().portIndex() != portIndex
          || own.remoteKey() != rail.remoteKey()) {
        continue;
      }
      path.counters().increment(RailCounter.LINK_ERRORS);
      switch (event) {
        case CLOSED -> look = true; // whether it is this rail's
        case REFUSED -> path.health().onRefused(nowNs);
        case UNREACHABLE -> {
          health.onUnreachable(path, nowNs);
          listener.activate();
        }
        case TOO_BIG -> path.onTooBig(nowNs);
        default -> {} // it is counted
      }
    }
    return look;
  }

  /** The connection is over, and nobody needs any of them. */
  void drop(long nowNs) {
    for (int i = 0; i < paths.count(); i++) {
      RailPath path = paths.get(i);
      if (path == null) {
        continue;
      }
      path.probing().giveBack();
      Rail rail = path.link().detach();
      if (rail != null) {
        path.health().account(nowNs);
        node.ports().close(rail);
      }
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.observability;

import io.crosstie.messaging.EventTap;
import io.crosstie.messaging.NodeEvent;
import io.crosstie.messaging.RailState;
import java.util.List;

/**
 * Writes a node's events to JDK Flight Recorder; the package's description lists them. It costs
 * next to nothing while no recording runs. One instance serves any number of nodes.
 *
 * <pre>{@code
 * NodeConfig.builder().name("a").eventTap(new FlightRecorderTap())
 * }</pre>
 */
public final class FlightRecorderTap implements EventTap {
  /** Makes one. */
  public FlightRecorderTap() {}

  @Override
  public void onEvent(String node, NodeEvent event) {
    switch (event) {
      case NodeEvent.RailChanged changed -> {
        onRail(node, changed);
        if (changed.to() == RailState.DOWN && wasInUse(changed.from())) {
          onFailover(node, changed);
        } else if (changed.to() == RailState.ACTIVE && wasGivenUp(changed.from())) {
          onFailback(node, changed);
        }
      }
      case NodeEvent.PayloadCorrupt corrupt -> onCorrupt(node, corrupt);
      case NodeEvent.SelfPaused paused -> onPause(node, paused);
      case NodeEvent.PeerUp up -> onUp(node, up);
      case NodeEvent.PeerLost lost -> onLost(node, lost);
      case NodeEvent.PeerRestarted restarted -> onRestarted(node, restarted);
      case NodeEvent.PeerClosed closed -> onClosed(node, closed);
      case NodeEvent.PortChanged port -> onPort(node, port);
      case NodeEvent.ChannelOpenedByPeer opened -> {} // for the application
      case NodeEvent.MessageFailed failed -> {} // for the application
      case NodeEvent.MessagesDropped dropped -> {} // for the application
      case NodeEvent.FormerMessages former -> {} // the same
      case NodeEvent.ChannelRefused refused -> {} // for the application
      case NodeEvent.RailDeclined declined -> {} // for the application
      case NodeEvent.Superseded superseded -> {} // for the application
      case NodeEvent.Rejected rejected -> {} // for the application
      case NodeEvent.NewcomerRejected rejected -> {} // for the application
      case NodeEvent.NobodyPolls polls -> {} // for the application
    }
  }

  private static boolean wasInUse(RailState from) {
    return from == RailState.ACTIVE || from == RailState.SUSPECT;
  }

  private static boolean wasGivenUp(RailState from) {
    return from == RailState.DOWN || from == RailState.PROBING;
  }

  private static void onRail(String node, NodeEvent.RailChanged changed) {
    var event = new JfrEvents.RailStateChanged();
    if (event.shouldCommit()) {
      event.node = node;
      event.peer = changed.peer();
      event.rail = changed.rail();
      event.railName = changed.name();
      event.from = changed.from().name();
      event.to = changed.to().name();
      event.cause = changed.cause();
      event.gap = changed.gapNs();
      event.commit();
    }
  }

  private static void onFailover(String node, NodeEvent.RailChanged changed) {
    var event = new JfrEvents.Failover();
    if (event.shouldCommit()) {
      event.node = node;
      event.peer = changed.peer();
      event.rail = changed.rail();
      event.railName = changed.name();
      event.cause = changed.cause();
      event.gap = changed.gapNs();
      event.commit();
    }
  }

  private static void onFailback(String node, NodeEvent.RailChanged changed) {
    var event = new JfrEvents.Failback();
    if (event.shouldCommit()) {
      event.node = node;
      event.peer = changed.peer();
      event.rail = changed.rail();
      event.railName = changed.name();
      event.away = changed.gapNs();
      event.commit();
    }
  }

  private static void onCorrupt(String node, NodeEvent.PayloadCorrupt corrupt) {
    var event = new JfrEvents.CrcFailure();
    if (event.shouldCommit()) {
      event.node = node;
      event.peer = corrupt.peer();
      event.rail = corrupt.rail();
      event.railName = corrupt.name();
      event.commit();
    }
  }

  private static void onPause(String node, NodeEvent.SelfPaused paused) {
    var event = new JfrEvents.SelfPause();
    if (event.shouldCommit()) {
      event.node = node;
      event.pause = paused.pauseNs();
      event.commit();
    }
  }

  private static void onUp(String node, NodeEvent.PeerUp up) {
    var event = new JfrEvents.PeerUp();
    if (event.shouldCommit()) {
      event.node = node;
      event.peer = up.peer();
      event.rank = up.rank();
      event.incarnation = up.incarnation();
      event.commit();
    }
  }

  private static void onLost(String node, NodeEvent.PeerLost lost) {
    var event = new JfrEvents.PeerLost();
    if (event.shouldCommit()) {
      event.node = node;
      event.peer = lost.peer();
      event.cause = lost.why();
      event.unknownMessages = messages(lost.unknown());
      event.commit();
    }
  }

  private static void onRestarted(String node, NodeEvent.PeerRestarted restarted) {
    var event = new JfrEvents.PeerRestarted();
    if (event.shouldCommit()) {
      event.node = node;
      event.peer = restarted.peer();
      event.oldIncarnation = restarted.oldIncarnation();
      event.newIncarnation = restarted.newIncarnation();
      event.unknownMessages = messages(restarted.unknown());
      event.commit();
    }
  }

  private static void onClosed(String node, NodeEvent.PeerClosed closed) {
    var event = new JfrEvents.PeerClosed();
    if (event.shouldCommit()) {
      event.node = node;
      event.peer = closed.peer();
      event.commit();
    }
  }

  private static void onPort(String node, NodeEvent.PortChanged changed) {
    if (changed.open()) {
      var event = new JfrEvents.PortRestarted();
      if (event.shouldCommit()) {
        event.node = node;
        event.port = changed.port();
        event.commit();
      }
    } else {
      var event = new JfrEvents.PortFailed();
      if (event.shouldCommit()) {
        event.node = node;
        event.port = changed.port();
        event.cause = changed.cause();
        event.commit();
      }
    }
  }

  private static long messages(List<NodeEvent.Unknown> unknown) {
    return unknown.stream().mapToLong(range -> range.last() - range.first() + 1).sum();
  }
}

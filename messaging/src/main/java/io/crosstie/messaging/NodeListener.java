// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import io.crosstie.multirail.connection.Connection;
import io.crosstie.multirail.connection.EndpointListener;
import io.crosstie.reliability.channel.ChannelCore;
import org.jspecify.annotations.Nullable;

/** Carries the core's news to the node; on the engine's thread. */
final class NodeListener implements EndpointListener {
  private final Node node;
  private final EventQueue events;
  private long errors;

  /** Null as long as nobody polls all channels together. */
  private @Nullable ReadyChannels ready;

  NodeListener(Node node, EventQueue events) {
    this.node = node;
    this.events = events;
  }

  @Override
  public void onEvent(io.crosstie.multirail.event.NodeEvent event) {
    if (event.peer().isEmpty() || node.knows(event.peer())) {
      NodeEvent news = Translation.of(event);
      events.add(news);
      if (news instanceof NodeEvent.Rejected rejected) {
        node.onRejected(rejected);
      }
      node.pollWatch().onEvent(news);
      node.engine().noteProgress();
    }
  }

  /** The first, the second, the fourth and so on: who makes errors must not fill the log. */
  @Override
  public void onInternalError(Throwable error) {
    errors++;
    if (Long.bitCount(errors) == 1) {
      EngineLog.log(
          System.Logger.Level.ERROR,
          "node " + node.name() + " met an unexpected error, number " + errors + ", and goes on",
          error);
    }
  }

  @Override
  public boolean isConfigured(String peerName) {
    return node.isConfigured(peerName);
  }

  @Override
  public boolean mayConnect(String peerName) {
    return node.mayConnect(peerName);
  }

  @Override
  public void onConnection(Connection connection) {
    node.onConnection(connection);
    node.engine().noteProgress();
  }

  @Override
  public void onChannelFreed(Connection connection, ChannelCore channel) {
    events.onChannelFreed(connection.peerName(), channel.number());
    node.onChannelFreed(connection, channel);
  }

  @Override
  public void onChannel(Connection connection, ChannelCore channel) {
    ReadyChannels listed = ready;
    if (channel.isPlacement()) {
      node.regionNews().onNews(connection);
    } else if (listed != null) {
      listed.onNews(connection, channel);
    }
    node.engine().noteProgress();
  }

  @Override
  public void onDatagrams(Connection connection) {
    node.datagramNews().onNews(connection);
    node.engine().noteProgress();
  }

  /** Channels with news are to be listed from now on. */
  void list(ReadyChannels in) {
    ready = in;
  }

  /** A duty cycle ends. */
  void onCycle() {
    if (ready != null) {
      node.listReady();
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import io.crosstie.multirail.Connection;
import io.crosstie.multirail.EndpointListener;
import io.crosstie.multirail.NodeEvent;
import io.crosstie.reliability.ChannelCore;

/** Carries the core's news to the node; on the engine's thread. */
final class NodeListener implements EndpointListener {
  private final Node node;
  private final EventQueue events;

  NodeListener(Node node, EventQueue events) {
    this.node = node;
    this.events = events;
  }

  @Override
  public void onEvent(NodeEvent event) {
    if (event.peer().isEmpty() || node.knows(event.peer())) {
      events.add(event);
      node.engine().noteProgress();
    }
  }

  @Override
  public void onConnection(Connection connection) {
    node.onConnection(connection);
    node.engine().noteProgress();
  }

  @Override
  public void onChannel(Connection connection, ChannelCore channel) {
    node.engine().noteProgress();
  }
}

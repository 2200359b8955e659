// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.connection;

import io.crosstie.multirail.event.EventSink;

/** What an endpoint tells its owner; on the engine's thread. */
public interface EndpointListener extends EventSink {
  /**
   * Whether a node may connect that says it has this name; asked before anything of it is kept, and
   * perhaps several times. If not it is rejected, and learns nothing else.
   */
  default boolean mayConnect(String peerName) {
    return true;
  }

  /**
   * Whether that peer was configured: it has a place of its own, however many others are connected.
   */
  default boolean isConfigured(String peerName) {
    return false;
  }

  /** A connection came into being, by our wish or the peer's; called before any event about it. */
  default void onConnection(Connection connection) {}

  /**
   * Something threw that should not have, and whoever it was about has paid for it. To be logged:
   * it is a fault of this library or of a driver.
   */
  default void onInternalError(Throwable error) {}

  /**
   * Both sides have closed a channel, and everything is consumed: it is over, and its number is
   * free for another one of the same connection.
   */
  default void onChannelFreed(
      Connection connection, io.crosstie.reliability.channel.ChannelCore channel) {}

  /** Datagrams of that peer came. */
  default void onDatagrams(Connection connection) {}

  /** A channel has something to poll, was opened by the peer, or changed its state. */
  default void onChannel(
      Connection connection, io.crosstie.reliability.channel.ChannelCore channel) {}
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.connection;

import io.crosstie.reliability.channel.ChannelEngine;

/**
 * What may send a message before the duty cycle does. It has no say in what is sent, or in which
 * order: where there is none, {@link #NONE} takes its place, and the duty cycle sends everything.
 */
interface SendShortcut {
  /** Sends nothing. */
  SendShortcut NONE = new SendShortcut() {};

  /** The connection was served, and there is nothing that a message would have to wait for. */
  default void ready(long nowNs) {}

  /** There is something else to be sent or said. */
  default void notReady() {}

  /**
   * Sends the one short message that waits. If it left, {@link #note} has to follow before anything
   * else is done with the connection.
   *
   * @return whether it left
   */
  default boolean send(ChannelEngine channel) {
    return false;
  }

  /** Whether a packet has left that is to be noted. */
  default boolean hasSent() {
    return false;
  }

  /** Wakes the peer if it sleeps, for what has left. */
  default void flush() {}

  /** Notes the packet that {@link #send} sent, and wakes the peer if it sleeps. */
  default void note(long nowNs) {}

  /** The channel is over. */
  default void forget(ChannelEngine channel) {}
}

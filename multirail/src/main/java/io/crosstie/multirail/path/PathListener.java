// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.path;

import io.crosstie.multirail.event.RailState;
import io.crosstie.reliability.channel.ChannelEngine;
import org.jspecify.annotations.Nullable;

/**
 * What is told of the rails of one connection to whoever sends over them; on the engine's thread.
 */
public interface PathListener {
  /**
   * What an item of a packet said has to be said again, since that packet was lost.
   *
   * @param kind a {@link io.crosstie.reliability.loss.SentItem}; neither messages, acknowledgements
   *     nor probes of the packet size
   */
  void onItemLost(byte kind, @Nullable ChannelEngine channel, long first, long offset, int length);

  /** Something may have become due to be said. */
  void onNews();

  /**
   * A rail went into another state; what is due, and when, is another matter now.
   *
   * @param gapNs how long it had been of no use
   */
  void onRailChanged(RailPath path, RailState from, RailState to, String cause, long gapNs);

  /** A rail took the place of one that was gone: there may be anything to say. */
  void activate();

  /** Why no rail could take the place of one that is gone, for a person. */
  void problem(String text);
}

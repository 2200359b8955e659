// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.path;

import io.crosstie.reliability.channel.ChannelEngine;
import org.jspecify.annotations.Nullable;

/** Who says again what packets had said besides messages; on the engine's thread. */
public interface LostItems {
  /**
   * What an item of a packet said has to be said again, since that one was lost or never left.
   *
   * @param kind a {@link io.crosstie.reliability.loss.SentItem}; neither messages, acknowledgements
   *     nor probes of the packet size
   */
  void again(byte kind, @Nullable ChannelEngine channel, long first, long offset, int length);
}

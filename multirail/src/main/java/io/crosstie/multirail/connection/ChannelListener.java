// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.connection;

import io.crosstie.reliability.channel.ChannelCore;

/** What a {@link ChannelTable} tells its connection; on the engine's thread. */
interface ChannelListener {
  /** A channel has something to poll, or changed its state. */
  void onChannel(ChannelCore channel);

  /** A channel is over on both sides, and not in the table any more. */
  void onFreed(ChannelCore channel);

  /** The connection is served in this duty cycle or the next, and may have anything to say. */
  void activate();
}

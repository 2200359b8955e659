// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.connection;

import io.crosstie.reliability.channel.ChannelCore;

/** What a {@link ChannelTable} tells its connection; on the engine's thread. */
interface ChannelListener {
  /** A channel has something to poll, or changed its state. */
  void onChannel(ChannelCore channel);

  /** The peer opened a channel. */
  void onOpened(ChannelCore channel);

  /** A channel is over on both sides, and not in the table any more. */
  void onFreed(ChannelCore channel);

  /** A message was given up, since its memory cannot be read any more. */
  void onFailed(ChannelCore channel, long sequence);

  /** The peer takes nothing on a channel: these messages are given up; both 0 if there are none. */
  void onGivenUp(ChannelCore channel, long first, long last);

  /** Nothing is taken on a channel of the peer, which has to be told. */
  void onRefused(int number);

  /** Something may be due that packets have to take along. */
  void onNews();
}

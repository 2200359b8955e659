// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.memory;

import io.crosstie.reliability.channel.ChannelEngine;

/**
 * A peer whose channels take of the node's memory, as those see it who share that out. On the
 * engine's thread.
 */
public interface MemoryUser {
  /** A channel was granted something: that has to be told. */
  void onGranted(ChannelEngine channel);

  /** What a channel was granted and did not use was taken back: that has to be told. */
  void onRevoked(ChannelEngine channel);

  /** It was tried again to get a channel what it was refused: its credit may have grown. */
  void onTriedAgain(ChannelEngine channel);

  /** Messages that the peer had sent, one at least, were dropped, since nobody polls them. */
  void onDropped(ChannelEngine channel, long first, long last);

  /** The longest round trip of its rails in use, 0 if none is known. */
  long longestRttNs();
}

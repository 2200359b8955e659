// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.connection;

import io.crosstie.multirail.path.RailPath;
import io.crosstie.reliability.channel.ChannelEngine;
import java.lang.foreign.MemorySegment;

/**
 * What may take in a packet before anybody judges it. Where there is none, {@link #NONE} takes its
 * place, and {@link PacketReceiver} takes in everything.
 */
interface ReceiveShortcut {
  /** Takes in nothing. */
  ReceiveShortcut NONE = new ReceiveShortcut() {};

  /**
   * Takes in a packet if it is the one expected next.
   *
   * @param memory the packet as the port gave it; each word is read once
   * @return whether it was; if not nothing has changed
   */
  default boolean take(MemorySegment memory, long base, int length, long source) {
    return false;
  }

  /** A packet was taken in that may be the first of many alike. */
  default void expectMore(
      RailPath path, byte[] header, int headerLength, MemorySegment memory, long source) {}

  /** Counts what was taken in, and is ready for what comes next; once in a duty cycle. */
  default void settle(long nowNs) {}

  /** The channel is over. */
  default void forget(ChannelEngine channel) {}

  /** No rail is left: nothing of their memory is kept. */
  default void forgetRails() {}
}

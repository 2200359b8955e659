// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Takes what a {@link RailPort} receives. Called on the engine's thread only. */
public interface PortHandler {

  /**
   * One packet arrived.
   *
   * <p>The memory belongs to the port and is valid until this method returns. Where {@link
   * RailAttributes#sharedMemory()} holds it can be changed by another process at any moment:
   * whatever is judged must be copied out first. Inside this call {@link RailPort#sourceAddress()},
   * {@link RailPort#accept()} and {@link RailPort#reply} refer to the sender of this packet. For a
   * lossless rail the peer may take the packet for handled as soon as this method has returned (see
   * {@link Rail#consumed()}).
   *
   * @param port the port that received it
   * @param memory the memory that holds the packet
   * @param offset of the packet's first byte, in bytes; a multiple of 8 for shared memory, else
   *     arbitrary
   * @param length of the packet, in bytes, at least 1
   * @param source key of the sender, equal to {@link Rail#remoteKey()} of a rail to the same sender
   */
  void onPacket(RailPort port, MemorySegment memory, long offset, int length, long source);

  /**
   * A link said something: news about a rail, never the failure of a message.
   *
   * @param port the port concerned
   * @param rail the rail concerned, or null where it concerns the whole port or the rail is not
   *     known
   * @param event what happened
   * @param errno the system's error number, 0 if there is none
   */
  void onLinkEvent(RailPort port, @Nullable Rail rail, LinkEvent event, int errno);
}

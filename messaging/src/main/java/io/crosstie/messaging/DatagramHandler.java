// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import java.lang.foreign.MemorySegment;

/**
 * Takes datagrams of peers, only inside {@link Node#poll} or {@link Node#pollDatagrams}, and on the
 * polling thread.
 */
@FunctionalInterface
public interface DatagramHandler {
  /**
   * One datagram. If it throws, the datagram was told, and the exception comes out of the poll.
   *
   * @param peer who sent it
   * @param segment read-only memory that holds it; valid until return
   * @param headerLength of its header, 0 if it has none, to 32; the header lies in front of the
   *     rest, from {@code offset - headerLength} on
   * @param offset of the first byte behind the header
   * @param length in bytes, without the header, 0 or more
   */
  void onDatagram(Peer peer, MemorySegment segment, int headerLength, long offset, int length);
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.datagram;

import java.lang.foreign.MemorySegment;

/** Takes datagrams that came; on the thread that polls. */
public interface DatagramHandler {
  /**
   * One datagram.
   *
   * @param segment read-only memory that holds it; valid until return
   * @param headerLength of the header, which lies in front, from {@code offset - headerLength} on
   * @param offset of the first byte behind the header
   * @param length behind the header, 0 or more
   */
  void onDatagram(MemorySegment segment, int headerLength, long offset, int length);
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.memory;

/**
 * What the network between two nodes holds while it carries its rate: the bandwidth-delay product
 * of a connection's rails. Logs, announcements and copies follow it where it exceeds what is enough
 * for shorter paths, as TCP's buffers do (Semke, Mahdavi, Mathis 1998), and always within what the
 * node's memory allows. Written by the engine once a round trip, read by any thread.
 */
public final class PathBytes {
  private volatile long bytes;
  private volatile long roundTripNs;

  /** Nothing was measured: 0. */
  public PathBytes() {}

  /** The product in bytes; 0 where no rail crosses a network. */
  public long bytes() {
    return bytes;
  }

  /** The longest round trip over a network; 0 where no rail crosses one. */
  public long roundTripNs() {
    return roundTripNs;
  }

  /** Both were measured anew. */
  public void measured(long productBytes, long rttNs) {
    bytes = productBytes;
    roundTripNs = rttNs;
  }
}

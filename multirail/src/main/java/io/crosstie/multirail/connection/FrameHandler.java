// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.connection;

import io.crosstie.checksum.Checksum;
import io.crosstie.transport.RailAddress;
import java.util.List;

/** What frames ask of the connection that they are for; on the engine's thread. */
interface FrameHandler {
  /** Whether it is up, and neither side has begun to close it. */
  boolean isUp();

  /** Whether it is over, so that nothing is accepted any more. */
  boolean isOver();

  /** Something valid arrived on any rail. */
  void heard(long nowNs);

  /** It is served in this duty cycle or the next, because messages came. */
  void enlist();

  /** Which checksum the peer's payloads have. */
  Checksum receiveChecksum();

  /** The peer told where it can be reached. */
  void onAddresses(int generation, List<RailAddress> addresses, long nowNs);

  /**
   * The peer closed in good order.
   *
   * @param acknowledges whether that only answers a CLOSE of this side
   */
  void onPeerClose(boolean acknowledges, long nowNs);
}

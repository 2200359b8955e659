// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.handshake;

import io.crosstie.multirail.config.EndpointConfig;
import io.crosstie.multirail.connection.Connection;
import io.crosstie.reliability.wire.Introduction;

/**
 * Of two opens that cross, the one by the lower (name, incarnation) survives; the other side's
 * half-open connection becomes the accepted one, so its channels stay what they are.
 */
final class SimultaneousOpen {
  /** A peer that has answered an INIT of ours no longer ago than this is about to accept. */
  private static final long UNDER_WAY_NS = 2_000_000_000L;

  private final HandshakeHost host;
  private final EndpointConfig config;
  private final InitQueue queue;

  SimultaneousOpen(HandshakeHost host, EndpointConfig config, InitQueue queue) {
    this.host = host;
    this.config = config;
    this.queue = queue;
  }

  /** Whether this side's open goes on, and the peer's, whose HELLO has come, does not. */
  boolean oursSurvives(Connection halfOpen, Introduction peer, long nowNs) {
    HandshakeAttempt attempt = queue.of(halfOpen);
    return attempt != null
        && attempt.wasAnswered(UNDER_WAY_NS, nowNs)
        && isLower(config.name(), config.incarnation(), peer.name(), peer.incarnation());
  }

  private static boolean isLower(String nameA, long incarnationA, String nameB, long incarnationB) {
    int byName = nameA.compareTo(nameB);
    return byName < 0 || (byName == 0 && incarnationA < incarnationB);
  }

  /**
   * This side's open ends, and its half-open connection becomes the accepted one.
   *
   * @param previousId under which the peer has sent last to this side
   */
  void giveWay(Connection halfOpen, Introduction peer, long previousId) {
    HandshakeAttempt attempt = queue.remove(halfOpen);
    if (attempt != null) {
      if (attempt.makeKnownTo(peer.incarnation())) {
        host.renumber(halfOpen);
      }
      attempt.end(null);
    }
    if (halfOpen.id() == previousId) {
      host.renumber(halfOpen); // the peer had accepted it, and has lost it since
    }
    halfOpen.becomeResponder();
  }
}

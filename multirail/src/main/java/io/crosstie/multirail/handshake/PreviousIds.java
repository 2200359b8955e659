// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.handshake;

import io.crosstie.multirail.connection.Connection;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Under which id this node sent last to each peer whose connection has ended.
 *
 * <p>What left for one connection may still be under way when the next one is made, and the id is
 * all that tells them apart (R11). The peer draws a new id for each connection it makes or accepts,
 * but one that it made may be accepted here and end here before the peer knows of it; it then still
 * waits under that id. So the sender sees to it that no id serves two of its connections: as the
 * initiator by naming the previous id in HELLO, as the responder by refusing a HELLO that has it. A
 * peer never goes back to an earlier one, so the last is enough.
 */
final class PreviousIds {
  /** Names of those whose connections ended last. */
  private static final int MAX_NAMES = 4096;

  private record Previous(long id, long upNs) {}

  private static final Previous NONE = new Previous(0, Long.MIN_VALUE);

  private final Map<String, Previous> byName =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Previous> eldest) {
          return size() > MAX_NAMES;
        }
      };

  /** A connection leaves the tables, perhaps later than one that came after it. */
  void onGone(Connection c) {
    if (c.peerId() != 0) {
      Previous previous = later(c, byName.remove(c.peerName())); // to stand last again
      byName.put(c.peerName(), previous);
    }
  }

  private static Previous later(Connection c, @Nullable Previous than) {
    return than == null || c.upNs() >= than.upNs ? new Previous(c.peerId(), c.upNs()) : than;
  }

  /**
   * The id of the last connection to that peer, 0 if there was none.
   *
   * @param present all that did not leave the tables yet
   */
  long of(String name, Iterable<Connection> present) {
    Previous previous = byName.getOrDefault(name, NONE);
    for (Connection c : present) {
      if (c.peerId() != 0 && c.peerName().equals(name)) {
        previous = later(c, previous);
      }
    }
    return previous.id;
  }
}

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
 * initiator by naming the former id in HELLO, as the acceptor by refusing a HELLO that has it. A
 * peer never goes back to an earlier one, so the last is enough.
 */
final class FormerIds {
  /** Names of those whose connections ended last. */
  private static final int MAX_NAMES = 4096;

  private record Former(long id, long upNs) {}

  private static final Former NONE = new Former(0, Long.MIN_VALUE);

  private final Map<String, Former> byName =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Former> eldest) {
          return size() > MAX_NAMES;
        }
      };

  /** A connection leaves the tables, perhaps later than one that came after it. */
  void onGone(Connection c) {
    if (c.remoteId != 0) {
      Former former = later(c, byName.remove(c.peerName())); // to stand last again
      byName.put(c.peerName(), former);
    }
  }

  private static Former later(Connection c, @Nullable Former than) {
    return than == null || c.upNs() >= than.upNs ? new Former(c.remoteId, c.upNs()) : than;
  }

  /**
   * The id of the last connection to that peer, 0 if there was none.
   *
   * @param present all that did not leave the tables yet
   */
  long of(String name, Iterable<Connection> present) {
    Former former = byName.getOrDefault(name, NONE);
    for (Connection c : present) {
      if (c.remoteId != 0 && c.peerName().equals(name)) {
        former = later(c, former);
      }
    }
    return former.id;
  }
}

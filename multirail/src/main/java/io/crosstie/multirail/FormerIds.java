// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail;

import java.util.LinkedHashMap;
import java.util.Map;

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

  private final Map<String, Long> byName =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
          return size() > MAX_NAMES;
        }
      };

  /** A connection leaves the tables. */
  void onGone(Connection c) {
    if (c.remoteId != 0) {
      byName.remove(c.peerName()); // to stand last again
      byName.put(c.peerName(), c.remoteId);
    }
  }

  /**
   * The id of the last connection to that peer, 0 if there was none.
   *
   * @param present all that did not leave the tables yet, in the order of their beginning
   */
  long of(String name, Iterable<Connection> present) {
    long id = byName.getOrDefault(name, 0L);
    for (Connection c : present) {
      if (c.remoteId != 0 && c.peerName().equals(name)) {
        id = c.remoteId;
      }
    }
    return id;
  }
}

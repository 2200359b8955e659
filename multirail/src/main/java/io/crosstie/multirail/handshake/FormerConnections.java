// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.handshake;

import io.crosstie.multirail.connection.Connection;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What is kept, within bounds, of connections that have left the tables: under which id this node
 * sent last to each peer, and which processes were superseded.
 *
 * <p>What left for one connection may still be under way when the next one is made, and the id is
 * all that tells them apart (R11). The peer draws a new id for each connection it makes or accepts,
 * but one that it made may be accepted here and end here before the peer knows of it; it then still
 * waits under that id. So the sender sees to it that no id serves two of its connections: as the
 * initiator by naming the previous id in HELLO, as the responder by refusing a HELLO that has it. A
 * peer never goes back to an earlier one, so the last is enough.
 *
 * <p>A process whose name a newer one has now (R33) is rejected if it sends again.
 */
final class FormerConnections {
  /** Names of those whose connections ended last. */
  private static final int MAX_PREVIOUS_IDS = 4096;

  private static final int MAX_SUPERSEDED_NAMES = 64;
  private static final int MAX_INCARNATIONS_PER_NAME = 8;
  private static final int MAX_SUPERSEDED_IDS = 64;

  private record Previous(long id, long upNs) {}

  /**
   * A superseded process whose connection had an id here.
   *
   * @param peerId the id under which it knows that connection
   */
  record Superseded(String name, long incarnation, long peerId) {}

  private static final Previous NONE = new Previous(0, Long.MIN_VALUE);

  private final Map<String, Previous> previousByName = bounded(MAX_PREVIOUS_IDS);
  private final Map<String, ArrayDeque<Long>> superseded = bounded(MAX_SUPERSEDED_NAMES);
  private final Map<Long, Superseded> supersededById = bounded(MAX_SUPERSEDED_IDS);

  private static <K, V> Map<K, V> bounded(int most) {
    return new LinkedHashMap<>() {
      private static final long serialVersionUID = 1L;

      @Override
      protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
        return size() > most;
      }
    };
  }

  /** A connection leaves the tables, perhaps later than one that came after it. */
  void onGone(Connection c) {
    if (c.peerId() != 0) {
      Previous previous = later(c, previousByName.remove(c.peerName())); // to stand last again
      previousByName.put(c.peerName(), previous);
    }
    if (c.peerIncarnation() != 0 && c.state() == Connection.State.RESTARTED) {
      addSuperseded(c);
    }
  }

  private void addSuperseded(Connection c) {
    ArrayDeque<Long> list = superseded.computeIfAbsent(c.peerName(), n -> new ArrayDeque<>());
    if (!list.contains(c.peerIncarnation())) {
      if (list.size() >= MAX_INCARNATIONS_PER_NAME) {
        list.removeFirst();
      }
      list.addLast(c.peerIncarnation());
    }
    supersededById.put(c.id(), new Superseded(c.peerName(), c.peerIncarnation(), c.peerId()));
  }

  private static Previous later(Connection c, @Nullable Previous than) {
    return than == null || c.upNs() >= than.upNs ? new Previous(c.peerId(), c.upNs()) : than;
  }

  /**
   * The id of the last connection to that peer, 0 if there was none.
   *
   * @param present all that did not leave the tables yet
   */
  long previousId(String name, Iterable<Connection> present) {
    Previous previous = previousByName.getOrDefault(name, NONE);
    for (Connection c : present) {
      if (c.peerId() != 0 && c.peerName().equals(name)) {
        previous = later(c, previous);
      }
    }
    return previous.id;
  }

  boolean isSuperseded(String name, long incarnation) {
    ArrayDeque<Long> list = superseded.get(name);
    return list != null && list.contains(incarnation);
  }

  /** Who sends to the connection that had this id here; null if it is no superseded process. */
  @Nullable Superseded supersededById(long id) {
    return supersededById.get(id);
  }

  /** The text of the REJECT that a superseded process gets. */
  static String supersededText(String name) {
    return "superseded: a newer process took the name \""
        + name
        + "\" while this one did not answer; start it anew to connect again";
  }
}

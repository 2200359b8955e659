// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.handshake;

import io.crosstie.multirail.connection.Connection;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Processes whose name a newer one has now (R33): they are remembered, within bounds, so that they
 * are told if they send again.
 */
final class SupersededNodes {
  private static final int MAX_NAMES = 64;
  private static final int MAX_INCARNATIONS_PER_NAME = 8;
  private static final int MAX_CONNECTIONS = 64;

  /**
   * One whose connection had an id here.
   *
   * @param peerId the id under which it knows that connection
   */
  record Node(String name, long incarnation, long peerId) {}

  private final Map<String, ArrayDeque<Long>> incarnations = bounded(MAX_NAMES);
  private final Map<Long, Node> byId = bounded(MAX_CONNECTIONS);

  private static <K, V> Map<K, V> bounded(int most) {
    return new LinkedHashMap<>() {
      private static final long serialVersionUID = 1L;

      @Override
      protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
        return size() > most;
      }
    };
  }

  /** The peer of a connection that is over was superseded. */
  void add(Connection c) {
    ArrayDeque<Long> list = incarnations.computeIfAbsent(c.peerName(), n -> new ArrayDeque<>());
    if (!list.contains(c.peerIncarnation())) {
      if (list.size() >= MAX_INCARNATIONS_PER_NAME) {
        list.removeFirst();
      }
      list.addLast(c.peerIncarnation());
    }
    byId.put(c.id(), new Node(c.peerName(), c.peerIncarnation(), c.peerId()));
  }

  boolean contains(String name, long incarnation) {
    ArrayDeque<Long> list = incarnations.get(name);
    return list != null && list.contains(incarnation);
  }

  /** Who sends to the connection that had this id here; null if that is not known. */
  @Nullable Node byId(long id) {
    return byId.get(id);
  }

  /** What it is told. */
  static String explanation(String name) {
    return "superseded: a newer process took the name \""
        + name
        + "\" while this one did not answer; start it anew to connect again";
  }
}

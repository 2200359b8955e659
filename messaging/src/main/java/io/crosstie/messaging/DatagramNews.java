// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import io.crosstie.multirail.connection.Connection;
import org.jspecify.annotations.Nullable;

/** The connections on which datagrams came. */
final class DatagramNews extends ConnectionNews<DatagramHandler> {
  // the poll at hand
  private @Nullable DatagramHandler handler;
  private @Nullable Peer from;
  private final io.crosstie.reliability.datagram.DatagramHandler adapter =
      (segment, headerLength, offset, length) -> {
        DatagramHandler to = handler;
        Peer peer = from;
        if (to != null && peer != null) {
          to.onDatagram(peer, segment, headerLength, offset, length);
        }
      };

  /**
   * @param singleThreaded whether the engine's thread is the one that polls
   */
  DatagramNews(Node node, boolean singleThreaded) {
    super(node, singleThreaded);
  }

  @Override
  @Nullable Object attachment(Connection connection) {
    return connection.datagrams().attachment();
  }

  @Override
  Object attach(Connection connection, Entry entry) {
    return connection.datagrams().attach(entry);
  }

  @Override
  int poll(Entry entry, DatagramHandler to, int limit) {
    handler = to;
    from = entry.peer;
    try {
      return entry.connection.datagrams().poll(adapter, limit);
    } finally {
      handler = null;
      from = null;
    }
  }

  /** Those that nobody has taken go with the node's memory. */
  @Override
  boolean outlivesEngine() {
    return false;
  }

  @Override
  boolean hasNews(Connection connection) {
    return connection.datagrams().hasNews();
  }
}

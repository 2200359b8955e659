// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import io.crosstie.multirail.connection.Connection;
import org.jspecify.annotations.Nullable;

/** The connections on which puts completed, or notifications came. */
final class RegionNews extends ConnectionNews<NotificationHandler> {
  // the poll at hand
  private @Nullable NotificationHandler handler;
  private @Nullable Peer from;
  private final io.crosstie.multirail.region.NotificationHandler adapter =
      (region, offset, length, bytes, at, count) -> {
        NotificationHandler to = handler;
        Peer peer = from;
        if (to != null && peer != null) {
          to.onNotification(Region.of(region), peer, bytes, at, count, offset, length);
        }
      };

  /**
   * @param singleThreaded whether the engine's thread is the one that polls
   */
  RegionNews(Node node, boolean singleThreaded) {
    super(node, singleThreaded);
  }

  @Override
  @Nullable Object attachment(Connection connection) {
    return connection.placement().attachment();
  }

  @Override
  Object attach(Connection connection, Entry entry) {
    return connection.placement().attach(entry);
  }

  @Override
  int poll(Entry entry, NotificationHandler to, int limit) {
    handler = to;
    from = entry.peer;
    try {
      return entry.connection.placement().poll(adapter, limit);
    } finally {
      handler = null;
      from = null;
    }
  }

  @Override
  boolean hasNews(Connection connection) {
    return connection.placement().hasNews();
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import io.crosstie.multirail.connection.Connection;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jctools.queues.varhandle.MpscUnboundedVarHandleArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * The connections on which puts completed, or notifications came, so that a poll visits those and
 * no others. The engine lists one when it has stored the news; who polls takes the mark off before
 * it looks for them.
 */
final class RegionNews {
  private static final VarHandle LISTED;

  static {
    try {
      LISTED = MethodHandles.lookup().findVarHandle(Entry.class, "listed", boolean.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** One connection; attached to its placement, so that there is one. */
  private static final class Entry {
    final Peer peer;
    final Connection connection;

    @SuppressWarnings("UnusedVariable") // through LISTED
    private volatile boolean listed;

    Entry(Peer peer, Connection connection) {
      this.peer = peer;
      this.connection = connection;
    }
  }

  private final Node node;
  private final boolean singleThreaded;
  private final Queue<Entry> queue;

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
    this.node = node;
    this.singleThreaded = singleThreaded;
    this.queue = singleThreaded ? new ArrayDeque<>() : new MpscUnboundedVarHandleArrayQueue<>(64);
  }

  /** The engine: something may be new. */
  void onNews(Connection connection) {
    if (connection.placement().attachment() instanceof Entry known) {
      list(known);
      return;
    }
    Peer peer = node.peerOrNull(connection.peerName());
    if (peer != null) {
      onFlush(peer, connection);
    }
  }

  /** Any thread: a flush waits on that connection. */
  void onFlush(Peer peer, Connection connection) {
    if (connection.placement().attach(new Entry(peer, connection)) instanceof Entry entry) {
      list(entry);
    }
  }

  private void list(Entry entry) {
    boolean before;
    if (singleThreaded) {
      before = (boolean) LISTED.get(entry);
      LISTED.set(entry, true);
    } else {
      before = (boolean) LISTED.getAndSet(entry, true);
    }
    if (!before) {
      boolean unused = queue.offer(entry);
    }
  }

  /**
   * Who polls: tells what is new.
   *
   * @param limit most completions and notifications
   * @return how many there were
   */
  int poll(NotificationHandler to, int limit) {
    int visits = queue.isEmpty() ? 0 : queue.size();
    int count = 0;
    for (; visits > 0 && count < limit; visits--) {
      Entry entry = queue.poll();
      if (entry == null) {
        break;
      }
      if (singleThreaded) {
        LISTED.set(entry, false);
      } else {
        LISTED.setVolatile(entry, false);
      }
      handler = to;
      from = entry.peer;
      try {
        count += entry.connection.placement().poll(adapter, limit - count);
      } finally {
        handler = null;
        from = null;
        if (entry.connection.placement().hasNews()) {
          list(entry);
        }
      }
    }
    return count;
  }
}

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
 * The connections on which there is news of one kind, so that a poll visits those and no others.
 * The engine lists one when it has stored the news; who polls takes the mark off before it looks
 * for them.
 *
 * @param <H> who is told
 */
abstract class ConnectionNews<H> {
  private static final VarHandle LISTED;

  static {
    try {
      LISTED = MethodHandles.lookup().findVarHandle(Entry.class, "listed", boolean.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** One connection; attached to what the news is of, so that there is one. */
  static final class Entry {
    final Peer peer;
    final Connection connection;

    @SuppressWarnings("UnusedVariable") // through LISTED
    private volatile boolean listed;

    private Entry(Peer peer, Connection connection) {
      this.peer = peer;
      this.connection = connection;
    }
  }

  private final Node node;
  private final boolean singleThreaded;
  private final Queue<Entry> queue;

  /**
   * @param singleThreaded whether the engine's thread is the one that polls
   */
  ConnectionNews(Node node, boolean singleThreaded) {
    this.node = node;
    this.singleThreaded = singleThreaded;
    this.queue = singleThreaded ? new ArrayDeque<>() : new MpscUnboundedVarHandleArrayQueue<>(64);
  }

  /** What is attached to that part of the connection, or null. */
  abstract @Nullable Object attachment(Connection connection);

  /** Attaches to it, unless there is something; returns what is there. */
  abstract Object attach(Connection connection, Entry entry);

  /** Tells the news of one connection; returns how many there were. */
  abstract int poll(Entry entry, H to, int limit);

  /** Whether there may be more. */
  abstract boolean hasNews(Connection connection);

  /** Whether it can be looked for still, once the engine has stopped. */
  boolean outlivesEngine() {
    return true;
  }

  /** The engine: something may be new. */
  final void onNews(Connection connection) {
    if (attachment(connection) instanceof Entry known) {
      list(known);
      return;
    }
    Peer peer = node.peerOrNull(connection.peerName());
    if (peer != null) {
      onNews(peer, connection);
    }
  }

  /** Any thread: the same where the peer is known. */
  final void onNews(Peer peer, Connection connection) {
    if (attach(connection, new Entry(peer, connection)) instanceof Entry entry) {
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
      boolean added = false;
      try {
        added = queue.offer(entry);
      } finally {
        if (!added) {
          unlist(entry); // for want of memory: with its next news
        }
      }
    }
  }

  private void unlist(Entry entry) {
    if (singleThreaded) {
      LISTED.set(entry, false);
    } else {
      LISTED.setVolatile(entry, false);
    }
  }

  /**
   * Who polls: tells what is new.
   *
   * @param limit most
   * @return how many there were
   */
  final int poll(H to, int limit) {
    int visits = limit < 1 || queue.isEmpty() ? 0 : queue.size();
    if (visits > 0 && !outlivesEngine() && node.engine().isStopped()) {
      return 0;
    }
    int count = 0;
    for (; visits > 0 && count < limit; visits--) {
      Entry entry = queue.poll();
      if (entry == null) {
        break;
      }
      unlist(entry);
      try {
        count += poll(entry, to, limit - count);
      } finally {
        if (hasNews(entry.connection)) {
          list(entry);
        }
      }
    }
    return count;
  }
}

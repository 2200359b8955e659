// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail;

import io.crosstie.reliability.ChannelEngine;
import java.util.ArrayDeque;

/**
 * Large messages that wait for memory of the node's pool: granted whole or not at all, first come
 * first served (R12). At most one announcement of a channel waits, because a sender announces the
 * next only after the grant; so the queue is bounded by the number of channels.
 */
final class GrantQueue {
  private record Waiting(Connection connection, ChannelEngine channel, long seq, long length) {}

  private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();

  /** An announcement arrived, perhaps again. */
  void request(Connection connection, ChannelEngine channel, long seq, long length) {
    if (channel.isGranted(seq)) {
      channel.grantDue(seq);
      return;
    }
    int before = 0;
    for (Waiting w : waiting) {
      if (w.channel == channel && (w.seq >= seq || ++before >= ChannelEngine.MAX_UNANSWERED)) {
        return; // known already, or more than a peer announces
      }
    }
    if (waiting.isEmpty() && channel.grant(seq, length)) {
      channel.grantDue(seq);
    } else {
      waiting.addLast(new Waiting(connection, channel, seq, length));
    }
  }

  /** Memory came back. */
  void retry() {
    for (Waiting w = waiting.peekFirst(); w != null; w = waiting.peekFirst()) {
      if (!w.channel.grant(w.seq, w.length)) {
        return;
      }
      waiting.removeFirst();
      w.channel.grantDue(w.seq);
      w.connection.look(w.channel);
      w.connection.endpoint.activate(w.connection);
    }
  }

  /** The connection is over. */
  void forget(Connection connection) {
    waiting.removeIf(w -> w.connection == connection);
    retry();
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail;

import io.crosstie.reliability.BufferPool;
import io.crosstie.reliability.ChannelEngine;
import io.crosstie.reliability.PlantedFault;
import java.util.ArrayDeque;

/**
 * Large messages that wait for memory of the node's pool: granted whole or not at all, first come
 * first served (R12). At most one announcement of a channel waits, because a sender announces the
 * next only after the grant; so the queue is bounded by the number of channels.
 *
 * <p>What the pool's bound permits may still have to wait until the memory is there, since that is
 * taken elsewhere or in parts (R37). Then the pool is asked again, less and less often.
 */
final class GrantQueue {
  private record Waiting(Connection connection, ChannelEngine channel, long seq, long length) {}

  private static final long MAX_INTERVAL_NS = 100_000_000L;

  private final BufferPool pool;
  private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();

  /** When the pool is asked again, if nothing comes back to it before. */
  private long nextNs = Long.MAX_VALUE;

  /** Since when the first has waited for nothing but memory. */
  private long sinceNs;

  private boolean memoryIsAwaited;

  GrantQueue(BufferPool pool) {
    this.pool = pool;
  }

  /** An announcement arrived, perhaps again. */
  void request(Connection connection, ChannelEngine channel, long seq, long length) {
    if (channel.isGranted(seq)) {
      if (connection.endpoint.planted == PlantedFault.GRANTED_TWICE) {
        boolean unused = channel.grant(seq, length);
      }
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
      askAgain(connection.endpoint.nowNs());
    }
  }

  /** When {@link #onTimer} is due. */
  long deadlineNs() {
    return nextNs;
  }

  /** Memory may be there by now. */
  void onTimer(long nowNs) {
    if (nowNs >= nextNs) {
      retry();
    }
  }

  private void askAgain(long nowNs) {
    Waiting first = waiting.peekFirst();
    if (first == null || !pool.canTake(first.length)) {
      memoryIsAwaited = false;
      nextNs = Long.MAX_VALUE;
      return;
    }
    if (!memoryIsAwaited) {
      memoryIsAwaited = true;
      sinceNs = nowNs;
    }
    nextNs = pool.isFreeing() ? nowNs : nowNs + Math.min((nowNs - sinceNs) / 4, MAX_INTERVAL_NS);
  }

  /** Memory came back. */
  void retry() {
    for (Waiting w = waiting.peekFirst(); w != null; w = waiting.peekFirst()) {
      if (!w.channel.grant(w.seq, w.length)) {
        askAgain(w.connection.endpoint.nowNs());
        return;
      }
      waiting.removeFirst();
      memoryIsAwaited = false;
      w.channel.grantDue(w.seq);
      w.connection.look(w.channel);
      w.connection.endpoint.activate(w.connection);
    }
    nextNs = Long.MAX_VALUE;
  }

  /** The connection is over. */
  void forget(Connection connection) {
    waiting.removeIf(w -> w.connection == connection);
    retry();
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.memory;

import io.crosstie.multirail.Endpoint;
import io.crosstie.multirail.connection.Connection;
import io.crosstie.multirail.event.EndpointCounter;
import io.crosstie.reliability.channel.ChannelEngine;
import io.crosstie.reliability.memory.NodeMemory;
import java.util.ArrayDeque;

/**
 * Channels that were refused room or credit for want of memory: each gets its turn when memory
 * comes back (R31). As long as one waits, windows are not renewed beyond the small one, and what
 * idle channels keep is taken from them.
 */
public final class MemoryRelief {
  /**
   * A channel that waits.
   *
   * @param sinceNs since when, on the endpoint's clock
   */
  private record Waiting(Connection connection, ChannelEngine channel, long sinceNs) {
    /**
     * Whether the others of its peer let what comes back add up for it. What they need more may be
     * little, and would be there at once, each time; but if nothing adds up, since nobody polls
     * what holds the memory, they must not stand still for it. So it goes by turns, each twice as
     * long as the one before.
     */
    boolean isFirst(long nowNs) {
      long left = nowNs - sinceNs - PATIENCE_NS;
      for (long turn = FIRST_TURN_NS; left >= 0; turn = Math.min(2 * turn, LAST_TURN_NS)) {
        if (left < turn) {
          return true;
        }
        left -= 5 * turn; // the turn of the others is four times as long
      }
      return false;
    }
  }

  /** So long a channel may be passed over at first. */
  private static final long PATIENCE_NS = 500_000_000L;

  private static final long FIRST_TURN_NS = 100_000_000L;
  private static final long LAST_TURN_NS = 3_200_000_000L;

  /** All channels are looked at no more often than that. */
  private static final long INTERVAL_NS = 2_000_000L;

  /** And that often while somebody waits and nothing comes back: idle windows are taken back. */
  private static final long QUIET_INTERVAL_NS = 20_000_000L;

  private final Endpoint endpoint;
  private final NodeMemory memory;
  private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
  private long seenRefusals;

  /** Since the last look something was wanted, or came back. */
  private boolean news;

  private long lookedNs = Long.MIN_VALUE / 2;

  /** Since when somebody waits. */
  private long sinceNs;

  /** Number of the present look. */
  private long round;

  public MemoryRelief(Endpoint endpoint, NodeMemory memory) {
    this.endpoint = endpoint;
    this.memory = memory;
  }

  /** A channel was refused something. */
  public void wanted(Connection connection, ChannelEngine channel) {
    if (!channel.inMemoryList()) {
      if (waiting.isEmpty()) {
        sinceNs = endpoint.nowNs();
      }
      waiting.addLast(new Waiting(connection, channel, endpoint.nowNs())); // or throws
      channel.setInMemoryList(true);
      memory.received().setShort(true);
      news = true;
    }
  }

  /** Messages were consumed. */
  public void released() {
    news = true;
  }

  /** When {@link #onCycle} has something to do. */
  public long deadlineNs() {
    return waiting.isEmpty() ? Long.MAX_VALUE : lookedNs + (news ? INTERVAL_NS : QUIET_INTERVAL_NS);
  }

  /** Once in each duty cycle. */
  public void onCycle(long nowNs) {
    long refusals = memory.refusals();
    boolean isQuiet = !news && nowNs - lookedNs < QUIET_INTERVAL_NS;
    if (refusals == seenRefusals && (waiting.isEmpty() || isQuiet)) {
      return;
    }
    if (nowNs - lookedNs < INTERVAL_NS) {
      return;
    }
    lookedNs = nowNs;
    news = false;
    if (!waiting.isEmpty() && nowNs - sinceNs >= FormerChannels.PATIENCE_NS) {
      boolean unused = endpoint.formers.dropOldest(false, nowNs);
    }
    relieve(nowNs);
    seenRefusals = memory.refusals();
    endpoint.counters().set(EndpointCounter.MEMORY_REFUSALS, seenRefusals);
  }

  private void relieve(long nowNs) {
    for (Connection c : endpoint.connections()) {
      c.trimIdle();
    }
    round++;
    for (int left = waiting.size(); left > 0; left--) {
      Waiting w = waiting.removeFirst();
      if (w.connection.memoryTurn == round) {
        waiting.addLast(w);
        continue;
      }
      boolean served = false;
      try {
        served = w.channel.tryAgain();
      } finally {
        if (!served) {
          waiting.addLast(w); // there is room: it has just left
        }
      }
      if (served) {
        w.channel.setInMemoryList(false);
      } else if (w.isFirst(nowNs)) {
        w.connection.memoryTurn = round; // those behind it wait for their turn
      }
      w.connection.lookAtState(w.channel);
      endpoint.activate(w.connection);
    }
    memory.received().setShort(!waiting.isEmpty());
  }

  /** The channel is over. */
  public void forget(ChannelEngine channel) {
    if (channel.inMemoryList()) {
      channel.setInMemoryList(false);
      waiting.removeIf(w -> w.channel == channel);
      memory.received().setShort(!waiting.isEmpty());
    }
    news = true;
  }

  /** The connection is over. */
  public void forget(Connection connection) {
    waiting.removeIf(w -> w.connection == connection);
    memory.received().setShort(!waiting.isEmpty());
    news = true;
  }
}

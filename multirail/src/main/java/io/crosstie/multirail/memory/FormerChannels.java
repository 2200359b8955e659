// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.memory;

import io.crosstie.multirail.event.EndpointCounter;
import io.crosstie.multirail.event.NodeEvent;
import io.crosstie.reliability.channel.ChannelEngine;
import io.crosstie.reliability.channel.ReceiveQueue;
import io.crosstie.transport.Counters;
import java.util.ArrayList;
import java.util.List;

/**
 * Channels of connections that are over, with messages that were accepted and are not polled yet.
 * They stay until they are polled. What is not polled for some seconds while living peers wait for
 * the memory is dropped, the oldest first, and named by {@link NodeEvent.MessagesDropped} (R31,
 * R32).
 */
public final class FormerChannels {
  /**
   * What ended, or was polled of, less than so long ago is not dropped. The queue depends on that,
   * see {@link ReceiveQueue#drop}.
   */
  private static final long UNPOLLED_NS = 5_000_000_000L;

  /** Nor is anything, unless somebody has waited for so long. */
  static final long PATIENCE_NS = 2_000_000_000L;

  /** No more are kept, but for those of the last seconds (R24). */
  private static final int MOST = 4096;

  /** And of so many connections, each of which takes some memory: this part of what may live. */
  private static final int CONNECTIONS_SHARE = 8;

  private static final class Former {
    final MemoryUser user;
    final ChannelEngine channel;
    long consumed;
    long sinceNs;

    Former(MemoryUser user, ChannelEngine channel, long nowNs) {
      this.user = user;
      this.channel = channel;
      this.consumed = channel.core().consumedSequence();
      this.sinceNs = nowNs;
    }

    /** Whether it was polled lately. */
    boolean isPolled(long nowNs) {
      long now = channel.core().consumedSequence();
      if (now != consumed) {
        consumed = now;
        sinceNs = nowNs;
      }
      return nowNs - sinceNs < UNPOLLED_NS;
    }
  }

  private final int mostConnections;
  private final Counters<EndpointCounter> counters;

  /** In the order in which they ended. */
  private final ArrayList<Former> all = new ArrayList<>();

  /**
   * None.
   *
   * @param maxConnections that may live at a time
   * @param counters where dropped messages are counted
   */
  public FormerChannels(int maxConnections, Counters<EndpointCounter> counters) {
    this.mostConnections = Math.max(1, maxConnections / CONNECTIONS_SHARE);
    this.counters = counters;
  }

  /** The connection is over. May be called again. */
  @SuppressWarnings("ReferenceEquality") // a connection is a state machine, not a value
  void add(MemoryUser user, List<ChannelEngine> channels, long nowNs) {
    all.removeIf(f -> f.user == user);
    for (ChannelEngine channel : channels) {
      if (channel.received().unpolled() > 0) {
        all.add(new Former(user, channel, nowNs));
      }
    }
    int connections = connections();
    for (int i = 0; i < all.size() && (all.size() > MOST || connections > mostConnections); ) {
      MemoryUser its = all.get(i).user;
      if (all.get(i).isPolled(nowNs) || !drop(i)) {
        i++;
      } else if (!isOf(its, i - 1) && !isOf(its, i)) {
        connections--;
      }
    }
  }

  @SuppressWarnings("ReferenceEquality") // a connection is a state machine, not a value
  private boolean isOf(MemoryUser user, int i) {
    return i >= 0 && i < all.size() && all.get(i).user == user;
  }

  /** Of how many; the channels of one stand together. */
  private int connections() {
    int n = 0;
    for (int i = 0; i < all.size(); i++) {
      n += isOf(all.get(i).user, i - 1) ? 0 : 1;
    }
    return n;
  }

  /** A channel of a connection that is over was polled. */
  void polled(ChannelEngine channel) {
    if (channel.received().unpolled() == 0) {
      all.removeIf(f -> f.channel == channel);
    }
  }

  /** What they have of the pool. */
  long pooledBytes() {
    long bytes = 0;
    for (int i = 0; i < all.size(); i++) {
      bytes += all.get(i).channel.received().pooledBytes();
    }
    return bytes;
  }

  /**
   * Living peers have waited for long: drops the oldest that nobody polls.
   *
   * @param large whether they wait for memory of the pool; else for that of small messages
   * @return whether there was one
   */
  boolean dropOldest(boolean large, long nowNs) {
    boolean dropped = false;
    for (int i = 0; i < all.size(); i++) { // all are looked at, so that each poll is seen
      Former former = all.get(i);
      ChannelEngine channel = former.channel;
      long bytes = large ? channel.received().pooledBytes() : channel.received().chargedBytes();
      if (!former.isPolled(nowNs) && bytes > 0 && !dropped && drop(i)) {
        dropped = true;
        i--;
      }
    }
    return dropped;
  }

  private boolean drop(int i) {
    Former former = all.get(i);
    boolean dropped =
        former
            .channel
            .received()
            .drop(
                (first, last) -> {
                  former.user.onDropped(former.channel, first, last);
                  counters.add(EndpointCounter.MESSAGES_DROPPED, last - first + 1);
                });
    if (dropped) {
      Former unused = all.remove(i);
    }
    return dropped;
  }
}

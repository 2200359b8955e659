// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.memory;

import io.crosstie.reliability.channel.ChannelEngine;
import io.crosstie.reliability.memory.NodeMemory;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import java.util.function.LongSupplier;

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
  private record Waiting(MemoryUser user, ChannelEngine channel, long sinceNs) {
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

  private final NodeMemory memory;
  private final FormerChannels formers;
  private final LongSupplier clock;
  private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();

  /** Those in it. */
  private final Set<ChannelEngine> channels = Collections.newSetFromMap(new IdentityHashMap<>());

  /** Whose channels let one of theirs go first, in the present look. */
  private final Set<MemoryUser> passed = Collections.newSetFromMap(new IdentityHashMap<>());

  private long seenRefusals;

  /** Since the last look something was wanted, or came back. */
  private boolean news;

  private long lookedNs = Long.MIN_VALUE / 2;

  /** Since when somebody waits. */
  private long sinceNs;

  /**
   * Nobody waits.
   *
   * @param clock the engine's time
   */
  public MemoryRelief(NodeMemory memory, FormerChannels formers, LongSupplier clock) {
    this.memory = memory;
    this.formers = formers;
    this.clock = clock;
  }

  /** A channel was refused something. */
  void wanted(MemoryUser user, ChannelEngine channel) {
    if (!channels.contains(channel)) {
      long nowNs = clock.getAsLong();
      if (waiting.isEmpty()) {
        sinceNs = nowNs;
      }
      Waiting last = new Waiting(user, channel, nowNs);
      boolean unusedNew = channels.add(channel);
      boolean listed = false;
      try {
        waiting.addLast(last); // or throws
        listed = true;
      } finally {
        if (!listed) {
          boolean unused = channels.remove(channel);
        }
      }
      memory.received().setShort(true);
      news = true;
    }
  }

  /** Messages were consumed. */
  void released() {
    news = true;
  }

  /** When it is time for a {@link #look}. */
  public long deadlineNs() {
    return waiting.isEmpty() ? Long.MAX_VALUE : lookedNs + (news ? INTERVAL_NS : QUIET_INTERVAL_NS);
  }

  /** Whether it is time for a {@link #look}; asked in each duty cycle. */
  public boolean isDue(long nowNs) {
    boolean isQuiet = !news && nowNs - lookedNs < QUIET_INTERVAL_NS;
    return (memory.refusals() != seenRefusals || (!waiting.isEmpty() && !isQuiet))
        && nowNs - lookedNs >= INTERVAL_NS;
  }

  /**
   * Everybody who waits tries again.
   *
   * @param idle takes back what channels keep in which nothing lies
   */
  public void look(IdleMemory idle, long nowNs) {
    lookedNs = nowNs;
    news = false;
    if (!waiting.isEmpty() && nowNs - sinceNs >= FormerChannels.PATIENCE_NS) {
      boolean unused = formers.dropOldest(false, nowNs);
    }
    idle.trimAll();
    passed.clear();
    for (int left = waiting.size(); left > 0; left--) {
      Waiting w = waiting.removeFirst();
      if (passed.contains(w.user)) {
        waiting.addLast(w);
        continue;
      }
      boolean served = false;
      try {
        served = w.channel.received().retry();
      } finally {
        if (!served) {
          waiting.addLast(w); // there is room: it has just left
        }
      }
      boolean unusedChange =
          served
              ? channels.remove(w.channel)
              : w.isFirst(nowNs) && passed.add(w.user); // those behind it wait for their turn
      w.user.onTriedAgain(w.channel);
    }
    memory.received().setShort(!waiting.isEmpty());
    seenRefusals = memory.refusals();
  }

  /** The channel is over. */
  void forget(ChannelEngine channel) {
    if (channels.remove(channel)) {
      waiting.removeIf(w -> w.channel == channel);
      memory.received().setShort(!waiting.isEmpty());
    }
    news = true;
  }

  /** The connection is over. */
  @SuppressWarnings("ReferenceEquality") // this very one
  void forget(MemoryUser user) {
    waiting.removeIf(w -> w.user == user && channels.remove(w.channel));
    boolean unused = passed.remove(user);
    memory.received().setShort(!waiting.isEmpty());
    news = true;
  }
}

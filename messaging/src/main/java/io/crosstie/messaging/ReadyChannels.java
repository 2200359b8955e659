// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import io.crosstie.multirail.connection.Connection;
import io.crosstie.reliability.channel.ChannelCore;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Queue;
import java.util.function.Consumer;
import org.jctools.queues.varhandle.MpscUnboundedVarHandleArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * The channels of a node on which there is something to poll, so that one poll visits those and no
 * others. An idle channel costs nothing here but one small object.
 *
 * <p>The engine notes in a duty cycle which channels have news, and lists each at its end unless it
 * stands in the queue already. Who polls takes one out, takes its mark off, polls it, and lists it
 * again if something is left. Between the news and the look for the mark the engine has a fence,
 * and so has the poll between the mark and its look for news: one of them sees the other's.
 *
 * <p>Nothing is listed before the first poll asks for it, nor once an application has stopped to
 * poll that way while channels come and go: then the next poll begins anew, by a look at all.
 */
final class ReadyChannels {
  /** So many wait at most; what is beyond that is found by a look at all channels. */
  private static final int MOST = 1 << 16;

  /** Of one channel in one turn, so that a busy one does not hold up the others. */
  private static final int TURN = 64;

  private static final VarHandle LISTED_IN;

  static {
    try {
      LISTED_IN = MethodHandles.lookup().findVarHandle(Entry.class, "listedIn", Queue.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** What is kept of a channel from its first news on. */
  static final class Entry {
    final Channel channel;
    final Connection connection;
    final ChannelCore core;
    private boolean noted; // the engine's

    @SuppressWarnings("UnusedVariable") // through LISTED_IN
    private volatile @Nullable Queue<Entry> listedIn;

    private volatile boolean endTold; // by the poll

    Entry(Channel channel, Connection connection, ChannelCore core) {
      this.channel = channel;
      this.connection = connection;
      this.core = core;
    }

    /** Whether a poll would find something. Any thread. */
    boolean hasNews() {
      return core.hasUnpolled() || (!endTold && isEnded());
    }

    private boolean isEnded() {
      return core.isPeerFinished() || connection.state().isOver();
    }

    /** Whether the end is to be told now, which happens once; the poll. */
    boolean takeEnd() {
      if (endTold || core.hasUnpolled() || !isEnded()) {
        return false;
      }
      endTold = true;
      return true;
    }
  }

  private final Node node;
  private final boolean singleThreaded;

  // the engine's side
  private boolean on;
  private boolean missed; // some were not noted, for want of memory
  private final ArrayList<Entry> noted = new ArrayList<>();

  /** Null as long as nothing is listed. */
  private volatile @Nullable Queue<Entry> queue;

  /**
   * @param node whose channels they are
   * @param singleThreaded whether the engine's thread is the one that polls
   */
  ReadyChannels(Node node, boolean singleThreaded) {
    this.node = node;
    this.singleThreaded = singleThreaded;
  }

  // ---- the engine's thread ----

  /** A channel has news: a message, a completion or its end perhaps. */
  void onNews(Connection connection, ChannelCore core) {
    if (on) {
      try {
        note(connection, core);
      } catch (OutOfMemoryError e) {
        missed = true;
      }
    }
  }

  private void note(Connection connection, ChannelCore core) {
    Entry entry;
    if (core.attachment() instanceof Entry known) {
      entry = known;
    } else {
      // now, while it is there: once it is over, its number may be another one's
      Peer peer = node.peerOrNull(connection.peerName());
      if (peer == null) {
        return;
      }
      entry = new Entry(peer.channelOn(connection, core), connection, core);
      core.attach(entry);
    }
    if (!entry.noted) {
      noted.add(entry);
      entry.noted = true;
    }
  }

  /**
   * The end of a duty cycle: lists the channels with news.
   *
   * @param all every channel that may have something to poll
   */
  void onCycle(Consumer<ReadyChannels> all) {
    if (noted.isEmpty() && !missed) {
      return;
    }
    Queue<Entry> to = queue;
    if (to == null) {
      return;
    }
    if (missed) {
      all.accept(this);
      missed = false;
    }
    if (!singleThreaded) {
      VarHandle.fullFence();
    }
    while (!noted.isEmpty()) {
      Entry entry = noted.getLast();
      if (entry.hasNews()) {
        list(entry, to);
      }
      entry.noted = false;
      Entry unused = noted.removeLast();
    }
    if (to.size() > MOST) {
      end();
    }
  }

  /**
   * Begins to list, with what is there already.
   *
   * @param all as in {@link #onCycle}
   */
  void begin(Consumer<ReadyChannels> all) {
    on = true;
    noted.clear();
    queue = singleThreaded ? new ArrayDeque<>() : new MpscUnboundedVarHandleArrayQueue<>(256);
    all.accept(this);
    onCycle(all);
  }

  /** Nobody takes them out. */
  private void end() {
    on = false;
    queue = null;
  }

  /** One of all, for {@link #begin} and {@link #onCycle}. */
  void lookAt(Connection connection, ChannelCore core) {
    if (core.hasUnpolled() || core.isPeerFinished()) {
      note(connection, core);
    }
  }

  // ---- who polls ----

  /** Whether {@link #begin} is to be called first. */
  boolean isOff() {
    return queue == null;
  }

  /**
   * Visits the channels that have something to poll, each once at most.
   *
   * @param limit most messages and completions
   * @return how many there were
   */
  int poll(ChannelHandler handler, int limit) {
    Queue<Entry> from = queue;
    if (from == null) {
      return 0;
    }
    int count = 0;
    for (int visits = from.size(); visits > 0 && count < limit; visits--) {
      Entry entry = from.poll();
      if (entry == null) {
        break;
      }
      unlist(entry);
      int taken;
      boolean ends;
      try {
        taken = entry.channel.poll(handler, Math.min(limit - count, TURN));
        ends = taken >= 0 && count + taken < limit && entry.takeEnd();
      } finally {
        if (entry.hasNews()) {
          list(entry, from);
        }
      }
      if (taken < 0) {
        return count + ~taken;
      }
      count += taken;
      if (ends) {
        count++;
        handler.onEnd(entry.channel);
      }
    }
    return count;
  }

  /** How many channels wait to be polled. Any thread. */
  int waiting() {
    Queue<Entry> all = queue;
    return all == null ? 0 : all.size();
  }

  private void unlist(Entry entry) {
    if (singleThreaded) {
      LISTED_IN.set(entry, null);
    } else {
      LISTED_IN.setVolatile(entry, null);
    }
  }

  /** Both sides may do so at once. */
  @SuppressWarnings("ReferenceEquality") // this very queue
  private void list(Entry entry, Queue<Entry> to) {
    Object before = LISTED_IN.getOpaque(entry);
    if (before != to && LISTED_IN.compareAndSet(entry, before, to)) {
      boolean added = false;
      try {
        added = to.offer(entry);
      } finally {
        if (!added) {
          unlist(entry); // for want of memory: with its next news
        }
      }
    }
  }
}

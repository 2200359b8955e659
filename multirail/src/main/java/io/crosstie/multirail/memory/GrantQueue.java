// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.memory;

import io.crosstie.reliability.channel.ChannelEngine;
import io.crosstie.reliability.channel.ChannelSender;
import io.crosstie.reliability.memory.BufferPool;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.function.LongSupplier;

/**
 * Large messages that wait for memory of the node's pool: granted whole or not at all (R12), by
 * turns between peers, and of one peer between channels (R32). At most {@link
 * ChannelSender#MAX_UNANSWERED} announcements of a channel wait.
 *
 * <p><b>A share is a turn.</b> Who has nothing of the pool may take all of it; who has something
 * gets more as long as half of it is left for those who have nothing. Whose turn it is, is waited
 * for by all others if the pool has no room: it empties, since what is granted arrives or is
 * revoked, and is polled. So the largest message is granted at last. Only where what would have to
 * be given back lies on channels that nobody polls, the others pass.
 *
 * <p><b>A grant has to be used.</b> While others wait, each channel has to bring what it was
 * granted, at a modest rate at least and after a round trip or two; else its grants are revoked,
 * and it waits for another turn: the longer, the more often it brought nothing. Who brought
 * something, though too slowly, is given twice the time on the next turn: every message comes to an
 * end.
 *
 * <p><b>Former lives.</b> What was accepted before a connection ended, and is not polled while
 * others wait, is dropped in the end, see {@link FormerChannels}.
 *
 * <p>What the pool's bound permits may still have to wait until the memory is there, since that is
 * taken elsewhere or in parts (R37). Then the pool is asked again, less and less often.
 */
public final class GrantQueue {
  private static final long MAX_INTERVAL_NS = 100_000_000L;

  /** While somebody waits, it is looked that often at who has the pool's memory. */
  private static final long LOOK_NS = 50_000_000L;

  /** What nobody has polled of for so long is not waited for. */
  private static final long UNPOLLED_NS = 1_000_000_000L;

  /** A grant may be unused for so long and some round trips, while others wait. */
  private static final long UNUSED_NS = 500_000_000L;

  private static final int ROUND_TRIPS = 4;

  /** Then it has to bring that much in a second, or the whole message in so many seconds. */
  private static final long LEAST_RATE = 1 << 20;

  private static final int MOST_SECONDS = 30;

  /** Who brings less than that in a second is not given more time. */
  private static final long SLOWEST_RATE = 64 << 10;

  private static final int MOST_DOUBLINGS = 12;

  /** Who brought nothing lets others go first for so long; twice as long each time. */
  private static final long PENALTY_NS = 250_000_000L;

  private static final int MOST_PENALTIES = 5;

  private static final int GRANTED = 0;

  /** The pool has no room, and it will have: everybody waits. */
  private static final int AWAITED = 1;

  /** The pool's memory is not there yet: everybody waits. */
  private static final int NO_MEMORY = 2;

  /** It has enough: the others of its peer wait. */
  private static final int HAS_ENOUGH = 3;

  /** Others go first. */
  private static final int PASSED = 4;

  /** A channel that has announced something, ever. */
  private static final class Line {
    final Turns peer;
    final ChannelEngine channel;

    // what waits, in order
    long[] seq = new long[ChannelSender.FIRST_UNANSWERED];
    long[] length = new long[ChannelSender.FIRST_UNANSWERED];
    long[] after = new long[ChannelSender.FIRST_UNANSWERED]; // what has to be granted first, or 0
    int count;
    long keptBytes;
    long sinceNs;

    // what it has
    long episode;
    long unpolled;
    long consumed;
    long consumedNs;

    // how it uses its grants
    boolean watched;
    long dueNs;
    long seen;
    long watchedNs;
    long seenFirst;
    int doublings;
    int penalties;
    long notBeforeNs;
    long revoked;

    Line(Turns peer, ChannelEngine channel) {
      this.peer = peer;
      this.channel = channel;
    }

    void answered() {
      count--;
      System.arraycopy(seq, 1, seq, 0, count);
      System.arraycopy(length, 1, length, 0, count);
      System.arraycopy(after, 1, after, 0, count);
      if (count == 0) {
        clear();
      }
    }

    /** Nothing waits. */
    void clear() {
      count = 0;
      if (keptBytes > 0) {
        resize(ChannelSender.FIRST_UNANSWERED);
        channel.received().keepNoLonger(keptBytes);
        keptBytes = 0;
      }
    }

    private void resize(int size) {
      seq = Arrays.copyOf(seq, size);
      length = Arrays.copyOf(length, size);
      after = Arrays.copyOf(after, size);
    }

    /**
     * An announcement waits, at its place in the order of the channel: packets may be overtaken.
     *
     * @return false if it is known, or there is no room
     */
    boolean put(long number, long bytes, long behindNumber) {
      int at = count;
      while (at > 0 && seq[at - 1] >= number) {
        at--;
      }
      if (at < count && seq[at] == number) {
        after[at] = Math.min(after[at], behindNumber);
        return false;
      }
      if (count == seq.length && !more()) {
        return false;
      }
      System.arraycopy(seq, at, seq, at + 1, count - at);
      System.arraycopy(length, at, length, at + 1, count - at);
      System.arraycopy(after, at, after, at + 1, count - at);
      seq[at] = number;
      length[at] = bytes;
      after[at] = behindNumber;
      count++;
      return true;
    }

    private boolean more() {
      int size = Math.min(2 * count, ChannelSender.MAX_UNANSWERED);
      long bytes = 3L * Long.BYTES * (size - count);
      if (size == count || !channel.received().tryKeep(bytes)) {
        return false;
      }
      keptBytes += bytes;
      resize(size);
      return true;
    }
  }

  /** A peer. */
  private static final class Turns {
    final MemoryUser user;
    final IdentityHashMap<ChannelEngine, Line> byChannel = new IdentityHashMap<>();
    final ArrayList<Line> lines = new ArrayList<>();
    final ArrayList<Line> waiting = new ArrayList<>();
    long unpolled;

    Turns(MemoryUser user) {
      this.user = user;
    }

    long pooledBytes() {
      long bytes = 0;
      for (int i = 0; i < lines.size(); i++) {
        bytes += lines.get(i).channel.received().pooledBytes();
      }
      return bytes;
    }
  }

  private final BufferPool pool;
  private final MemoryRelief relief;
  private final FormerChannels formers;
  private final LongSupplier clock;
  private final IdentityHashMap<MemoryUser, Turns> byUser = new IdentityHashMap<>();
  private final ArrayList<Turns> peers = new ArrayList<>();

  /** Those that wait; whose turn it is comes first. */
  private final ArrayList<Turns> turns = new ArrayList<>();

  /** What lies on channels that nobody polls, those of connections that are over included. */
  private long unpolled;

  private long lookedNs;

  /** Counts the times that somebody began to wait, where nobody did. */
  private long episode;

  /** When the pool is asked again, if nothing comes back to it before. */
  private long nextNs = Long.MAX_VALUE;

  /** Since when the first has waited for nothing but memory. */
  private long sinceNs;

  private boolean memoryIsAwaited;

  /**
   * An empty one.
   *
   * @param relief where those wait who have too little of what small messages take
   * @param clock the engine's time
   */
  public GrantQueue(
      BufferPool pool, MemoryRelief relief, FormerChannels formers, LongSupplier clock) {
    this.pool = pool;
    this.relief = relief;
    this.formers = formers;
    this.clock = clock;
  }

  /**
   * An announcement arrived, perhaps again. It is granted after those before it, though one of them
   * may not have arrived yet.
   *
   * @param behind so many messages before it is one that was announced, and waits too; 0 for none
   * @param round that the sender believes to be the present one
   * @return false if no peer that keeps to the protocol can believe that
   */
  public boolean request(
      MemoryUser user, ChannelEngine channel, long seq, long length, int behind, int round) {
    if (behind >= seq) {
      return false;
    }
    if (round != channel.receiver().grantRound()) {
      if ((short) (channel.receiver().grantRound() - round) < 0) {
        return false;
      }
      channel.receiver().retransmitRevoke(); // it does not know yet, or this is older
      return true;
    }
    channel.receiver().revokeConfirmed();
    if (channel.received().isGranted(seq)) {
      channel.receiver().grantRepeated(seq, length);
      return true;
    }
    Line line = line(user, channel);
    boolean isFirst = line.count == 0;
    if (!line.put(seq, length, behind == 0 ? 0 : seq - behind)) {
      return true; // known already, or more than a peer announces
    }
    long nowNs = clock.getAsLong();
    if (turns.isEmpty()) {
      begin(nowNs);
    }
    Turns peer = line.peer;
    if (isFirst) {
      line.sinceNs = nowNs;
      peer.waiting.add(line);
      if (peer.waiting.size() == 1) {
        turns.add(peer);
      }
    }
    retry();
    return true;
  }

  private Line line(MemoryUser user, ChannelEngine channel) {
    Turns peer = byUser.get(user);
    if (peer == null) {
      peer = new Turns(user);
      turns.ensureCapacity(peers.size() + 1); // from now on to wait needs no memory
      peers.add(peer);
      byUser.put(user, peer);
    }
    Line line = peer.byChannel.get(channel);
    if (line == null) {
      line = new Line(peer, channel);
      peer.waiting.ensureCapacity(peer.lines.size() + 1);
      peer.lines.add(line);
      peer.byChannel.put(channel, line);
    }
    return line;
  }

  /** Somebody waits, where nobody did. */
  private void begin(long nowNs) {
    episode++;
    unpolled = formers.pooledBytes();
    lookedNs = nowNs;
  }

  /** When {@link #onTimer} is due. */
  public long deadlineNs() {
    return turns.isEmpty() ? Long.MAX_VALUE : Math.min(nextNs, lookedNs + LOOK_NS);
  }

  /** Memory may be there by now, or somebody does not use what he has. */
  public void onTimer(long nowNs) {
    if (turns.isEmpty()) {
      return;
    }
    if (nowNs - lookedNs >= LOOK_NS) {
      lookedNs = nowNs;
      look(nowNs);
      retry();
    } else if (nowNs >= nextNs) {
      retry();
    }
  }

  // ---- whose turn it is

  /** Memory came back, or may be there. */
  public void retry() {
    nextNs = Long.MAX_VALUE;
    long nowNs = clock.getAsLong();
    for (int i = 0; i < turns.size(); ) {
      Turns peer = turns.get(i);
      int outcome = next(peer, nowNs);
      if (outcome == NO_MEMORY) {
        askAgain(nowNs);
        return;
      }
      if (outcome == AWAITED) {
        break;
      }
      if (outcome == GRANTED) {
        memoryIsAwaited = false;
        Turns unused = turns.remove(i);
        if (!peer.waiting.isEmpty()) {
          turns.add(peer);
        }
      } else {
        i++;
      }
    }
    memoryIsAwaited = false;
  }

  private void askAgain(long nowNs) {
    if (!memoryIsAwaited) {
      memoryIsAwaited = true;
      sinceNs = nowNs;
    }
    nextNs = pool.isFreeing() ? nowNs : nowNs + Math.min((nowNs - sinceNs) / 4, MAX_INTERVAL_NS);
  }

  /** Grants a peer's next message, if that can be. */
  private int next(Turns peer, long nowNs) {
    long had = peer.pooledBytes();
    for (int i = 0; i < peer.waiting.size(); i++) {
      Line line = peer.waiting.get(i);
      int outcome = grant(line, had, nowNs);
      if (outcome == GRANTED) {
        Line unused = peer.waiting.remove(i);
        if (line.count > 0) {
          peer.waiting.add(line);
        }
        return GRANTED;
      }
      if (outcome != PASSED) {
        return outcome;
      }
    }
    return PASSED;
  }

  private int grant(Line line, long had, long nowNs) {
    if (nowNs < line.notBeforeNs && turns.size() > 1) {
      return PASSED;
    }
    if (line.after[0] != 0 && !line.channel.received().isGranted(line.after[0])) {
      return PASSED; // the announcement of that one is still on its way
    }
    long length = line.length[0];
    long charge = BufferPool.chargeBytes(length);
    ChannelEngine channel = line.channel;
    long used = pool.usedBytes();
    boolean fits = pool.canTake(length);
    if (!fits || !mayTake(channel.received().pooledBytes(), had, used, charge)) {
      boolean isKnown = line.episode == episode;
      long its = isKnown ? line.unpolled : 0;
      long ofPeer = isKnown ? line.peer.unpolled : 0;
      if (!mayTake(its, ofPeer, unpolled, charge)) {
        return PASSED; // nobody knows whether that is ever given back
      }
      return had == 0 ? AWAITED : HAS_ENOUGH;
    }
    if (!channel.received().grant(line.seq[0], length)) {
      if (channel.received().takeWantsMemory()) {
        relief.wanted(line.peer.user, channel); // its peer's own share, of what is small
        return PASSED;
      }
      return NO_MEMORY;
    }
    channel.receiver().grantDue(line.seq[0]);
    line.answered();
    line.sinceNs = nowNs;
    line.dueNs = Math.max(line.dueNs, nowNs + unusedNs(line));
    line.peer.user.onGranted(channel);
    return GRANTED;
  }

  /**
   * Whether it leaves enough for others: half of the pool beside a channel that has something, so
   * that the largest message fits beside one that nobody polls; less beside other channels of the
   * same peer, which the one must not hold up either.
   *
   * @param channel what the channel has
   * @param peer what all channels of its peer have
   * @param used what all have
   */
  private boolean mayTake(long channel, long peer, long used, long charge) {
    long all = pool.capacityBytes();
    long free = all - used - charge;
    if (free < 0 || peer == 0) {
      return free >= 0; // a share is a turn, never a ceiling
    }
    return free >= (channel == 0 ? all / 8 * 3 : all / 2);
  }

  // ---- who has the memory

  private void look(long nowNs) {
    unpolled = 0;
    long waitedNs = 0;
    for (Turns peer : peers) {
      peer.unpolled = 0;
      for (Line line : peer.lines) {
        if (line.count > 0) {
          waitedNs = Math.max(waitedNs, nowNs - line.sinceNs);
        }
        look(line, nowNs);
        peer.unpolled += line.unpolled;
      }
      unpolled += peer.unpolled;
    }
    if (waitedNs >= FormerChannels.PATIENCE_NS) {
      boolean unused = formers.dropOldest(true, nowNs);
    }
    unpolled += formers.pooledBytes();
  }

  private void look(Line line, long nowNs) {
    ChannelEngine channel = line.channel;
    long pooled = channel.received().pooledBytes();
    long granted = channel.received().grantedBytes();
    long consumed = channel.core().consumedSequence();
    if (line.episode != episode) {
      line.episode = episode;
      line.watched = false;
      line.consumed = -1;
    }
    if (consumed != line.consumed || pooled == granted) {
      line.consumed = consumed;
      line.consumedNs = nowNs;
    }
    line.unpolled = nowNs - line.consumedNs >= UNPOLLED_NS ? pooled - granted : 0;
    if (line.revoked > 0 && channel.received().accepted() >= line.revoked) {
      line.revoked = 0; // it came to its end
      line.doublings = 0;
      line.penalties = 0;
    }
    if (granted == 0 || !othersWait(line)) {
      line.watched = false;
      return;
    }
    long progress = channel.receiver().grantProgress();
    long mostNs = nowNs + unusedNs(line);
    if (!line.watched) {
      line.watched = true;
      line.dueNs = mostNs;
      line.watchedNs = nowNs;
      line.seenFirst = progress;
    } else {
      double rate = Math.max(LEAST_RATE, granted / MOST_SECONDS);
      long earnedNs = (long) ((progress - line.seen) * (1e9 / rate));
      line.dueNs = Math.min(mostNs, line.dueNs + earnedNs);
    }
    line.seen = progress;
    if (nowNs >= line.dueNs) {
      revoke(line, nowNs);
    }
  }

  private boolean othersWait(Line line) {
    return turns.size() > 1
        || (turns.size() == 1
            && (turns.getFirst() != line.peer
                || line.peer.waiting.size() > 1
                || line.peer.waiting.getFirst() != line));
  }

  /** How long its grants may bring nothing. */
  private static long unusedNs(Line line) {
    long rttNs = line.peer.user.longestRttNs();
    return (UNUSED_NS + ROUND_TRIPS * rttNs) << line.doublings;
  }

  private void revoke(Line line, long nowNs) {
    ChannelEngine channel = line.channel;
    if (!channel.receiver().revoke()) {
      return;
    }
    double brought = line.seen - line.seenFirst;
    if (brought * 1e9 >= (double) SLOWEST_RATE * (nowNs - line.watchedNs)) {
      line.doublings = Math.min(line.doublings + 1, MOST_DOUBLINGS);
    } else {
      line.penalties = Math.min(line.penalties + 1, MOST_PENALTIES);
      line.notBeforeNs = nowNs + (PENALTY_NS << line.penalties);
    }
    line.watched = false;
    line.revoked = channel.received().accepted() + 1;
    line.clear(); // all is announced again, and in order
    leave(line);
    line.peer.user.onRevoked(channel);
  }

  @SuppressWarnings("ReferenceEquality") // this very one
  private void leave(Line line) {
    Turns peer = line.peer;
    if (peer.waiting.remove(line) && peer.waiting.isEmpty()) {
      turns.remove(peer);
    }
  }

  /** The channel is over. */
  public void forget(MemoryUser user, ChannelEngine channel) {
    Turns peer = byUser.get(user);
    Line line = peer == null ? null : peer.byChannel.remove(channel);
    if (line != null) {
      leave(line);
      line.clear();
      boolean unused = line.peer.lines.remove(line);
      retry();
    }
  }

  /** The connection is over. */
  public void forget(MemoryUser user) {
    Turns peer = byUser.get(user);
    if (peer == null) {
      return;
    }
    for (Line line : peer.lines) {
      line.clear();
    }
    turns.remove(peer);
    peers.remove(peer);
    byUser.remove(user);
    retry();
  }
}

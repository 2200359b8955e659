// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.path;

import io.crosstie.multirail.config.EndpointConfig;
import io.crosstie.multirail.event.RailState;
import io.crosstie.reliability.channel.ChannelEngine;
import io.crosstie.reliability.fault.PlantedFault;
import io.crosstie.reliability.loss.LossThresholds;
import io.crosstie.reliability.loss.RetransmitQueue;
import io.crosstie.reliability.loss.SentItem;
import io.crosstie.reliability.loss.SentPackets;
import io.crosstie.reliability.time.Backoff;
import io.crosstie.reliability.time.SlipClock;
import io.crosstie.reliability.wire.AckFrame;
import io.crosstie.transport.Rail;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of packets that left: acknowledged, lost, or late. A lost packet is never sent
 * again; its fragments are queued and leave under new numbers on whichever rail the scheduler picks
 * (R1).
 *
 * <p>Detection works per rail and never compares arrivals across rails (R5, R26): by later numbers
 * acknowledged, by time after a later one was, and by a timeout per packet that doubles with each
 * transmission of its fragments (R7). A lossless rail has no ACK frames: its consumer position
 * stands for them.
 */
public final class Recovery {
  // How much may have left since a consumer's position was last read, before it is read again.
  // Where messages go to and fro the reading lengthens one trip in a hundred by half.
  private static final long READ_INTERVAL_NS = 50_000L;
  private static final int READ_PACKETS = 256;
  private static final long READ_BYTES = 64 << 10;

  /** While a rail is silent, it is looked that often whether others prove the peer awake. */
  private static final long PROOF_INTERVAL_NS = 200_000L;

  private static final long MAX_TIMEOUT_NS = 2_000_000_000L;

  private final Paths paths;
  private final RetransmitQueue retransmit;
  private final EndpointConfig config;
  private final SlipClock clock;
  private final RandomGenerator jitter;
  private final PlantedFault planted;
  private final LostItems lostItems;
  private final BooleanSupplier reinjects;

  /** What was acknowledged may have made something due to be said. */
  private boolean news;

  // The packets of the acknowledgement at hand.
  private long ackedBytes;
  private long newestDelivered = -1;
  private long newestAcked;

  private final LongConsumer noted = this::onNoted;
  private @Nullable RailPath noting;

  /**
   * For the rails of one connection.
   *
   * @param retransmit where lost fragments go
   * @param clock the node's
   * @param jitter draws what timeouts are shortened by
   * @param reinjects whether fragments of a silent rail are sent again on others; off as a negative
   *     control
   * @param lostItems where what else was in lost packets is said again
   */
  public Recovery(
      Paths paths,
      RetransmitQueue retransmit,
      EndpointConfig config,
      SlipClock clock,
      RandomGenerator jitter,
      PlantedFault planted,
      BooleanSupplier reinjects,
      LostItems lostItems) {
    this.paths = paths;
    this.retransmit = retransmit;
    this.config = config;
    this.clock = clock;
    this.jitter = jitter;
    this.planted = planted;
    this.reinjects = reinjects;
    this.lostItems = lostItems;
  }

  /** Whether fragments of a silent rail are sent again on others. */
  public boolean reinjects() {
    return reinjects.getAsBoolean();
  }

  /** When a packet that leaves now, whose fragments left that often before, is given up. */
  public long deadlineNs(RailPath path, int transmissions, long nowNs) {
    if (transmissions > 0) {
      return nowNs + timeoutNs(path, transmissions);
    }
    PacketTimers timers = path.timers();
    if (!timers.hasDeadline(path.link().isLossless(), nowNs)) {
      timers.setDeadlineOfNew(nowNs + timeoutNs(path, 0), nowNs);
    }
    return timers.deadlineOfNew();
  }

  /** The timeout of a packet whose fragments left that often before. */
  private long timeoutNs(RailPath path, int transmissions) {
    long base = path.timeoutBaseNs(paths.peerAckDelayNs(), config.suspectFloorNs());
    base +=
        base / 7; // the jitter takes up to an eighth off, and the rest must still outlast a round
    // trip
    return Backoff.delayNs(base, transmissions + 1, MAX_TIMEOUT_NS, jitter);
  }

  /**
   * Reads how far the peer has consumed a lossless rail; of another nothing is read.
   *
   * @param now whether somebody is about to be judged by it; else it is read no more often than is
   *     of use
   * @return whether packets were acknowledged by that
   */
  boolean pollConsumed(RailPath path, boolean now, long nowNs) {
    SentPackets sent = path.sent();
    Rail rail = path.link().rail();
    if (!path.link().isLossless()
        || sent.outstanding() == 0
        || rail == null
        || !(now || isReadDue(path, nowNs))) {
      return false;
    }
    path.timers().onPositionRead(nowNs);
    long until = path.link().consumedUntil(rail);
    if (sent.outstanding() == 0 || sent.lowestOutstanding() >= until) {
      return false;
    }
    newestAcked = newestOutstanding(sent, until);
    noting = path;
    ackedBytes = sent.markAllAcked(until, noted);
    judgeAcked(path, nowNs);
    if (path.state() != RailState.ACTIVE) {
      news = true;
    }
    return true;
  }

  /** Whether, since it was asked last, something may have become due to be said. */
  boolean takeNews() {
    boolean any = news;
    news = false;
    return any;
  }

  private static long newestOutstanding(SentPackets sent, long until) {
    long n = Math.min(until, sent.nextNumber()) - 1;
    while (sent.state(n) != SentPackets.OUTSTANDING) {
      n--;
    }
    return n;
  }

  /** A packet was acknowledged whose items ask for something to be done. */
  private void onNoted(long n) {
    RailPath path = noting;
    if (path != null) {
      onItemsAcked(path, n);
      news = true;
    }
  }

  /**
   * The peer writes its position with every batch. Whoever reads it takes the cache line away from
   * the peer, whose next message then waits until it has it back: a third of a round trip.
   */
  private static boolean isReadDue(RailPath path, long nowNs) {
    return path.timers().positionAgeNs(nowNs) >= READ_INTERVAL_NS
        || path.sent().outstanding() >= READ_PACKETS
        || path.congestion().flightBytes() >= READ_BYTES;
  }

  /**
   * An ACK frame for a rail's packets arrived.
   *
   * @param by the rail that brought it
   * @return whether packets were acknowledged that were outstanding; {@link #onAckEnd} has to
   *     follow
   */
  boolean onAck(RailPath path, RailPath by, byte[] m, int at, long nowNs) {
    SentPackets sent = path.sent();
    long largest = AckFrame.largest(m, at);
    byte was = sent.state(largest);
    boolean late = isGivenUp(was);
    boolean newlyLargest = late || was == SentPackets.OUTSTANDING;
    long largestSentNs = newlyLargest ? sent.sentNs(largest) : 0;
    boolean any = false;
    int runs = AckFrame.runCount(m, at);
    long end = largest;
    for (int i = 0; i < runs; i++) {
      if (i > 0) {
        end -= AckFrame.gap(m, at, i);
        if (planted(PlantedFault.GAPS_ACKNOWLEDGED)) {
          end += AckFrame.gap(m, at, i);
        }
      }
      long start = end - AckFrame.run(m, at, i) + 1;
      long floor = Math.max(start, sent.lowestOutstanding());
      for (long n = floor; n <= end; ) {
        byte state = sent.state(n);
        if (state == SentPackets.OUTSTANDING) {
          n += acked(path, n, end);
          any = true;
          continue;
        }
        if (isGivenUp(state)) {
          spurious(path, n, largest, nowNs);
        }
        n++;
      }
      // Packets given up below the lowest outstanding one may be named too.
      long last = Math.min(end, floor - 1);
      for (long n = Math.max(start, last - 256); n <= last; n++) {
        if (isGivenUp(sent.state(n))) {
          spurious(path, n, largest, nowNs);
        }
      }
      end = start - 1;
    }
    if (any) {
      judgeAcked(path, nowNs);
      if (sent.outstanding() == 0) {
        path.timers().expectNoTimeout();
      }
    }
    if (newlyLargest) {
      long delay = Math.min(AckFrame.delayMicros(m, at) * 1000L, paths.peerAckDelayNs());
      long sample = path.clock().toRaw(nowNs) - path.clock().wasRaw(largestSentNs);
      if (sample < path.rtt().windowedMinNs()) { // or is the clock's sample older than the packet?
        sample += clock.freshNs() - nowNs;
      }
      // Sent and acknowledged within one duty cycle tells nothing. Nor does a way back that is
      // shorter than the rail's own: against a round trip that the rail does not have, all its
      // packets would seem to queue, and its rate would be lowered until nothing is left of it.
      // But where nothing comes back by the rail itself for long, there is nothing else to go by.
      boolean foreign =
          by != path && sample < path.rtt().windowedMinNs() && path.rtt().isRecent(nowNs);
      if (sample > 0 && !foreign) {
        boolean slept = largestSentNs < path.clock().lastSlipAtNs();
        if (!late) {
          path.congestion().onRttSample(sample, delay, slept, path.clock().toRaw(nowNs));
        } else {
          // The path may have become longer than any packet is waited for, which would never show
          // otherwise. But the peer may have paused as well, and that must not hide the next
          // silence.
          sample = Math.min(sample, 2 * path.responseNs(paths.peerAckDelayNs()));
        }
        if (!slept) {
          path.rtt().onSample(sample, delay, nowNs);
        }
      }
    }
    return any;
  }

  /**
   * One packet of an acknowledgement, and those behind it that left with it, up to a last one;
   * after all of them, {@link #judgeAcked}.
   *
   * @return how many
   */
  private int acked(RailPath path, long n, long last) {
    SentPackets sent = path.sent();
    int packets = sent.markAcked(n, last);
    int bytes = sent.bytes(n);
    ackedBytes += (long) packets * bytes;
    path.size().onPacketAcked(bytes, n + packets - 1);
    if (sent.delivered(n) >= newestDelivered) {
      newestDelivered = sent.delivered(n);
      newestAcked = n;
    }
    if (sent.hasNotes(n)) {
      onItemsAcked(path, n); // such a packet has no others with it
    }
    return packets;
  }

  /** What the packets just acknowledged teach, all together: the newest makes the sample. */
  private void judgeAcked(RailPath path, long nowNs) {
    SentPackets sent = path.sent();
    long n = newestAcked;
    path.congestion()
        .onAcked(
            ackedBytes,
            sent.delivered(n),
            sent.deliveredTimeNs(n),
            sent.firstSentNs(n),
            path.clock().wasRaw(sent.sentNs(n)),
            sent.isAppLimited(n),
            path.clock().toRaw(nowNs));
    path.health().onProven(sent.sentNs(n));
    ackedBytes = 0;
    newestDelivered = -1;
  }

  private void onItemsAcked(RailPath path, long n) {
    SentPackets sent = path.sent();
    for (int i = sent.itemCount(n) - 1; i >= 0; i--) {
      switch (sent.itemKind(n, i)) {
        case SentItem.ACK -> {
          RailPath of = paths.get(sent.itemLength(n, i));
          if (of != null) {
            of.received().onAckDelivered(sent.itemFirst(n, i));
          }
        }
        case SentItem.SIZE_PROBE -> path.onSizeProbeAcked(sent.itemLength(n, i));
        default -> {
          // fragments are done with when the peer's data acknowledgement says so (R4)
        }
      }
    }
  }

  private static boolean isGivenUp(byte state) {
    return state == SentPackets.LOST || state == SentPackets.DISCARDED;
  }

  private void spurious(RailPath path, long n, long largest, long nowNs) {
    if (path.sent().state(n) == SentPackets.LOST) {
      path.congestion().onSpuriousLoss(path.sent().bytes(n)); // it was charged as a loss
    }
    path.sent().markSpurious(n);
    path.counters().increment(RailCounter.SPURIOUS);
    long ageNs = nowNs - path.sent().sentNs(n);
    path.timers().onSpuriousLoss(largest - n, ageNs, path.rtt());
  }

  /** The end of an ACK that acknowledged all up to a number at most: what it shows to be lost. */
  void onAckEnd(RailPath path, long largest, long nowNs) {
    if (path.timers().onRounds(path.congestion().rounds())) {
      paths.onRound();
    }
    detectLosses(path, largest, nowNs);
  }

  /**
   * R5: what is three numbers, or nine eighths of a round trip, behind something acknowledged is
   * lost.
   */
  private void detectLosses(RailPath path, long largest, long nowNs) {
    SentPackets sent = path.sent();
    PacketTimers timers = path.timers();
    timers.expectNoLoss();
    if (sent.outstanding() == 0 || sent.lowestOutstanding() > largest) {
      return;
    }
    long patience = timers.patienceNs(path.rtt());
    int distance = timers.packetThreshold();
    for (long n = sent.lowestOutstanding(); n < largest && n < sent.nextNumber(); n++) {
      if (sent.state(n) != SentPackets.OUTSTANDING) {
        continue;
      }
      if (largest - n >= distance) {
        lost(path, n, RailCounter.LOST_BY_THRESHOLD, -1, nowNs);
      } else if (nowNs - sent.sentNs(n) >= patience) {
        lost(path, n, RailCounter.LOST_BY_TIME, -1, nowNs);
      } else {
        timers.expectLoss(sent.sentNs(n) + patience);
      }
    }
    timers.onLossesLookedFor(largest);
  }

  /** A packet is given up; what it carried is queued, unless it was already. */
  void lost(RailPath path, long n, RailCounter cause, int avoid, long nowNs) {
    SentPackets sent = path.sent();
    boolean again = sent.isRequeued(n);
    boolean probe = isSizeProbe(sent, n);
    boolean silence =
        cause == RailCounter.LOST_BY_RAIL_DOWN || cause == RailCounter.LOST_BY_TIMEOUT;
    if (silence || probe) {
      path.congestion().onDiscarded(sent.bytes(n)); // tells nothing about congestion
      sent.markDiscarded(n);
    } else {
      path.congestion().onLost(sent.bytes(n));
      sent.markLost(n);
      boolean othersPass =
          cause == RailCounter.LOST_BY_THRESHOLD || cause == RailCounter.LOST_BY_TIME;
      if (othersPass) {
        path.onOvertakenLost(sent.bytes(n), n, nowNs);
      }
    }
    if (!again) {
      path.counters().increment(cause);
      queueItems(path, n, avoid);
    }
  }

  private static boolean isSizeProbe(SentPackets sent, long n) {
    return sent.itemCount(n) > 0 && sent.itemKind(n, 0) == SentItem.SIZE_PROBE;
  }

  /** Queues the content of a packet once more. */
  private void queueItems(RailPath path, long n, int avoid) {
    SentPackets sent = path.sent();
    int transmissions = sent.transmissions(n) + 1;
    for (int i = 0; i < sent.itemCount(n); i++) {
      ChannelEngine channel = sent.itemChannel(n, i);
      byte kind = sent.itemKind(n, i);
      long first = sent.itemFirst(n, i);
      switch (kind) {
        case SentItem.EAGER, SentItem.FRAGMENT -> {
          boolean isForgotten =
              avoid >= 0
                  && planted(PlantedFault.PLACED_NOT_AGAIN)
                  && channel != null
                  && channel.isPlacement();
          if (channel != null && !planted(notAgain(kind)) && !isForgotten) {
            retransmit.add(
                kind,
                channel,
                first,
                sent.itemOffset(planted(PlantedFault.RUN_FORGOTTEN) ? sent.firstOfRecord(n) : n, i),
                sent.itemLength(n, i),
                transmissions,
                avoid,
                sent,
                n);
          }
        }
        case SentItem.SIZE_PROBE -> path.size().onLost(sent.itemLength(n, i), false);
        case SentItem.ACK -> {
          // the next one says the same and more
        }
        default ->
            lostItems.again(kind, channel, first, sent.itemOffset(n, i), sent.itemLength(n, i));
      }
    }
  }

  private static PlantedFault notAgain(byte kind) {
    return kind == SentItem.EAGER ? PlantedFault.WHOLE_NOT_AGAIN : PlantedFault.FRAGMENT_NOT_AGAIN;
  }

  private boolean planted(PlantedFault fault) {
    return planted == fault;
  }

  /**
   * The peer could not use a packet.
   *
   * @return whether it was outstanding, so that the rail brought news
   */
  boolean onNack(RailPath path, long n, long nowNs) {
    path.counters().increment(RailCounter.NACKS_IN);
    byte state = path.sent().state(n);
    if (state == SentPackets.OUTSTANDING) {
      lost(path, n, RailCounter.LOST_BY_NACK, -1, nowNs);
      return true;
    }
    if (state == SentPackets.ACKED
        && path.link().isLossless()
        && !planted(PlantedFault.NACK_BEHIND_POSITION_IGNORED)) {
      // The position passed it before the NACK came: only the transfer was confirmed, not the
      // content (R4).
      path.counters().increment(RailCounter.LOST_BY_NACK);
      queueItems(path, n, -1);
      path.sent().markNacked(n);
    }
    return false;
  }

  /**
   * Sends the present bytes of a message once more, all that left before.
   *
   * @return false if its end is to be told once more instead, since it has failed
   */
  public boolean resendMessage(ChannelEngine channel, long seq) {
    if (channel.sent().isFailed(seq)) {
      channel.sender().retransmitAbort(seq);
      return false;
    }
    long bytes = channel.sender().sentBytesOf(seq);
    if (channel.sent().length(seq) == bytes && bytes < 1000 && !channel.isPlacement()) {
      retransmit.add(SentItem.EAGER, channel, seq, 0, 1, 1, -1, null, 0);
      return true;
    }
    for (long from = 0; from < bytes; from += 1 << 20) {
      int part = (int) Math.min(1 << 20, bytes - from);
      retransmit.add(SentItem.FRAGMENT, channel, seq, from, part, 1, -1, null, 0);
    }
    return true;
  }

  /**
   * Queues everything outstanding on a rail for others (R8), once per packet; the packets stay
   * outstanding in case they arrive after all.
   */
  void reinject(RailPath path) {
    if (!reinjects()) {
      return;
    }
    SentPackets sent = path.sent();
    for (long n = sent.lowestOutstanding(); n < sent.nextNumber(); n++) {
      if (sent.state(n) == SentPackets.OUTSTANDING && !sent.isRequeued(n)) {
        sent.setRequeued(n);
        path.counters().increment(RailCounter.REINJECTED);
        queueItems(path, n, path.id());
      }
    }
  }

  /** A rail is gone: nothing on it will be acknowledged. A dead rail is merely a bulk loss. */
  void discardAll(RailPath path, long nowNs) {
    SentPackets sent = path.sent();
    long end = sent.nextNumber();
    boolean requeue = reinjects();
    for (long n = sent.lowestOutstanding(); n < end && sent.outstanding() > 0; n++) {
      if (sent.state(n) == SentPackets.OUTSTANDING) {
        if (!requeue) {
          sent.setRequeued(n); // the negative control: what was bound to this rail stays lost
        }
        lost(path, n, RailCounter.LOST_BY_RAIL_DOWN, path.id(), nowNs);
      }
    }
    path.timers().clear();
  }

  /**
   * Time-threshold losses and retransmission timeouts.
   *
   * @return whether the rail is silent
   */
  boolean onTimers(RailPath path, long nowNs) {
    if (nowNs >= path.timers().lossTimeNs()) {
      detectLosses(path, path.timers().largestAcked(), nowNs);
    }
    return nowNs >= path.timers().timeoutNs() && onTimeout(path, nowNs);
  }

  /** At least one packet's timeout may be over: judges each and finds the next. */
  private boolean onTimeout(RailPath path, long nowNs) {
    SentPackets sent = path.sent();
    long next = Long.MAX_VALUE;
    boolean silent = false;
    long ackDelayNs = paths.peerAckDelayNs();
    long leastPatience = path.silenceNs(ackDelayNs, config.suspectFloorNs());
    boolean another = paths.anotherUsable(path);
    // What the machine's jitter may explain is no excuse once something that left after this rail
    // was heard of last was acknowledged on another: both processes were awake for as long.
    boolean proven = paths.provenElsewhereNs(path) > path.health().progressNs();
    long patience =
        proven
            ? leastPatience
            : path.silenceNs(ackDelayNs, config.suspectFloorNs() + clock.jitterNs());
    int avoid = another ? path.id() : -1;
    // The negative control: on another rail is where it would be sent again, if not now then when
    // one answers.
    boolean hangs = !reinjects() && paths.isAnother(path);
    boolean alone = !another && !hangs && !path.link().isLossless();
    if (alone && nowNs < path.timers().backedOffUntilNs(path.health().progressNs())) {
      path.timers().setTimeout(path.timers().backedOffUntilNs(path.health().progressNs()));
      return false;
    }
    boolean judged = another && !path.link().isLossless() && path.state() == RailState.ACTIVE;
    if (judged && sent.outstanding() > 0) {
      long dueNs = flowDueNs(path);
      if (dueNs == Long.MAX_VALUE) {
        next = nowNs + leastPatience; // what leaves from now on is not due sooner
      } else if (nowNs - dueNs >= patience) {
        silent = true;
      } else {
        long soonest = Math.max(dueNs + leastPatience, nowNs + PROOF_INTERVAL_NS);
        next = Math.min(dueNs + patience, soonest);
      }
    }
    for (long n = sent.lowestOutstanding(); n < sent.nextNumber() && sent.outstanding() > 0; n++) {
      if (sent.state(n) != SentPackets.OUTSTANDING) {
        continue;
      }
      // Behind a queue a packet may take longer than its timeout; while others are acknowledged,
      // that is no silence.
      long due = Math.max(sent.deadlineNs(n), path.health().progressNs() + patience);
      if (nowNs < due) {
        long soonest = Math.max(sent.deadlineNs(n), path.health().progressNs() + leastPatience);
        long look = another ? Math.max(soonest, nowNs + PROOF_INTERVAL_NS) : due;
        next = Math.min(next, Math.min(due, look));
        continue;
      }
      // What left before the newest progress was overtaken: it is lost, and the path is well. On a
      // lossless one nothing is overtaken, and in a full ring nothing can leave any more.
      boolean isLate = path.link().isLossless() || sent.sentNs(n) > path.health().progressNs();
      if (isLate && !isSizeProbe(sent, n)) {
        silent = true; // a probe may be too big for a path in good health
      }
      if (path.link().isLossless() || hangs) {
        // What is lossless cannot be lost, only late; the rail's health decides. Look again after
        // the same time.
        next = Math.min(next, nowNs + timeoutNs(path, 0));
      } else {
        lost(path, n, RailCounter.LOST_BY_TIMEOUT, avoid, nowNs);
        if (alone && isLate) {
          // One packet asks (RFC 6298, RFC 9002): the others may still stand in the queue of a slow
          // link, and would stand there twice. What is missing shows when anything is answered.
          long waitNs = timeoutNs(path, path.timers().timeoutsInARow(path.health().progressNs()));
          path.timers().backOff(nowNs + waitNs, path.health().progressNs());
          next = nowNs + waitNs;
          break;
        }
      }
    }
    path.timers().setTimeout(next);
    return silent;
  }

  /**
   * When a rail that carries a flow should have been heard of again. Packets are acknowledged at
   * the pace at which they left, whatever queue they all wait in: as long after the newest
   * acknowledgement as they left behind the packet that it was for. Nothing is expected because of
   * fewer of them than a loss may explain (R5), nor before something left after that
   * acknowledgement.
   *
   * @return Long.MAX_VALUE if there is no flow: then each packet has the time until its deadline
   */
  private static long flowDueNs(RailPath path) {
    SentPackets sent = path.sent();
    int packets = 0;
    long dueNs = Long.MAX_VALUE;
    for (long n = sent.lowestOutstanding(); n < sent.nextNumber(); n++) {
      long sentNs = sent.sentNs(n);
      if (sent.state(n) != SentPackets.OUTSTANDING
          || sentNs <= path.health().provenNs() // overtaken: lost, rather than late
          || isSizeProbe(sent, n)) { // it may be too big for a path in good health
        continue;
      }
      packets++;
      if (packets == LossThresholds.MIN_PACKET_THRESHOLD) {
        dueNs = path.health().progressNs() + (sentNs - path.health().provenNs());
      }
      if (packets >= LossThresholds.MIN_PACKET_THRESHOLD && sentNs > path.health().progressNs()) {
        return Math.max(dueNs, sentNs);
      }
    }
    return Long.MAX_VALUE;
  }
}

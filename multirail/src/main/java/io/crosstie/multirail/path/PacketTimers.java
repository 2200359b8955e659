// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.path;

import io.crosstie.reliability.loss.LossThresholds;
import io.crosstie.reliability.loss.RttEstimator;

/**
 * When the packets outstanding on a rail have to be judged: by time after later ones were
 * acknowledged, and by their retransmission timeouts. Effective time; Long.MAX_VALUE stands for no
 * such time.
 */
public final class PacketTimers {
  private static final int MOST_TIMEOUTS = 30;
  private static final long GRANULARITY_NS = 1_000_000L;

  /** On a lossless rail, where timeouts are long, a packet may have that older a one's. */
  private static final long LOSSLESS_DEADLINE_NS = 100_000L;

  private final LossThresholds thresholds = new LossThresholds();
  private long lossTimeNs = Long.MAX_VALUE;
  private long timeoutNs = Long.MAX_VALUE;
  private long largestAcked;
  private long roundsSeen;
  private long elicitingSentNs = PathHealth.NEVER_NS;
  private long deadlineNs;
  private long deadlineMadeNs = PathHealth.NEVER_NS;
  private long positionReadNs = PathHealth.NEVER_NS;
  private int timeouts;
  private long backedOffSinceNs = PathHealth.NEVER_NS;
  private long backedOffUntilNs = PathHealth.NEVER_NS;

  PacketTimers() {}

  /** Another rail is in use: what was learnt of the one before counts no more. */
  void onAttached() {
    deadlineMadeNs = PathHealth.NEVER_NS;
    backedOffSinceNs = PathHealth.NEVER_NS;
    thresholds.reset();
  }

  /** When the first of these times comes. */
  public long deadlineNs() {
    return Math.min(lossTimeNs, timeoutNs);
  }

  /** Nothing is outstanding any more. */
  void clear() {
    lossTimeNs = Long.MAX_VALUE;
    timeoutNs = Long.MAX_VALUE;
  }

  // ---- losses behind what was acknowledged ----

  /** When the next packet counts as lost, since a later one was acknowledged. */
  long lossTimeNs() {
    return lossTimeNs;
  }

  /** The packets are looked through anew: none counts as lost by time alone, so far. */
  void expectNoLoss() {
    lossTimeNs = Long.MAX_VALUE;
  }

  /** A packet counts as lost from then on. */
  void expectLoss(long atNs) {
    lossTimeNs = Math.min(lossTimeNs, atNs);
  }

  /** The largest number that was acknowledged when losses were last looked for. */
  long largestAcked() {
    return largestAcked;
  }

  /** Losses were looked for below that number. */
  void onLossesLookedFor(long largest) {
    largestAcked = Math.max(largestAcked, largest);
  }

  /** The round trips so far; the thresholds shrink by them. Whether there was another. */
  boolean onRounds(long rounds) {
    boolean another = rounds != roundsSeen;
    if (another) {
      roundsSeen = rounds;
      thresholds.onRoundTrip();
    }
    return another;
  }

  /** How long a packet may stay behind a later one. */
  long patienceNs(RttEstimator rtt) {
    return thresholds.timeThresholdNs(rtt, GRANULARITY_NS);
  }

  /** How many numbers a packet may stay behind a later one. */
  int packetThreshold() {
    return thresholds.packetThreshold();
  }

  /**
   * The ACK of a packet came after the packet was declared lost.
   *
   * @param distance how far it is behind the largest number acknowledged
   * @param ageNs how old it is
   */
  void onSpuriousLoss(long distance, long ageNs, RttEstimator rtt) {
    thresholds.onSpuriousLoss(
        distance, Math.max(0, ageNs - LossThresholds.baseTimeNs(rtt, GRANULARITY_NS)));
  }

  // ---- timeouts ----

  /** How many timeouts there were on end, since the rail was heard of last. */
  int timeoutsInARow(long progressNs) {
    return progressNs == backedOffSinceNs ? timeouts : 0;
  }

  /** Nothing more is sent again because of its timeout before then, unless the rail is heard of. */
  void backOff(long untilNs, long progressNs) {
    timeouts = Math.min(timeoutsInARow(progressNs) + 1, MOST_TIMEOUTS);
    backedOffSinceNs = progressNs;
    backedOffUntilNs = untilNs;
  }

  /** Until when that is; in the past if there was none. */
  long backedOffUntilNs(long progressNs) {
    return progressNs == backedOffSinceNs ? backedOffUntilNs : PathHealth.NEVER_NS;
  }

  /** When the next packet's timeout may be over. */
  long timeoutNs() {
    return timeoutNs;
  }

  /** All timeouts were judged: the next is then. */
  void setTimeout(long atNs) {
    timeoutNs = atNs;
  }

  /** Nothing is outstanding: or an idle node would wake to find nothing. */
  void expectNoTimeout() {
    timeoutNs = Long.MAX_VALUE;
  }

  /** A packet left that is answered by then. */
  void onSent(long deadline, long nowNs) {
    timeoutNs = Math.min(timeoutNs, deadline);
    elicitingSentNs = nowNs;
  }

  /** When something left that the peer answers; a rail that just came into use is pinged. */
  long elicitingSentNs() {
    return elicitingSentNs;
  }

  /**
   * New packets of one duty cycle have one deadline; on a lossless rail those of several.
   *
   * @return whether a new packet has the deadline of one before
   */
  boolean hasDeadline(boolean lossless, long nowNs) {
    return nowNs - deadlineMadeNs <= (lossless ? LOSSLESS_DEADLINE_NS : 0);
  }

  /** The deadline of new packets, of those at hand and for a while. */
  long deadlineOfNew() {
    return deadlineNs;
  }

  /** New packets have that deadline from now on. */
  void setDeadlineOfNew(long atNs, long nowNs) {
    deadlineMadeNs = nowNs;
    deadlineNs = atNs;
  }

  // ---- positions, which stand for acknowledgements on a lossless rail ----

  /** How long ago the consumer's position was last read. */
  long positionAgeNs(long nowNs) {
    return nowNs - positionReadNs;
  }

  /** The consumer's position is read. */
  void onPositionRead(long nowNs) {
    positionReadNs = nowNs;
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.loss;

/**
 * How much reordering one rail is granted before a packet counts as lost (R5; RFC 9002 section 6.1,
 * RFC 8985 section 6.2).
 *
 * <p>A packet is lost when a packet sent {@link #packetThreshold()} numbers later was acknowledged,
 * or when a later one was acknowledged and {@link #timeThresholdNs} went by since it was sent. Both
 * start at the values of RFC 9002: three packets, and 9/8 of max(srtt, latest). When the ACK of a
 * packet comes after all, the time is widened to what would have waited for it; and if three later
 * ones had come before it, the rail is one that reorders: one packet that overtakes would have all
 * that it overtook sent again, so that numbers are no sign there any more, and time alone decides
 * (RFC 8985 section 6.2, step 4). After {@value #PERSIST_ROUNDS} round trips without such proof
 * each further one takes an eighth of the surplus away again.
 *
 * <p>The numbers of different rails are never compared: each rail has an instance of its own.
 */
public final class LossThresholds {
  /** RFC 9002 section 6.1.1. */
  public static final int MIN_PACKET_THRESHOLD = 3;

  /** The widest packet threshold, more than what is in flight on most rails. */
  public static final int MAX_PACKET_THRESHOLD = 1 << 16;

  /** So much longer than the usual time a packet may be waited for, if that was seen: 1 s. */
  public static final long MAX_EXTRA_NS = 1_000_000_000L;

  /** So many round trips without a spurious loss before the thresholds shrink (RFC 8985). */
  public static final int PERSIST_ROUNDS = 16;

  private static final int DECAY_SHIFT = 3;

  private int packetThreshold = MIN_PACKET_THRESHOLD;
  private long extraTimeNs;
  private int quietRounds;

  /** With the thresholds of RFC 9002. */
  public LossThresholds() {}

  /**
   * The ACK of a packet came after the packet was declared lost.
   *
   * @param packetDistance how far the largest number acknowledged so far lies above this packet's;
   *     at least 0
   * @param extraTimeNs how old the packet is, less {@link #baseTimeNs}; not positive if the time
   *     was not at fault
   */
  public void onSpuriousLoss(long packetDistance, long extraTimeNs) {
    if (packetDistance >= packetThreshold) {
      packetThreshold = MAX_PACKET_THRESHOLD; // R5
    }
    this.extraTimeNs = Math.max(this.extraTimeNs, extraTimeNs); // R5
    quietRounds = 0;
  }

  /** A round trip of this rail ended (its congestion controller counts them). */
  public void onRoundTrip() {
    if (quietRounds < PERSIST_ROUNDS) {
      quietRounds++;
      return;
    }
    int surplus = packetThreshold - MIN_PACKET_THRESHOLD;
    packetThreshold -= (surplus + (1 << DECAY_SHIFT) - 1) >> DECAY_SHIFT;
    extraTimeNs -= (extraTimeNs + (1 << DECAY_SHIFT) - 1) >> DECAY_SHIFT;
  }

  /** Back to the state after construction: another path. */
  public void reset() {
    packetThreshold = MIN_PACKET_THRESHOLD;
    extraTimeNs = 0;
    quietRounds = 0;
  }

  /** From {@link #MIN_PACKET_THRESHOLD} to {@link #MAX_PACKET_THRESHOLD} packets. */
  public int packetThreshold() {
    return packetThreshold;
  }

  /** The unwidened time threshold: max(9/8·max(srtt, latest), granularity). */
  public static long baseTimeNs(RttEstimator rtt, long granularityNs) {
    long longer = Math.max(rtt.smoothedNs(), rtt.latestNs());
    return Math.max(longer + (longer >> 3), granularityNs); // R5
  }

  /**
   * How long after its sending a packet counts as lost, once a later one was acknowledged: {@link
   * #baseTimeNs} and what spurious losses showed to be needed, at most the base again or {@value
   * #MAX_EXTRA_NS}.
   *
   * @param granularityNs the floor: measured jitter of our own ticks
   */
  public long timeThresholdNs(RttEstimator rtt, long granularityNs) {
    long base = baseTimeNs(rtt, granularityNs);
    return base + Math.min(extraTimeNs, Math.max(base, MAX_EXTRA_NS));
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability;

/**
 * Round trip time of one rail (R6, R7): RFC 6298 section 2 with the corrections for the peer's
 * delay of RFC 9002 section 5.
 *
 * <p>A sample is the time from the sending of the newest packet that an ACK newly covers to the
 * arrival of that ACK. Packet numbers are never reused, hence each sample is unambiguous. The time
 * for which the peer says it held the ACK back is taken off, unless that would undercut the
 * smallest round trip ever seen; the smallest round trip itself never trusts the peer's word.
 *
 * <p>All times are nanoseconds. One thread, no allocation, constant space.
 */
public final class RttEstimator {
  /** How long {@link #windowedMinNs()} looks back: ten seconds. */
  public static final long MIN_WINDOW_NS = 10_000_000_000L;

  /** Samples are clamped to this: one minute. It keeps every sum below far from overflow. */
  public static final long MAX_RTT_NS = 60_000_000_000L;

  private final WindowedMax negatedMin = new WindowedMax(MIN_WINDOW_NS);
  private final long initialRttNs;
  private long smoothedNs;
  private long varianceNs;
  private long minNs;
  private long latestNs;
  private boolean hasSample;

  /**
   * @param initialRttNs what to assume before the first sample, 1 ns to one minute
   */
  public RttEstimator(long initialRttNs) {
    if (initialRttNs <= 0 || initialRttNs > MAX_RTT_NS) {
      throw new IllegalArgumentException(
          "initialRttNs must be from 1 to " + MAX_RTT_NS + ": " + initialRttNs);
    }
    this.initialRttNs = initialRttNs;
    reset();
  }

  /** Back to the state after construction: another path. */
  public void reset() {
    smoothedNs = initialRttNs;
    varianceNs = initialRttNs / 2;
    minNs = initialRttNs;
    latestNs = initialRttNs;
    hasSample = false;
    negatedMin.clear();
  }

  /**
   * Takes one sample in.
   *
   * @param rttNs from sending to the arrival of the ACK; clamped to 1 ns .. one minute
   * @param ackDelayNs how long the peer held the ACK back, by its own word, at least 0; the caller
   *     has bounded it by what the peer announced as its maximum
   * @param nowNs effective time, never running backwards
   */
  public void onSample(long rttNs, long ackDelayNs, long nowNs) {
    long rtt = Math.clamp(rttNs, 1, MAX_RTT_NS);
    latestNs = rtt;
    negatedMin.update(-rtt, nowNs);
    if (!hasSample) {
      hasSample = true;
      minNs = rtt;
      smoothedNs = rtt;
      varianceNs = rtt / 2;
      return;
    }
    minNs = Math.min(minNs, rtt);
    long delay = Math.max(0, ackDelayNs);
    long adjusted = rtt - delay >= minNs ? rtt - delay : rtt; // RFC 9002 section 5.3
    varianceNs += (Math.abs(smoothedNs - adjusted) - varianceNs) / 4; // R6
    smoothedNs += (adjusted - smoothedNs) / 8; // R6
  }

  public boolean hasSample() {
    return hasSample;
  }

  /** Smoothed round trip; the initial one before the first sample. */
  public long smoothedNs() {
    return smoothedNs;
  }

  /** Mean deviation; half of the initial round trip before the first sample. */
  public long varianceNs() {
    return varianceNs;
  }

  /** The smallest sample since construction or reset; the initial round trip before the first. */
  public long minNs() {
    return minNs;
  }

  /**
   * The smallest sample of about the last {@link #MIN_WINDOW_NS}: follows a path that grew longer.
   */
  public long windowedMinNs() {
    return hasSample ? -negatedMin.get() : initialRttNs;
  }

  /** The last sample, uncorrected; the initial round trip before the first. */
  public long latestNs() {
    return latestNs;
  }

  /**
   * When to give up on a packet of which nothing was heard: srtt + max(4·rttvar, granularity) + the
   * peer's maximum delay of ACKs (R7, RFC 9002 section 6.2.1). Not doubled: see {@link Backoff}.
   *
   * @param peerAckDelayNs the longest that the peer holds an ACK back
   * @param granularityNs measured jitter of our own clock ticks, {@link SlipClock#jitterNs()}
   */
  public long timeoutNs(long peerAckDelayNs, long granularityNs) {
    return smoothedNs + Math.max(4 * varianceNs, granularityNs) + peerAckDelayNs; // R7
  }
}

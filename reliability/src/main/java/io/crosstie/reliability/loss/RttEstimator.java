// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.loss;

import io.crosstie.reliability.time.Backoff;
import io.crosstie.reliability.time.SlipClock;
import io.crosstie.reliability.time.WindowedMax;

/**
 * Round trip time of one rail (R6, R7): RFC 6298 section 2 with the corrections for the peer's
 * delay of RFC 9002 section 5.
 *
 * <p>A sample is the time from the sending of the newest packet that an ACK newly covers to the
 * arrival of that ACK. Packet numbers are never reused, hence each sample is unambiguous. The time
 * for which the peer says it held the ACK back is taken off, unless that would undercut the
 * smallest round trip ever seen; the smallest round trip itself never trusts the peer's word.
 *
 * <p>It also says how much it knows, and {@link #timeoutNs} follows. Before anything was measured
 * the initial round trip counts with a deviation of half of it (RFC 9002 section 6.2.2). A {@link
 * #seed}, the round trip of a handshake, is better than that and worse than any sample. And until
 * {@value #CERTAIN_SAMPLES} samples were taken, over a tenth of a second, the deviation is never
 * trusted to be less than what the queue of a first window makes, this side's or the peer's in
 * front of the acknowledgements.
 *
 * <p>All times are nanoseconds. One thread, no allocation, constant space.
 */
public final class RttEstimator {
  /** So many samples know the path with its queues, if they lie far enough apart. */
  public static final int CERTAIN_SAMPLES = 32;

  /** Both sides' start on a slow link, with the queues that it makes, is over by then. */
  public static final long CERTAIN_NS = 100_000_000L;

  /** What the queue of a first window takes on a slow link: 40 ms. */
  public static final long UNSEEN_QUEUE_NS = 40_000_000L;

  /** How long {@link #windowedMinNs()} looks back: ten seconds. */
  public static final long MIN_WINDOW_NS = 10_000_000_000L;

  /** Samples are clamped to this: one minute. It keeps every sum below far from overflow. */
  public static final long MAX_RTT_NS = 60_000_000_000L;

  private final WindowedMax negatedMin = new WindowedMax(MIN_WINDOW_NS);
  private long initialRttNs;
  private long smoothedNs;
  private long varianceNs;
  private long minNs;
  private long latestNs;
  private boolean measured;
  private int samples;
  private long firstSampleNs;
  private long lastNs; // of samples and seeds
  private boolean certain;

  /**
   * @param initialRttNs what to assume before the first sample, 1 ns to one minute
   */
  public RttEstimator(long initialRttNs) {
    reset(initialRttNs);
  }

  /**
   * Forgets everything: another path.
   *
   * @param initialRttNs what to assume now, 1 ns to one minute
   */
  public void reset(long initialRttNs) {
    if (initialRttNs <= 0 || initialRttNs > MAX_RTT_NS) {
      throw new IllegalArgumentException(
          "initialRttNs must be from 1 to " + MAX_RTT_NS + ": " + initialRttNs);
    }
    this.initialRttNs = initialRttNs;
    measured = false;
    samples = 0;
    certain = false;
    negatedMin.clear();
    lastNs = 0;
    begin(initialRttNs);
  }

  private void begin(long rttNs) {
    smoothedNs = rttNs;
    varianceNs = rttNs / 2;
    minNs = rttNs;
    latestNs = rttNs;
  }

  /**
   * Takes a round trip in that may be too long, because it is not known which of several attempts
   * was answered. It counts until the first sample, which is not averaged with it.
   *
   * @param rttNs clamped to 1 ns .. one minute
   * @param nowNs effective time, never running backwards
   */
  public void seed(long rttNs, long nowNs) {
    if (samples == 0) {
      long rtt = Math.clamp(rttNs, 1, MAX_RTT_NS);
      measured = true;
      negatedMin.clear();
      negatedMin.update(-rtt, nowNs);
      lastNs = nowNs;
      begin(rtt);
    }
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
    if (samples == 0) {
      seed(rtt, nowNs);
      samples = 1;
      firstSampleNs = nowNs;
      return;
    }
    samples = Math.min(samples + 1, CERTAIN_SAMPLES);
    certain |= samples == CERTAIN_SAMPLES && nowNs - firstSampleNs >= CERTAIN_NS;
    latestNs = rtt;
    lastNs = nowNs;
    negatedMin.update(-rtt, nowNs);
    minNs = Math.min(minNs, rtt);
    long delay = Math.max(0, ackDelayNs);
    long adjusted = rtt - delay >= minNs ? rtt - delay : rtt; // RFC 9002 section 5.3
    varianceNs += (Math.abs(smoothedNs - adjusted) - varianceNs) / 4; // R6
    smoothedNs += (adjusted - smoothedNs) / 8; // R6
  }

  /** Whether anything was measured, be it a seed only. */
  public boolean isMeasured() {
    return measured;
  }

  /** Smoothed round trip; the initial one before anything was measured. */
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
    return measured ? -negatedMin.get() : initialRttNs;
  }

  /** Whether anything was measured within the last {@link #MIN_WINDOW_NS}. */
  public boolean isRecent(long nowNs) {
    return measured && nowNs - lastNs <= MIN_WINDOW_NS;
  }

  /** The last sample, uncorrected; the initial round trip before the first. */
  public long latestNs() {
    return latestNs;
  }

  /**
   * When to give up on a packet of which nothing was heard: srtt + max(4·rttvar, granularity or
   * what is not known yet) + the peer's maximum delay of ACKs (R7, RFC 9002 section 6.2.1). Not
   * doubled: see {@link Backoff}.
   *
   * @param peerAckDelayNs the longest that the peer holds an ACK back
   * @param granularityNs measured jitter of our own clock ticks, {@link SlipClock#jitterNs()}
   */
  public long timeoutNs(long peerAckDelayNs, long granularityNs) {
    long unseen = certain ? 0 : UNSEEN_QUEUE_NS;
    long spread = Math.max(4 * varianceNs, Math.max(granularityNs, unseen));
    return smoothedNs + spread + peerAckDelayNs; // R7
  }
}

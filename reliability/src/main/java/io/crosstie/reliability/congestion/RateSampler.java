// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.congestion;

/**
 * Samples of one rail's delivery rate, after draft-cheng-iccrg-delivery-rate-estimation, and its
 * round trips.
 *
 * <p>Each packet remembers how much had been delivered when it was sent, and when that was. When
 * its ACK comes, what was delivered since, over the time since, is a sample of the rate. The time
 * is the longer of the stretch over which the packets were sent and that over which their ACKs
 * came, so neither a burst of packets nor one of ACKs raises the estimate. The newest packet of
 * each ACK makes the sample.
 *
 * <p>A round trip ends with the ACK of a packet that was sent after the end of the one before.
 *
 * <p>Rates are bytes per second, times nanoseconds.
 */
final class RateSampler {
  private static final double SECOND_NS = 1e9;

  private long delivered;
  private long deliveredTimeNs;
  private long firstSentTimeNs;
  private long appLimitedUntil; // of delivered; 0: not limited

  // The ACK being taken in.
  private boolean open;
  private long ackTimeNs;
  private long ackStartDelivered;
  private long priorDelivered;
  private long priorTimeNs;
  private long priorFirstSentNs;
  private long sentNs;
  private boolean appLimited;

  private long roundEndDelivered;
  private boolean roundEnded;

  long delivered() {
    return delivered;
  }

  long deliveredTimeNs() {
    return deliveredTimeNs;
  }

  long firstSentTimeNs() {
    return firstSentTimeNs;
  }

  /** The first packet after a rest is about to leave: time counts from here. */
  void onRestEnds(long nowNs) {
    firstSentTimeNs = nowNs;
    deliveredTimeNs = nowNs;
  }

  void onAppLimited(long flightBytes) {
    appLimitedUntil = Math.max(1, delivered + flightBytes);
  }

  boolean isAppLimited() {
    return appLimitedUntil != 0;
  }

  /** Whether an ACK with another time is still to be closed. */
  boolean isOpenBefore(long nowNs) {
    return open && nowNs != ackTimeNs;
  }

  /** Bytes that arrived after all, though they were declared lost: no sample, but delivered. */
  void onLate(int bytes) {
    delivered += bytes;
  }

  void onAcked(
      long bytes,
      long priorDelivered,
      long priorDeliveredTimeNs,
      long firstSentTimeNs,
      long sentTimeNs,
      boolean appLimitedAtSend,
      long nowNs) {
    if (!open) {
      open = true;
      ackTimeNs = nowNs;
      ackStartDelivered = delivered;
      this.priorDelivered = -1;
    }
    delivered += bytes;
    deliveredTimeNs = nowNs;
    if (priorDelivered >= this.priorDelivered) {
      this.priorDelivered = priorDelivered;
      priorTimeNs = priorDeliveredTimeNs;
      priorFirstSentNs = firstSentTimeNs;
      sentNs = sentTimeNs;
      appLimited = appLimitedAtSend;
      this.firstSentTimeNs = sentTimeNs;
    }
  }

  /** Ends the ACK, if there is one; only then the sample below is valid. */
  boolean close() {
    if (!open) {
      return false;
    }
    open = false;
    if (appLimitedUntil != 0 && delivered > appLimitedUntil) {
      appLimitedUntil = 0;
    }
    roundEnded = priorDelivered >= roundEndDelivered;
    if (roundEnded) {
      roundEndDelivered = delivered;
    }
    return true;
  }

  /** When the last ACK came. */
  long ackTimeNs() {
    return ackTimeNs;
  }

  /** How many bytes the last ACK acknowledged. */
  long ackedBytes() {
    return delivered - ackStartDelivered;
  }

  /** Whether the packet of the sample was sent when the application held back. */
  boolean sampleAppLimited() {
    return appLimited;
  }

  /** Whether the last ACK ended a round trip. */
  boolean roundEnded() {
    return roundEnded;
  }

  /** The rate sample of the last ACK; 0 if it is too short to tell: shorter than a round trip. */
  double rate(long minRttNs) {
    long interval = Math.max(sentNs - priorFirstSentNs, ackTimeNs - priorTimeNs);
    if (interval <= 0 || interval < minRttNs) {
      return 0;
    }
    return (delivered - priorDelivered) * SECOND_NS / interval;
  }

  /** Drops an open ACK and the mark of the application; begins a round trip. */
  void reset(long nowNs) {
    open = false;
    appLimitedUntil = 0;
    roundEndDelivered = delivered;
    onRestEnds(nowNs);
  }
}

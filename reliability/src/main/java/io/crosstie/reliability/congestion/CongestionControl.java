// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.congestion;

/**
 * What one lossy rail may carry (R18): a window of bytes in flight, and the pace at which they
 * leave. Bytes are packets' with their overhead. Times are nanoseconds of a clock that goes on
 * while this process does not, and never run backwards. One thread.
 *
 * <p><b>Call order.</b> For each packet sent: {@link #onSent}, then read {@link #delivered}, {@link
 * #deliveredTimeNs}, {@link #firstSentTimeNs} and {@link #isAppLimited} and store them with the
 * packet. For each ACK: {@link #onAcked}, {@link #onLost} for its packets and {@link #onRttSample},
 * all with the same time. What an ACK taught is applied by the next {@link #sendAllowance} or
 * {@link #nextSendTimeNs} at the latest; gauges show the state as of then.
 */
public interface CongestionControl {
  /**
   * The path's packet size changed (R20).
   *
   * @param maxPacketBytes the largest packet; positive
   */
  void setMaxPacketBytes(int maxPacketBytes);

  /**
   * The flight never exceeds this (R13), which is half of what the peer's kernel granted to its
   * socket, by more than what the path itself holds while it carries the rate.
   *
   * @param windowLimitBytes positive
   */
  void setWindowLimitBytes(long windowLimitBytes);

  /** Whether the path never leaves this host (loopback), so that there is no link to share. */
  void setLocalPath(boolean localPath);

  /**
   * The rail came back, or is another one: all that was learnt is forgotten. Flight stays charged
   * until its packets are reported.
   */
  void reset(long nowNs);

  /**
   * A packet of so many bytes, overhead included, was sent; retransmissions count like all others.
   */
  void onSent(int bytes, long nowNs);

  /**
   * How many bytes may leave now: what the window and the pace both allow. A caller whose next
   * packet is larger than the answer waits.
   *
   * @return 0 or more; may be less than a packet when the window is almost full
   */
  long sendAllowance(long nowNs);

  /**
   * When {@link #sendAllowance} will be positive: now, later when pacing is what blocks, or
   * Long.MAX_VALUE when the window is full and an ACK has to come first. Only for a caller that has
   * something to send then.
   */
  long nextSendTimeNs(long nowNs);

  /**
   * Packets were acknowledged for the first time; the snapshots are those of the newest of them.
   *
   * @param bytes as in {@link #onSent}, of all of them
   * @param priorDelivered {@link #delivered()} when it was sent
   * @param priorDeliveredTimeNs {@link #deliveredTimeNs()} when it was sent
   * @param firstSentTimeNs {@link #firstSentTimeNs()} when it was sent
   * @param sentTimeNs when it was sent
   * @param appLimitedAtSend {@link #isAppLimited()} when it was sent
   * @param nowNs when the ACK arrived
   */
  void onAcked(
      long bytes,
      long priorDelivered,
      long priorDeliveredTimeNs,
      long firstSentTimeNs,
      long sentTimeNs,
      boolean appLimitedAtSend,
      long nowNs);

  /**
   * A round trip was measured.
   *
   * @param rttNs from sending to the arrival of the ACK; at least 1
   * @param ackDelayNs how long the peer held the ACK back, by its own word
   * @param slept whether this process was seen to sleep meanwhile
   */
  void onRttSample(long rttNs, long ackDelayNs, boolean slept, long nowNs);

  /** A packet was declared lost. */
  void onLost(int bytes);

  /** A packet that {@link #onLost} took out of the flight was acknowledged after all. */
  void onSpuriousLoss(int bytes);

  /** A packet leaves the flight without a judgement: its rail is down, or nobody will ever tell. */
  void onDiscarded(int bytes);

  /**
   * There is nothing to send though there is room: rate samples of this flight are lower bounds.
   */
  void onAppLimited();

  /** Whether what is sent now is marked so. */
  boolean isAppLimited();

  /** Bytes delivered so far, to be stored with each packet. */
  long delivered();

  /** When the newest of them were, to be stored with each packet. */
  long deliveredTimeNs();

  /** When the first packet of the present flight was sent, to be stored with each packet. */
  long firstSentTimeNs();

  /** Round trips so far. */
  long rounds();

  /** Bytes in flight. */
  long flightBytes();

  /** Bytes that may be in flight. */
  long windowBytes();

  /** What the rail carries, in bytes per second. */
  long rateBytesPerSecond();
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability;

/**
 * Congestion window and pacing of one lossy rail (R18), from delivery rate and delay. The ideas are
 * those of BBR (a model of the path instead of a reaction to losses), of Swift (a target for the
 * delay, at most one reduction a round trip) and of draft-cheng-iccrg-delivery-rate-estimation (how
 * to measure the rate); the combination is our own.
 *
 * <p><b>The model.</b> {@code bandwidth} is the largest delivery rate of the last {@value
 * #BANDWIDTH_ROUNDS} round trips in which the application did not hold back; {@code minRtt} the
 * smallest round trip of the last ten seconds. A window of bandwidth × (minRtt + target) keeps a
 * bottleneck busy with a queue of {@code target} in front of it: 1 ms, and on rails beyond 2
 * Gbit/s, where delay is scheduling more than queueing, up to 4 ms. The bandwidth is divided by the
 * share of packets that arrive, as long as no more than a tenth is lost, so that random loss is
 * made up for.
 *
 * <p><b>Startup.</b> The window grows by what is acknowledged, doubling every round trip, and
 * pacing runs ahead of it, until the delivery rate has not grown by a quarter for three round
 * trips, or for one in which there was a queue or heavy loss.
 *
 * <p><b>Then, once every round trip</b>, by the smallest round trip seen within it:
 *
 * <ul>
 *   <li>queue above the target: reduce in proportion to the excess, then skip a round trip, for
 *       what is in flight knows nothing of it yet; never below what the rate just measured needs;
 *   <li>in between: add about a packet per millisecond of round trip. Equal additions and
 *       proportional reductions make flows that share a bottleneck converge;
 *   <li>almost no queue, or {@value #PROBE_INTERVAL_ROUNDS} round trips without a probe: probe with
 *       a larger window. If the rate follows, keep it and probe on, ever more boldly; if not, go
 *       back. This finds a rate that came back, and rails whose delay is not queueing, without
 *       paying for it with losses where a buffer is too short for the target.
 * </ul>
 *
 * <p>A standing queue hides the true minRtt, so when it was not seen for a second the window
 * shrinks for a round trip until the queue must be gone.
 *
 * <p><b>The limit.</b> The window never exceeds {@link #setWindowLimitBytes}. Where even that much
 * in flight makes no more than twice the target of queue, delay is not looked at at all, and the
 * window is the limit: so it is on loopback and on fast local links.
 *
 * <p><b>Loss.</b> Only loss above {@value #HEAVY_LOSS_PERCENT} % for {@value #HEAVY_LOSS_ROUNDS}
 * round trips on end reduces the window, once per round trip.
 *
 * <p><b>Call order.</b> For each packet sent: {@link #onSent}, then read {@link #delivered}, {@link
 * #deliveredTimeNs}, {@link #firstSentTimeNs} and {@link #isAppLimited} and store them with the
 * packet. For each ACK: {@link #onAcked}, {@link #onLost} for its packets and {@link #onRttSample},
 * all with the same time. What an ACK taught is applied by the next {@link #sendAllowance} or the
 * first call with a later time; gauges show the state as of then.
 *
 * <p>Times are nanoseconds and never run backwards. One thread, no allocation, constant space.
 */
public final class RateController {
  /** The smallest window, in packets: what loss detection needs to work (R5). */
  public static final int MIN_WINDOW_PACKETS = 4;

  /** The window at the start, in packets. */
  public static final int INITIAL_WINDOW_PACKETS = 32;

  /** Queueing delay that is aimed at on rails up to 2 Gbit/s: 1 ms. */
  public static final long TARGET_QUEUE_NS = 1_000_000L;

  /** A burst is as much as the rail carries in this time: 0.5 ms. */
  public static final long BURST_NS = 500_000L;

  static final int BANDWIDTH_ROUNDS = 8;
  static final int PROBE_INTERVAL_ROUNDS = 8;
  static final int HEAVY_LOSS_PERCENT = 18;
  static final int HEAVY_LOSS_ROUNDS = 3;

  private static final double SECOND_NS = 1e9;
  private static final long MIN_RTT_WINDOW_NS = 10_000_000_000L;
  private static final long DRAIN_INTERVAL_NS = 1_000_000_000L;
  private static final double TARGET_FULL_RATE = 250e6; // bytes per second: 2 Gbit/s
  private static final double MAX_TARGET_FACTOR = 4;
  private static final double STARTUP_PACING_GAIN = 2.77; // BBR: 4 ln 2
  private static final double STARTUP_WINDOW_GAIN = 2.5;
  private static final double STARTUP_GROWTH = 1.25;
  private static final int STARTUP_FULL_ROUNDS = 3;
  private static final double PACING_GAIN = 1.1;
  private static final double UNLIMITED_PACING_GAIN = 2;
  private static final double MAX_MADE_UP_LOSS = 0.1;
  private static final double PROBE_GAIN = 1.25;
  private static final double MAX_PROBE_GAIN = 2;
  private static final int LOSS_SAMPLE_PACKETS = 32;

  private enum Mode {
    STARTUP,
    CRUISE,
    PROBE,
    DRAIN
  }

  // Configuration.
  private final double initialRate;
  private int maxPacketBytes;
  private long limitBytes = Long.MAX_VALUE;

  // Flight and pacing. Budget in bytes; negative after a packet larger than what was left.
  private long flightBytes;
  private double pacingBudget;
  private long pacingTimeNs;
  private boolean pacingStarted;

  // The connection's part of rate samples.
  private long delivered;
  private long deliveredTimeNs;
  private long firstSentTimeNs;
  private long appLimitedUntil; // of delivered; 0: not limited

  // The ACK being taken in.
  private boolean ackOpen;
  private long ackTimeNs;
  private long ackedBytes;
  private long samplePriorDelivered;
  private long samplePriorTimeNs;
  private long sampleFirstSentNs;
  private long sampleSentNs;
  private boolean sampleAppLimited;

  // The model. Rates in bytes per second.
  private final WindowedMax bandwidth = new WindowedMax(BANDWIDTH_ROUNDS);
  private final WindowedMax negatedMinRtt = new WindowedMax(MIN_RTT_WINDOW_NS);
  private long minRttSeenNs; // when a round trip close to the smallest was seen last
  private double lossRate;

  // The round trip under way, and the ones before.
  private long rounds;
  private long roundEndDelivered;
  private double roundRate;
  private double previousRoundRate;
  private long roundMinRttNs;
  private boolean roundAppLimited;
  private double lossSampleAcked;
  private double lossSampleLost;
  private double latestLoss;
  private boolean lossJudged;
  private int heavyLossRounds;

  // The controller.
  private Mode mode = Mode.STARTUP;
  private double window;
  private double startupRate;
  private int startupFullRounds;
  private double probeGain;
  private double probeBaseWindow;
  private double probeBaseRate;
  private long probeEndRound;
  private long nextProbeRound;
  private long holdUntilRound;
  private long drainEndRound;

  /**
   * @param initialRateBytesPerSecond what to pace with before anything was measured; positive
   * @param maxPacketBytes the largest packet; positive
   */
  public RateController(long initialRateBytesPerSecond, int maxPacketBytes) {
    if (initialRateBytesPerSecond <= 0) {
      throw new IllegalArgumentException(
          "initialRateBytesPerSecond must be positive: " + initialRateBytesPerSecond);
    }
    this.initialRate = initialRateBytesPerSecond;
    setMaxPacketBytes(maxPacketBytes);
    startOver();
  }

  /** The path's packet size changed (R20). */
  public void setMaxPacketBytes(int maxPacketBytes) {
    if (maxPacketBytes <= 0) {
      throw new IllegalArgumentException("maxPacketBytes must be positive: " + maxPacketBytes);
    }
    this.maxPacketBytes = maxPacketBytes;
    window = Math.max(window, (double) MIN_WINDOW_PACKETS * maxPacketBytes);
  }

  /**
   * The flight never exceeds this (R13): half of what the peer's kernel granted to its socket.
   *
   * @param windowLimitBytes positive
   */
  public void setWindowLimitBytes(long windowLimitBytes) {
    if (windowLimitBytes <= 0) {
      throw new IllegalArgumentException("windowLimitBytes must be positive: " + windowLimitBytes);
    }
    this.limitBytes = windowLimitBytes;
  }

  /**
   * The rail came back, or is another one: all that was learnt is forgotten. Flight stays charged
   * until its packets are reported.
   */
  public void reset(long nowNs) {
    startOver();
    deliveredTimeNs = nowNs;
    firstSentTimeNs = nowNs;
    pacingTimeNs = nowNs;
    pacingStarted = true;
    pacingBudget = burstBytes();
  }

  private void startOver() {
    mode = Mode.STARTUP;
    window = (double) INITIAL_WINDOW_PACKETS * maxPacketBytes;
    bandwidth.clear();
    negatedMinRtt.clear();
    lossRate = 0;
    roundEndDelivered = delivered;
    roundRate = previousRoundRate = 0;
    roundMinRttNs = Long.MAX_VALUE;
    roundAppLimited = false;
    lossSampleAcked = lossSampleLost = 0;
    latestLoss = 0;
    lossJudged = false;
    heavyLossRounds = 0;
    startupRate = 0;
    startupFullRounds = 0;
    probeGain = PROBE_GAIN;
    appLimitedUntil = 0;
    ackOpen = false;
    ackedBytes = 0;
    samplePriorDelivered = -1;
    nextProbeRound = holdUntilRound = rounds;
  }

  // Sending.

  /**
   * A packet of so many bytes, overhead included, was sent; retransmissions count like all others.
   */
  public void onSent(int bytes, long nowNs) {
    if (flightBytes == 0) {
      firstSentTimeNs = nowNs;
      deliveredTimeNs = nowNs;
    }
    flightBytes += bytes;
    refill(nowNs);
    pacingBudget -= bytes; // R18
  }

  /**
   * How many bytes may leave now: what the window and the pacing budget both allow. A burst is at
   * most {@link #BURST_NS} of the rate, or one packet of the largest size; and while the rail is
   * paced, nothing may leave before a worthwhile part of that has gathered. A caller whose next
   * packet is larger than the answer waits.
   *
   * @return 0 or more; may be less than a packet when the window is almost full
   */
  public long sendAllowance(long nowNs) {
    settle();
    long room = windowBytes() - flightBytes;
    if (room <= 0) {
      return 0;
    }
    refill(nowNs);
    return pacingBudget >= releaseBytes() ? Math.min(room, (long) pacingBudget) : 0;
  }

  /**
   * When {@link #sendAllowance} will be positive: now, later when pacing is what blocks, or
   * Long.MAX_VALUE when the window is full and an ACK has to come first.
   */
  public long nextSendTimeNs(long nowNs) {
    settle();
    if (windowBytes() - flightBytes <= 0) {
      return Long.MAX_VALUE;
    }
    refill(nowNs);
    double missing = releaseBytes() - pacingBudget;
    return missing <= 0 ? nowNs : nowNs + (long) Math.ceil(missing / pacingRate() * SECOND_NS);
  }

  private void refill(long nowNs) {
    double burst = burstBytes();
    if (!pacingStarted) {
      pacingStarted = true;
      pacingBudget = burst;
    } else if (nowNs - pacingTimeNs > 0) {
      double earned = (nowNs - pacingTimeNs) * pacingRate() / SECOND_NS;
      pacingBudget = Math.min(burst, pacingBudget + earned);
    }
    pacingTimeNs = nowNs;
  }

  private double burstBytes() {
    return Math.max(maxPacketBytes, pacingRate() * BURST_NS / SECOND_NS);
  }

  /** How much budget must have gathered before any is spent: batches are what makes rails fast. */
  private double releaseBytes() {
    return Math.max(maxPacketBytes, Math.min(burstBytes() / 4, windowBytes() / 8.0));
  }

  private double pacingRate() {
    double rate = bandwidth.isEmpty() ? initialRate : bandwidth.get() * madeUpLoss();
    return switch (mode) {
      case STARTUP -> Math.max(initialRate, rate * STARTUP_PACING_GAIN);
      case PROBE -> rate * PACING_GAIN * probeGain;
      case CRUISE, DRAIN -> rate * (isUnlimited() ? UNLIMITED_PACING_GAIN : PACING_GAIN);
    };
  }

  // Feedback.

  /**
   * A packet was acknowledged for the first time.
   *
   * @param bytes as in {@link #onSent}
   * @param priorDelivered {@link #delivered()} when it was sent
   * @param priorDeliveredTimeNs {@link #deliveredTimeNs()} when it was sent
   * @param firstSentTimeNs {@link #firstSentTimeNs()} when it was sent
   * @param sentTimeNs when it was sent
   * @param appLimitedAtSend {@link #isAppLimited()} when it was sent
   * @param nowNs when the ACK arrived
   */
  public void onAcked(
      int bytes,
      long priorDelivered,
      long priorDeliveredTimeNs,
      long firstSentTimeNs,
      long sentTimeNs,
      boolean appLimitedAtSend,
      long nowNs) {
    if (ackOpen && nowNs != ackTimeNs) {
      settle();
    }
    ackOpen = true;
    ackTimeNs = nowNs;
    ackedBytes += bytes;
    delivered += bytes;
    deliveredTimeNs = nowNs;
    leave(bytes);
    if (priorDelivered >= samplePriorDelivered) { // the newest packet makes the sample
      samplePriorDelivered = priorDelivered;
      samplePriorTimeNs = priorDeliveredTimeNs;
      sampleFirstSentNs = firstSentTimeNs;
      sampleSentNs = sentTimeNs;
      sampleAppLimited = appLimitedAtSend;
      this.firstSentTimeNs = sentTimeNs;
    }
  }

  /**
   * A round trip was measured.
   *
   * @param rttNs less the time for which the peer held the ACK back; at least 1
   */
  public void onRttSample(long rttNs, long nowNs) {
    long rtt = Math.max(1, rttNs);
    if (negatedMinRtt.isEmpty() || rtt <= minRttNs() + minRttNs() / 16 + 10_000) {
      minRttSeenNs = nowNs;
    }
    negatedMinRtt.update(-rtt, nowNs);
    roundMinRttNs = Math.min(roundMinRttNs, rtt);
  }

  /** A packet was declared lost. */
  public void onLost(int bytes, long nowNs) {
    leave(bytes);
    lossSampleLost += bytes;
  }

  /** A packet leaves the flight without a judgement: its rail is down, or nobody will ever tell. */
  public void onDiscarded(int bytes) {
    leave(bytes);
  }

  private void leave(int bytes) {
    flightBytes = Math.max(0, flightBytes - bytes);
  }

  /**
   * There is nothing to send though there is room: rate samples of this flight are lower bounds.
   */
  public void onAppLimited() {
    appLimitedUntil = Math.max(1, delivered + flightBytes);
  }

  /** Whether what is sent now is marked so. */
  public boolean isAppLimited() {
    return appLimitedUntil != 0;
  }

  /** Applies what the last ACK taught. */
  private void settle() {
    if (!ackOpen) {
      return;
    }
    ackOpen = false;
    if (appLimitedUntil != 0 && delivered > appLimitedUntil) {
      appLimitedUntil = 0;
    }
    long acked = ackedBytes;
    ackedBytes = 0;
    lossSampleAcked += acked;
    boolean roundEnds = samplePriorDelivered >= roundEndDelivered;
    sampleRate();
    if (mode == Mode.STARTUP && !sampleAppLimited) {
      double ceiling = STARTUP_WINDOW_GAIN * modelWindow(1);
      window = Math.max(window, Math.min(window + acked, ceiling));
    }
    if (roundEnds) {
      roundAppLimited |= sampleAppLimited;
      endRound();
    }
    samplePriorDelivered = -1;
  }

  private void sampleRate() {
    long sendNs = sampleSentNs - sampleFirstSentNs;
    long ackNs = ackTimeNs - samplePriorTimeNs;
    long interval = Math.max(sendNs, ackNs);
    if (interval <= 0 || (!negatedMinRtt.isEmpty() && interval < minRttNs())) {
      return; // too short to tell anything
    }
    double rate = (delivered - samplePriorDelivered) * SECOND_NS / interval;
    if (!sampleAppLimited) {
      roundRate = Math.max(roundRate, rate);
    }
    if (!sampleAppLimited || rate >= bandwidth.get() || bandwidth.isEmpty()) {
      bandwidth.update((long) rate, rounds);
    }
  }

  private void endRound() {
    rounds++;
    roundEndDelivered = delivered;
    judgeLoss();
    boolean informative = !roundAppLimited && roundRate > 0;
    if (mode == Mode.STARTUP) {
      if (informative) {
        startupRound();
      }
    } else if (isUnlimited()) {
      mode = Mode.CRUISE;
      window = limitBytes;
    } else {
      steadyRound(informative);
    }
    clampWindow();
    previousRoundRate = informative ? roundRate : previousRoundRate;
    roundRate = 0;
    roundMinRttNs = Long.MAX_VALUE;
    roundAppLimited = false;
  }

  private void judgeLoss() {
    double sum = lossSampleAcked + lossSampleLost;
    lossJudged = sum >= (double) LOSS_SAMPLE_PACKETS * maxPacketBytes;
    if (!lossJudged) {
      return; // too few to tell a rate: gather on
    }
    latestLoss = lossSampleLost / sum;
    lossRate += (latestLoss - lossRate) / 8;
    heavyLossRounds = latestLoss * 100 > HEAVY_LOSS_PERCENT ? heavyLossRounds + 1 : 0;
    lossSampleAcked = lossSampleLost = 0;
  }

  private void startupRound() {
    boolean grown = roundRate >= STARTUP_GROWTH * startupRate;
    if (grown) {
      startupRate = roundRate;
      startupFullRounds = 0;
      return;
    }
    startupFullRounds++;
    boolean queue = queueNs() > targetQueueNs();
    boolean heavyLoss = lossJudged && latestLoss * 100 > HEAVY_LOSS_PERCENT;
    if (startupFullRounds >= STARTUP_FULL_ROUNDS || queue || heavyLoss) {
      cruise(modelWindow(1));
      window = isUnlimited() ? limitBytes : window;
    }
  }

  private void steadyRound(boolean informative) {
    if (heavyLossRounds >= HEAVY_LOSS_ROUNDS) {
      if (lossJudged) {
        cruise(window * (1 - Math.min(0.5, latestLoss / 2))); // R18
      }
      return;
    }
    switch (mode) {
      case DRAIN -> {
        if (rounds >= drainEndRound) {
          cruise(modelWindow(1));
        }
      }
      case PROBE -> {
        if (rounds >= probeEndRound) {
          endProbe(informative);
        }
      }
      default -> {
        if (informative) {
          cruiseRound();
        }
      }
    }
  }

  private void cruiseRound() {
    if (rounds < holdUntilRound) {
      return;
    }
    long queue = queueNs();
    double target = targetQueueNs();
    if (ackTimeNs - minRttSeenNs > Math.max(DRAIN_INTERVAL_NS, 100 * minRttNs())) {
      drain();
    } else if (queue > target) {
      reduce((double) queue, target);
    } else if (rounds >= nextProbeRound) {
      probe();
    } else if (queue > target / 4) {
      window += maxPacketBytes * Math.clamp(minRttNs() / 1e6, 1.0, 16.0);
    }
  }

  private void reduce(double queue, double target) {
    double recent = Math.max(roundRate, previousRoundRate);
    double needed = bytesIn(recent * madeUpLoss(), minRttNs() + target / 2);
    double reduced;
    if (queue > 2 * target) { // what arrived within the last round trip is what there is
      reduced = Math.min(window / 2, bytesIn(roundRate * madeUpLoss(), minRttNs() + target));
      bandwidth.reset((long) recent, rounds);
    } else {
      reduced = Math.max(needed, window * (1 - 0.8 * (queue - target) / (minRttNs() + queue)));
    }
    window = Math.min(window, reduced);
    holdUntilRound = rounds + 2; // R18: once per round trip, and not before its effect is seen
  }

  private void probe() {
    mode = Mode.PROBE;
    probeBaseWindow = window;
    probeBaseRate = Math.max(roundRate, previousRoundRate);
    window *= probeGain;
    probeEndRound = rounds + 2;
  }

  private void endProbe(boolean informative) {
    double expected = probeBaseRate * (1 + 0.75 * (probeGain - 1));
    if (informative && roundRate >= expected) {
      cruise(window);
      nextProbeRound = rounds;
      probeGain =
          queueNs() < targetQueueNs() / 4 ? Math.min(MAX_PROBE_GAIN, probeGain * 1.25) : PROBE_GAIN;
    } else {
      cruise(probeBaseWindow);
      nextProbeRound = rounds + PROBE_INTERVAL_ROUNDS;
      probeGain = PROBE_GAIN;
    }
  }

  private void drain() {
    double share = bytesIn((double) bandwidth.get(), Math.min(0.75 * minRttNs(), minRttNs() - 1e6));
    window = Math.min(window, share);
    mode = Mode.DRAIN;
    drainEndRound = rounds + 2;
    minRttSeenNs = ackTimeNs;
  }

  private void cruise(double newWindow) {
    mode = Mode.CRUISE;
    window = newWindow;
  }

  private void clampWindow() {
    double least = (double) MIN_WINDOW_PACKETS * maxPacketBytes;
    window = Math.max(least, Math.min(window, (double) limitBytes));
  }

  // The model.

  /** How long the queue was at its shortest within the round trip under way. */
  private long queueNs() {
    return roundMinRttNs == Long.MAX_VALUE ? 0 : roundMinRttNs - minRttNs();
  }

  private double targetQueueNs() {
    double factor = bandwidth.isEmpty() ? 1 : bandwidth.get() / TARGET_FULL_RATE;
    return TARGET_QUEUE_NS * Math.clamp(factor, 1.0, MAX_TARGET_FACTOR);
  }

  /** The window that makes a queue of so many targets. */
  private double modelWindow(double targets) {
    double rtt = negatedMinRtt.isEmpty() ? TARGET_QUEUE_NS : minRttNs();
    double rate = bandwidth.isEmpty() ? initialRate : bandwidth.get();
    return bytesIn(rate * madeUpLoss(), rtt + targets * targetQueueNs());
  }

  /** Whether the limit alone keeps the queue short. */
  private boolean isUnlimited() {
    return !bandwidth.isEmpty() && limitBytes <= modelWindow(2);
  }

  private double madeUpLoss() {
    return 1 / (1 - Math.min(lossRate, MAX_MADE_UP_LOSS));
  }

  private static double bytesIn(double bytesPerSecond, double durationNs) {
    return bytesPerSecond * durationNs / SECOND_NS;
  }

  // Gauges.

  /** Bytes acknowledged so far: to be stored with each packet after {@link #onSent}. */
  public long delivered() {
    return delivered;
  }

  /** When the last of them were: to be stored with each packet after {@link #onSent}. */
  public long deliveredTimeNs() {
    return deliveredTimeNs;
  }

  /** Start of the current send interval: to be stored with each packet after {@link #onSent}. */
  public long firstSentTimeNs() {
    return firstSentTimeNs;
  }

  /** Bytes sent and not yet acknowledged, lost or discarded. */
  public long flightBytes() {
    return flightBytes;
  }

  /** How many bytes may be in flight, at most the limit. */
  public long windowBytes() {
    return (long) Math.min(window, (double) limitBytes);
  }

  /** What the rail carries, in bytes per second: the estimate, or the initial rate; at least 1. */
  public long rateBytesPerSecond() {
    return bandwidth.isEmpty() ? (long) initialRate : Math.max(1, bandwidth.get());
  }

  /** The smallest round trip of the last ten seconds, or 0 before the first. */
  public long minRttNs() {
    return negatedMinRtt.isEmpty() ? 0 : -negatedMinRtt.get();
  }

  /** How many round trips went by so far. */
  public long rounds() {
    return rounds;
  }
}

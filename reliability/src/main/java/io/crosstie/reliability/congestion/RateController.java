// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.congestion;

import io.crosstie.reliability.time.WindowedMax;

/**
 * Congestion window and pacing of one lossy rail (R18), from delivery rate and delay. The ideas are
 * those of BBR (a model of the path instead of a reaction to losses), of Swift (a target for the
 * delay that small flows may exceed a little, at most one reduction a round trip) and of
 * draft-cheng-iccrg-delivery-rate-estimation; the combination is our own.
 *
 * <p><b>The model.</b> {@code bandwidth} is the largest delivery rate of the last {@value
 * #BANDWIDTH_ROUNDS} round trips in which the application did not hold back; {@code minRtt} the
 * smallest round trip of the last ten seconds. A window of bandwidth × (minRtt + target) keeps a
 * bottleneck busy with a queue of {@code target} in front of it: about 1 ms, and on rails beyond 2
 * Gbit/s, where delay is scheduling more than queueing, up to 4 ms. As long as no more than a tenth
 * is lost, the bandwidth counts divided by the share of packets that arrive, to make up for loss.
 *
 * <p><b>Startup.</b> The window grows by what is acknowledged, doubling every round trip, and
 * pacing spreads it over the round trip, until the delivery rate has not grown by a quarter for
 * three round trips, or for one in which there was a queue or heavy loss; where round trips are
 * long, as soon as either shows.
 *
 * <p><b>Then, once every round trip</b>, by the smallest round trip seen within it:
 *
 * <ul>
 *   <li>queue above the target for {@value #QUEUED_ROUNDS} of them on end: reduce in proportion to
 *       the excess, then skip a round trip, for what is in flight knows nothing of it yet; never
 *       below what the rate just measured needs;
 *   <li>in between: add about a packet per millisecond of round trip. Equal additions and
 *       proportional reductions make flows that share a bottleneck converge;
 *   <li>almost no queue, or {@value #PROBE_INTERVAL_ROUNDS} round trips without a probe: probe with
 *       a larger window. If the rate follows, keep it and probe on, ever more boldly; if not, go
 *       back as far as it did not. This finds a rate that came back, and rails whose delay is not
 *       queueing, without paying for it with losses where a buffer is too short for the target.
 * </ul>
 *
 * <p><b>When the rate falls</b> the round trip grows with the queue, and once a round trip is too
 * slow. So over every stretch of minRtt + target, too, the rate is measured; when the queue was
 * above twice the target throughout three of them, the window falls to what the best of them needs.
 *
 * <p>A standing queue hides the true minRtt, so when the application did not hold back for a second
 * (sooner in the beginning) the window shrinks for a round trip until the queue, as far as it is
 * ours, must be gone.
 *
 * <p><b>On busy processors</b> a round trip lasts until both processes had their turn, and the
 * queue may be gone when they have. The time without any ACK is no queue, then; the window lasts
 * for up to 10 ms of it more. When in two round trips on end nothing came for 2.5 ms, and for the
 * smallest round trip (a shorter silence may be the echo of our own), delay is no guide at all, nor
 * is a probe: the window grows by a quarter each round trip until 2 % is lost, lasts for three
 * times the silence (of up to 50 ms), and gives back what more than a tenth of loss takes. The rate
 * is measured, and the budget earned, in time that includes this process's own sleep, for the
 * bottleneck does not sleep.
 *
 * <p><b>The limit.</b> The window exceeds {@link #setWindowLimitBytes} by no more than what is on
 * the way while the path carries its rate, bandwidth × minRtt. Where the path is short, and a queue
 * as long as the limit is worked off in twice the target, delay is not looked at, and the window is
 * the limit: so it is on fast local links. That is judged by the rate over megabytes. For loopback
 * see {@link #setLocalPath}.
 *
 * <p><b>Loss.</b> Only loss above {@value #HEAVY_LOSS_PERCENT} % for {@value #HEAVY_LOSS_ROUNDS}
 * round trips on end reduces the window, once per round trip, and to a quarter at most unless the
 * loss falls with it.
 *
 * <p><b>Call order.</b> For each packet sent: {@link #onSent}, then read {@link #delivered}, {@link
 * #deliveredTimeNs}, {@link #firstSentTimeNs} and {@link #isAppLimited} and store them with the
 * packet. For each ACK: {@link #onAcked}, {@link #onLost} for its packets and {@link #onRttSample},
 * all with the same time. What an ACK taught is applied by the next {@link #sendAllowance} or
 * {@link #nextSendTimeNs}, or the first ACK with a later time; gauges show the state as of then.
 *
 * <p>Times are nanoseconds of a clock that goes on while this process does not, for so does the
 * network, and never run backwards. One thread, no allocation, constant space.
 */
public final class RateController implements CongestionControl {
  /** The smallest window, in packets: what loss detection needs to work (R5). */
  public static final int MIN_WINDOW_PACKETS = 4;

  /** The window at the start, in packets. */
  public static final int INITIAL_WINDOW_PACKETS = 32;

  /** Queueing delay that is aimed at on rails up to 2 Gbit/s: 1 ms. */
  public static final long TARGET_QUEUE_NS = 1_000_000L;

  /** A burst is as much as the rail carries in this time, 0.5 ms, unless its sender came late. */
  public static final long BURST_NS = 500_000L;

  static final int BANDWIDTH_ROUNDS = 8;
  static final int PROBE_INTERVAL_ROUNDS = 8;
  static final int EMPTY_PROBE_INTERVAL_ROUNDS = 3;
  static final int QUEUED_ROUNDS = 3;
  static final int HEAVY_LOSS_PERCENT = 18;
  static final int LIGHT_LOSS_PERCENT = 12;
  static final int HEAVY_LOSS_ROUNDS = 3;

  private static final double SECOND_NS = 1e9;
  private static final long MIN_RTT_WINDOW_NS = 10_000_000_000L;
  private static final long FIRST_DRAIN_INTERVAL_NS = 50_000_000L; // doubled by each
  private static final long DRAIN_INTERVAL_NS = 1_000_000_000L;
  private static final double TARGET_FULL_RATE = 250e6; // bytes per second: 2 Gbit/s
  private static final double MAX_TARGET_FACTOR = 4;
  private static final double STARTUP_PACING_GAIN = 2.77; // BBR: 4 ln 2
  private static final double STARTUP_SPREAD = 1.5; // a doubling takes 2 ln 2
  private static final double STARTUP_WINDOW_GAIN = 2.5;
  private static final long LONG_RTT_NS = 32_000_000L;
  private static final long STARTUP_QUEUE_NS = 16_000_000L;
  private static final int STARTUP_QUEUE_ACKS = 8;
  private static final double STARTUP_GROWTH = 1.25;
  private static final int STARTUP_FULL_ROUNDS = 3;
  private static final double PACING_GAIN = 1.05;
  private static final double UNLIMITED_PACING_GAIN = 2;
  private static final double MAX_MADE_UP_LOSS = 0.1;
  private static final double MIN_FIRST_PROBE = 0.05;
  private static final double MAX_FIRST_PROBE = 0.25;
  private static final double CRUISE_WINDOW_GAIN = 1.25;
  private static final double MAX_WINDOW_GAIN = 3;
  private static final double BLIND_GAIN = 1.25;
  private static final double BLIND_LOSS = 0.02;
  private static final double MAX_PROBE_GAIN = 2;
  private static final double PROBE_SUCCESS = 0.75; // of the gain must show in the rate
  private static final int LOSS_SAMPLE_PACKETS = 100;
  private static final int DISTRUST_ROUNDS = 64;
  private static final int OVERLONG_STRETCHES = 3;
  private static final double SLEEP_MEMORY = 0.9;
  private static final double MAX_SLEEP_NS = 10e6;
  private static final double MAX_BLIND_SLEEP_NS = 50e6;
  private static final long BLIND_SILENCE_NS = 2_500_000L;
  private static final long MAX_LATE_NS = 2_000_000L;
  private static final long MAX_BLIND_LATE_NS = 50_000_000L;
  private static final long MIN_TRIAL_BYTES = 1 << 20;
  private static final long MAX_TRIAL_BYTES = 8 << 20;

  private enum Mode {
    STARTUP,
    CRUISE,
    PROBE,
    DRAIN
  }

  private final double initialRate;
  private int maxPacketBytes;
  private long limitBytes = Long.MAX_VALUE;
  private boolean localPath;
  private long flightBytes;
  private final Pacer pacer = new Pacer();
  private final RateSampler sampler = new RateSampler();

  // The model. Rates in bytes per second.
  private final WindowedMax bandwidth = new WindowedMax(BANDWIDTH_ROUNDS);
  private final WindowedMax negatedMinRtt = new WindowedMax(MIN_RTT_WINDOW_NS);
  private long leastRttNs; // of all since the last reset, before a queue of ours could stand
  private long drainedNs; // when the queue was empty last, as far as it lies with us
  private double lossRate; // smoothed, 0 to 1

  // The round trip under way, and what is left of the one before.
  private long rounds;
  private long roundStartNs;
  private long roundStartDelivered;
  private long roundMinRttNs;
  private boolean roundAppLimited;
  private double roundRate; // average of the round trip that just ended; 0: tells nothing
  private double previousRoundRate;

  // Silences: how long no ACK came though packets were in flight.
  private long lastAckNs;
  private long roundSilenceNs;
  private long previousSilenceNs;
  private long stretchSilenceNs;
  private boolean blind; // nobody was awake for long enough to see a queue
  private double sleepNs; // how long the peer sleeps between two looks, if longer than the target

  // The trial under way, and what the last one showed.
  private long trialStartNs;
  private long trialStartDelivered;
  private double sustainedRate; // 0 before the first
  private boolean unlimited;

  // The stretch under way, and what is left of the one before.
  private long stretchStartNs;
  private long stretchStartDelivered;
  private long stretchMinRttNs;
  private int overlongStretches; // on end, up to the one before
  private double overlongRate; // the best of them

  // Losses since the last judgement.
  private double acked;
  private double lost;
  private double latestLoss; // 0 to 1
  private boolean lossJudged;
  private int heavyLossRounds;
  private double heavyLossWindow; // when it began
  private double heavyLoss;
  private long distrustLimitUntilRound;

  // The controller.
  private Mode mode = Mode.STARTUP;
  private double window;
  private double startupRate;
  private int startupFullRounds;
  private long ackRttNs = Long.MAX_VALUE; // by the ACK being taken in, if it tells
  private long startQueuedNs; // until when startup saw no queue
  private int startQueuedAcks; // since then
  private double probeGain;
  private double probeBaseWindow;
  private double probeBaseRate;
  private int queuedRounds; // on end, with a queue above the target
  private double leastQueueNs; // within these
  private long drainIntervalNs;
  private double windowAfterDrain;
  private boolean startDrain;
  private long modeEndRound;
  private long nextProbeRound;
  private long holdUntilRound;

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
    reset(0);
  }

  /** The path's packet size changed (R20). */
  @Override
  public void setMaxPacketBytes(int maxPacketBytes) {
    if (maxPacketBytes <= 0) {
      throw new IllegalArgumentException("maxPacketBytes must be positive: " + maxPacketBytes);
    }
    this.maxPacketBytes = maxPacketBytes;
    window = Math.max(window, leastWindow());
  }

  /**
   * The flight never exceeds this (R13), which is half of what the peer's kernel granted to its
   * socket, by more than what the path itself holds while it carries the rate.
   *
   * @param windowLimitBytes positive
   */
  @Override
  public void setWindowLimitBytes(long windowLimitBytes) {
    if (windowLimitBytes <= 0) {
      throw new IllegalArgumentException("windowLimitBytes must be positive: " + windowLimitBytes);
    }
    this.limitBytes = windowLimitBytes;
  }

  /**
   * Whether the path never leaves this host (loopback): there is no link to share or to overrun,
   * and whatever the delay, it is scheduling. The window is the limit then, half of the receiver's
   * buffer, and nothing is paced: a pace learnt while one side waited for a processor would only
   * keep the other waiting.
   */
  @Override
  public void setLocalPath(boolean localPath) {
    this.localPath = localPath;
  }

  /**
   * The rail came back, or is another one: all that was learnt is forgotten. Flight stays charged
   * until its packets are reported.
   */
  @Override
  public void reset(long nowNs) {
    mode = Mode.STARTUP;
    window = (double) INITIAL_WINDOW_PACKETS * maxPacketBytes;
    pacer.reset();
    sampler.reset(nowNs);
    bandwidth.clear();
    negatedMinRtt.clear();
    leastRttNs = Long.MAX_VALUE;
    drainIntervalNs = FIRST_DRAIN_INTERVAL_NS;
    lossRate = latestLoss = 0;
    acked = lost = 0;
    lossJudged = false;
    heavyLossRounds = 0;
    roundRate = previousRoundRate = 0;
    overlongRate = 0;
    overlongStretches = 0;
    queuedRounds = 0;
    startupRate = 0;
    startupFullRounds = 0;
    startQueuedNs = nowNs;
    startQueuedAcks = 0;
    distrustLimitUntilRound = nextProbeRound = holdUntilRound = rounds;
    sustainedRate = 0;
    unlimited = false;
    roundSilenceNs = previousSilenceNs = 0;
    sleepNs = 0;
    blind = false;
    beginMeasuring(nowNs);
  }

  /** Nothing is in flight: rates count from here, and there is no queue of ours. */
  private void beginMeasuring(long nowNs) {
    beginRound(nowNs);
    beginStretch(nowNs);
    beginTrial(nowNs);
    drainedNs = nowNs;
    lastAckNs = nowNs;
  }

  // Sending.

  /**
   * A packet of so many bytes, overhead included, was sent; retransmissions count like all others.
   */
  @Override
  public void onSent(int bytes, long nowNs) {
    if (flightBytes == 0) {
      sampler.onRestEnds(nowNs);
      beginMeasuring(nowNs);
    }
    flightBytes += bytes;
    if (!localPath) {
      refill(nowNs);
      pacer.spend(bytes); // R18
    }
  }

  /**
   * How many bytes may leave now: what the window and the pacing budget both allow. A burst is at
   * most {@link #BURST_NS} of the rate, and some milliseconds more if the caller comes later than
   * {@link #nextSendTimeNs} told it, or one packet of the largest size; and while the rail is
   * paced, nothing may leave before a worthwhile part of that has gathered. A caller whose next
   * packet is larger than the answer waits.
   *
   * @return 0 or more; may be less than a packet when the window is almost full
   */
  @Override
  public long sendAllowance(long nowNs) {
    settle();
    long room = windowBytes() - flightBytes;
    if (room <= 0) {
      return 0;
    }
    if (localPath) {
      return room;
    }
    refill(nowNs);
    double budget = pacer.budgetBytes();
    return budget >= releaseBytes() ? Math.min(room, (long) budget) : 0;
  }

  /**
   * When {@link #sendAllowance} will be positive: now, later when pacing is what blocks, or
   * Long.MAX_VALUE when the window is full and an ACK has to come first. Only for a caller that has
   * something to send then.
   */
  @Override
  public long nextSendTimeNs(long nowNs) {
    settle();
    if (windowBytes() - flightBytes <= 0) {
      return Long.MAX_VALUE;
    }
    if (localPath) {
      return nowNs;
    }
    refill(nowNs);
    return nowNs + pacer.waitNs(releaseBytes(), pacingRate());
  }

  private void refill(long nowNs) {
    pacer.refill(nowNs, pacingRate(), burstBytes(), blind ? MAX_BLIND_LATE_NS : MAX_LATE_NS);
  }

  private double burstBytes() {
    double rate = mode == Mode.STARTUP ? pacingRate() : modelRate();
    return Math.max(maxPacketBytes, bytesIn(rate, (double) BURST_NS)); // R18
  }

  /** How much budget must have gathered before any is spent: batches are what makes rails fast. */
  private double releaseBytes() {
    return Math.max(maxPacketBytes, Math.min(burstBytes() / 4, windowBytes() / 8.0));
  }

  private double pacingRate() {
    if (bandwidth.isEmpty()) {
      return initialRate;
    }
    double rate = bandwidth.get();
    return switch (mode) {
      case STARTUP -> Math.max(rate * STARTUP_PACING_GAIN, startupPace());
      case PROBE -> rate * PACING_GAIN * probeGain;
      case CRUISE, DRAIN ->
          rate * (isUnlimited() ? UNLIMITED_PACING_GAIN : blind ? BLIND_GAIN : PACING_GAIN);
    };
  }

  /**
   * A window that doubles within a round trip, spread over it. Packets that left in a burst come
   * back as one, and with the window the burst would double: a queue overflows by it while most of
   * the link's time is unused.
   */
  private double startupPace() {
    return STARTUP_SPREAD * window * SECOND_NS / Math.max(1, minRttNs());
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
  @Override
  public void onAcked(
      long bytes,
      long priorDelivered,
      long priorDeliveredTimeNs,
      long firstSentTimeNs,
      long sentTimeNs,
      boolean appLimitedAtSend,
      long nowNs) {
    if (sampler.isOpenBefore(nowNs)) {
      settle();
    }
    leave(bytes);
    acked += bytes;
    sampler.onAcked(
        bytes,
        priorDelivered,
        priorDeliveredTimeNs,
        firstSentTimeNs,
        sentTimeNs,
        appLimitedAtSend,
        nowNs);
  }

  /**
   * A round trip was measured. The smallest of them never trusts the peer's word on how long it
   * held the ACK back, for all that is a queue is measured from there.
   *
   * @param rttNs from sending to the arrival of the ACK; at least 1
   * @param ackDelayNs how long the peer held the ACK back, by its own word
   * @param slept whether this process was seen to sleep meanwhile: that is looked at only when
   *     there is nothing else to go by
   */
  @Override
  public void onRttSample(long rttNs, long ackDelayNs, boolean slept, long nowNs) {
    if (slept && !blind) {
      return;
    }
    long rtt = Math.max(1, rttNs);
    negatedMinRtt.update(-rtt, nowNs);
    leastRttNs = Math.min(leastRttNs, rtt);
    long adjusted = Math.max(minRttNs(), rtt - ackDelayNs);
    ackRttNs = adjusted;
    roundMinRttNs = Math.min(roundMinRttNs, adjusted);
    stretchMinRttNs = Math.min(stretchMinRttNs, adjusted);
  }

  /** A packet was declared lost. */
  @Override
  public void onLost(int bytes) {
    leave(bytes);
    lost += bytes;
  }

  /** A packet that {@link #onLost} took out of the flight was acknowledged after all. */
  @Override
  public void onSpuriousLoss(int bytes) {
    lost = Math.max(0, lost - bytes);
    acked += bytes;
    sampler.onLate(bytes);
  }

  /** A packet leaves the flight without a judgement: its rail is down, or nobody will ever tell. */
  @Override
  public void onDiscarded(int bytes) {
    leave(bytes);
  }

  private void leave(long bytes) {
    flightBytes = Math.max(0, flightBytes - bytes);
  }

  /**
   * There is nothing to send though there is room: rate samples of this flight are lower bounds.
   */
  @Override
  public void onAppLimited() {
    pacer.onAppLimited();
    sampler.onAppLimited(flightBytes);
  }

  /** Whether what is sent now is marked so. */
  @Override
  public boolean isAppLimited() {
    return sampler.isAppLimited();
  }

  /** Applies what the last ACK taught. */
  private void settle() {
    if (!sampler.close()) {
      return;
    }
    long silence = sampler.ackTimeNs() - lastAckNs;
    lastAckNs = sampler.ackTimeNs();
    roundSilenceNs = Math.max(roundSilenceNs, silence);
    stretchSilenceNs = Math.max(stretchSilenceNs, silence);
    boolean appLimited = sampler.sampleAppLimited();
    double rate = sampler.rate(minRttNs());
    if (rate > 0 && (!appLimited || rate >= modelRate())) { // what was held back is a lower bound
      boolean first = bandwidth.isEmpty();
      bandwidth.update((long) rate, rounds);
      if (first) {
        pacer.cap(burstBytes()); // it was earned at a rate that was only guessed
      }
    }
    if (appLimited) {
      roundAppLimited = true;
      drainedNs = sampler.ackTimeNs();
    }
    if (localPath) {
      window = limit();
    } else if (mode == Mode.STARTUP && !appLimited) {
      double ceiling = STARTUP_WINDOW_GAIN * modelWindow();
      window = Math.max(window, Math.min(window + sampler.ackedBytes(), ceiling));
      if (isStartTooFast()) {
        endStartup();
      }
    }
    ackRttNs = Long.MAX_VALUE;
    if (sampler.ackTimeNs() - stretchStartNs >= minRttNs() + targetQueueNs()) {
      endStretch();
    }
    if (sampler.roundEnded()) {
      endRound();
    }
    double most = limit();
    if (mode != Mode.STARTUP && !isUnlimited()) {
      double gain = blind ? MAX_WINDOW_GAIN : 1;
      double sleep = bytesIn(modelRate(), gain * sleepNs);
      most = Math.min(most, MAX_WINDOW_GAIN * modelWindow(0) + sleep);
    }
    window = Math.max(leastWindow(), Math.min(window, most));
  }

  private void endStretch() {
    boolean overlong =
        mode != Mode.STARTUP
            && !isUnlimited()
            && queueNs(stretchMinRttNs, stretchSilenceNs) > 2 * targetQueueNs();
    double rate = rateSince(stretchStartDelivered, stretchStartNs);
    overlongRate = overlong ? Math.max(rate, overlongRate) : 0;
    overlongStretches = overlong ? overlongStretches + 1 : 0;
    if (overlongStretches == OVERLONG_STRETCHES) {
      bandwidth.reset((long) overlongRate, rounds);
      if (mode == Mode.DRAIN) {
        windowAfterDrain = Math.min(windowAfterDrain, modelWindow());
      } else {
        cruise(Math.min(window, modelWindow()));
        holdUntilRound = rounds + 2;
      }
      overlongRate = 0;
      overlongStretches = 0;
    }
    beginStretch(sampler.ackTimeNs());
  }

  private void beginStretch(long nowNs) {
    stretchStartNs = nowNs;
    stretchStartDelivered = sampler.delivered();
    stretchMinRttNs = Long.MAX_VALUE;
    stretchSilenceNs = 0;
  }

  /**
   * A trial measures the rate over megabytes, so that a token bucket cannot make a slow rail look
   * like a fast one; whether the limit alone keeps the queue short is judged by it.
   */
  private void endTrial() {
    sustainedRate = rateSince(trialStartDelivered, trialStartNs);
    unlimited =
        limitBytes <= bytesIn(sustainedRate, 2 * targetQueueNs())
            && leastRttNs <= targetQueueNs() / 2;
  }

  private void beginTrial(long nowNs) {
    trialStartNs = nowNs;
    trialStartDelivered = sampler.delivered();
  }

  private void endRound() {
    rounds++;
    judgeSilence();
    boolean informative = !roundAppLimited;
    boolean longEnough = sampler.delivered() - trialStartDelivered >= trialBytes();
    if (informative && longEnough) {
      endTrial();
    }
    if (!informative || longEnough) {
      beginTrial(sampler.ackTimeNs());
    }
    roundRate = informative ? rateSince(roundStartDelivered, roundStartNs) : 0;
    judgeLoss();
    if (mode == Mode.STARTUP) {
      startupRound(informative);
    } else if (heavyLossRounds >= HEAVY_LOSS_ROUNDS) {
      if (lossJudged) {
        reduceForLoss();
      }
    } else if (isUnlimited()) {
      cruise(limit());
    } else {
      steadyRound(informative);
    }
    if (informative) {
      previousRoundRate = roundRate;
    }
    beginRound(sampler.ackTimeNs());
  }

  private void beginRound(long nowNs) {
    roundStartNs = nowNs;
    roundStartDelivered = sampler.delivered();
    roundMinRttNs = Long.MAX_VALUE;
    roundAppLimited = false;
    previousSilenceNs = roundSilenceNs;
    roundSilenceNs = 0;
  }

  /**
   * Less of the sleep is remembered with every round trip, unless it is seen again. Who slept in
   * two of them on end does so all the time.
   */
  private void judgeSilence() {
    long excess = queueNs(roundMinRttNs, 0);
    long queue = roundQueueNs();
    long least = Math.max(BLIND_SILENCE_NS, minRttNs());
    blind = Math.min(roundSilenceNs, previousSilenceNs) > least && queue == 0;
    double most = blind ? MAX_BLIND_SLEEP_NS : MAX_SLEEP_NS;
    sleepNs = Math.max(sleepNs * SLEEP_MEMORY, Math.min((double) (excess - queue), most));
  }

  private void judgeLoss() {
    double sum = acked + lost;
    lossJudged = sum >= lossSampleBytes();
    if (!lossJudged) {
      return; // too few to tell a rate: gather on
    }
    latestLoss = lost / sum;
    lossRate += (latestLoss - lossRate) / 8;
    if (isHeavy(latestLoss)) {
      heavyLossRounds++;
    } else if (latestLoss * 100 < LIGHT_LOSS_PERCENT) {
      heavyLossRounds = 0;
    }
    acked = lost = 0;
  }

  /** A loss that stays when the window is down to a quarter is not congestion: hold it there. */
  private void reduceForLoss() {
    if (!isHeavy(latestLoss)) {
      return;
    }
    if (heavyLossRounds == HEAVY_LOSS_ROUNDS) {
      heavyLossWindow = window;
      heavyLoss = Math.max(latestLoss, lossRate);
    }
    double least = latestLoss > heavyLoss / 2 ? heavyLossWindow / 4 : 0;
    double reduced = window * (1 - Math.min(0.5, latestLoss / 2)); // R18
    cruise(Math.min(window, Math.max(least, reduced)));
    distrustLimitUntilRound = rounds + DISTRUST_ROUNDS;
  }

  /** From so much on, what was lost of it tells a rate. */
  private double lossSampleBytes() {
    return (double) LOSS_SAMPLE_PACKETS * maxPacketBytes;
  }

  private static boolean isHeavy(double loss) {
    return loss * 100 > HEAVY_LOSS_PERCENT;
  }

  /** A queue shows that the path is full though the application held back now and then. */
  private void startupRound(boolean informative) {
    boolean queue = roundQueueNs() > targetQueueNs();
    if (informative && bandwidth.get() >= STARTUP_GROWTH * startupRate) {
      startupRate = bandwidth.get();
      startupFullRounds = 0;
      return;
    }
    if (!informative && !queue) {
      return;
    }
    startupFullRounds++;
    boolean lossy = lossJudged && isHeavy(latestLoss);
    if (startupFullRounds >= STARTUP_FULL_ROUNDS || (informative && queue) || lossy) {
      endStartup();
    }
  }

  private void endStartup() {
    nextProbeRound = rounds + PROBE_INTERVAL_ROUNDS;
    if (isUnlimited()) {
      cruise(limit());
    } else {
      drain(modelWindow()); // of what startup left in the queue
      startDrain = true;
    }
  }

  /**
   * Where a round trip is long, its end is too late to find that the window has outgrown the path:
   * as much again is on its way by then. A queue ends the start as soon as it stood for an eighth
   * of a round trip, by as many ACKs as tell it from one that was late (HyStart++, RFC 9406), and
   * heavy loss does.
   */
  private boolean isStartTooFast() {
    long rtt = minRttNs();
    if (rtt < LONG_RTT_NS || startupRate == 0) { // the first window left as a burst
      startQueuedNs = sampler.ackTimeNs();
      return false;
    }
    if (ackRttNs - rtt <= Math.min(rtt / 8, STARTUP_QUEUE_NS)) {
      startQueuedNs = sampler.ackTimeNs();
      startQueuedAcks = 0;
    } else if (ackRttNs != Long.MAX_VALUE) {
      startQueuedAcks++;
    }
    boolean queue =
        startQueuedAcks >= STARTUP_QUEUE_ACKS && sampler.ackTimeNs() - startQueuedNs >= rtt / 8;
    double sum = acked + lost;
    boolean lossy = sum >= lossSampleBytes() && isHeavy(lost / sum);
    return queue || lossy;
  }

  private void steadyRound(boolean informative) {
    if (blind && informative && mode != Mode.DRAIN && !isDrainDue()) {
      blindRound();
      return;
    }
    switch (mode) {
      case DRAIN -> {
        if (rounds >= modeEndRound) {
          cruise(startDrain ? modelWindow() : windowAfterDrain);
        }
      }
      case PROBE -> {
        if (rounds >= modeEndRound) {
          endProbe();
        }
      }
      default -> {
        if (informative && rounds >= holdUntilRound) {
          cruiseRound();
        }
      }
    }
  }

  private void cruiseRound() {
    double queue = roundQueueNs();
    double target = targetQueueNs();
    leastQueueNs = queuedRounds == 0 ? queue : Math.min(queue, leastQueueNs);
    queuedRounds = queue > target ? queuedRounds + 1 : 0;
    if (isDrainDue()) {
      drain(window);
    } else if (queuedRounds >= QUEUED_ROUNDS) {
      reduce(leastQueueNs, target);
    } else if (rounds >= nextProbeRound) {
      probe(queue, target);
    } else if (queue > target / 4
        && queue <= target
        && window < CRUISE_WINDOW_GAIN * modelWindow()) {
      window += maxPacketBytes * Math.clamp(minRttNs() / 1e6, 1.0, 16.0);
    }
  }

  private boolean isDrainDue() {
    return sampler.ackTimeNs() - drainedNs >= Math.max(drainIntervalNs, 100 * minRttNs());
  }

  /**
   * Delay tells nothing, and a probe nothing either, for how long a round trip takes is a matter of
   * who slept. The window grows until it lasts while both sleep, or packets are lost.
   */
  private void blindRound() {
    if (latestLoss < BLIND_LOSS) {
      cruise(window * BLIND_GAIN);
    } else if (lossJudged && latestLoss > MAX_MADE_UP_LOSS) {
      cruise(window * (1 - latestLoss));
    } else {
      cruise(window);
    }
  }

  private void reduce(double queue, double target) {
    double recent = Math.max(roundRate, previousRoundRate) * madeUpLoss();
    double reduced = window * (1 - 0.8 * (queue - target) / (minRttNs() + queue));
    double needed = bytesIn(recent, minRttNs() + target / 2);
    window = Math.min(window, Math.max(needed, reduced));
    queuedRounds = 0;
    holdUntilRound = rounds + 2; // R18: once per round trip, and not before its effect is seen
  }

  private void probe(double queue, double target) {
    probeGain = Math.max(probeGain, firstProbeGain(queue, target)); // that of the last success
    probeGain = Math.min(probeGain, Math.max(1, limit() / window)); // more would not be seen
    probeBaseWindow = window;
    probeBaseRate = Math.max(roundRate, previousRoundRate);
    window *= probeGain;
    mode = Mode.PROBE;
    modeEndRound = rounds + 2; // packets sent within the first are acknowledged within the second
  }

  /**
   * Bold, but where the round trip is long no more than half a target of queue beyond the target,
   * and never less than a packet, for less would not be seen.
   */
  private double firstProbeGain(double queue, double target) {
    double share = (1.5 * target - queue) / (minRttNs() + target);
    double least = Math.clamp(maxPacketBytes / window, MIN_FIRST_PROBE, MAX_FIRST_PROBE);
    return 1 + Math.clamp(share, least, MAX_FIRST_PROBE);
  }

  private void endProbe() {
    double growth = probeBaseRate > 0 ? roundRate / probeBaseRate - 1 : 0;
    double queue = roundQueueNs();
    double target = targetQueueNs();
    boolean followed = growth >= PROBE_SUCCESS * (probeGain - 1);
    boolean empty = queue <= target / 4;
    if (followed && empty) {
      probeGain = Math.min(MAX_PROBE_GAIN, 2 * probeGain - 1);
      probe(queue, target);
      return;
    }
    // What was of no use is given back.
    cruise(followed ? window : probeBaseWindow * (1 + Math.max(0, growth)));
    probeGain = 0;
    nextProbeRound = rounds;
    if (!followed) {
      nextProbeRound += empty ? EMPTY_PROBE_INTERVAL_ROUNDS : PROBE_INTERVAL_ROUNDS;
    }
  }

  private void drain(double windowAfter) {
    windowAfterDrain = windowAfter;
    startDrain = false;
    drainIntervalNs = Math.min(2 * drainIntervalNs, DRAIN_INTERVAL_NS);
    double share = Math.min(0.75 * minRttNs(), minRttNs() - (double) TARGET_QUEUE_NS);
    double drained = bytesIn(modelRate(), share);
    window = Math.max(leastWindow(), Math.min(window, drained));
    mode = Mode.DRAIN;
    modeEndRound = rounds + 2;
    drainedNs = sampler.ackTimeNs();
  }

  private void cruise(double newWindow) {
    mode = Mode.CRUISE;
    window = newWindow;
  }

  // The model.

  private double rateSince(long startDelivered, long startNs) {
    long duration = sampler.ackTimeNs() - startNs;
    return duration <= 0 ? 0 : (sampler.delivered() - startDelivered) * SECOND_NS / duration;
  }

  private long roundQueueNs() {
    return queueNs(roundMinRttNs, Math.max(roundSilenceNs, previousSilenceNs));
  }

  /**
   * How long the queue was at its shortest, by the smallest round trip of some time. While packets
   * queue, ACKs come all the time. When none came for most of a round trip, and then all at once, a
   * process was not scheduled, and so much of the delay was no queue.
   */
  private long queueNs(long smallestNs, long silenceNs) {
    if (smallestNs == Long.MAX_VALUE) {
      return 0;
    }
    long excess = Math.max(0, smallestNs - minRttNs() - packetNs());
    boolean slept = silenceNs > targetQueueNs() && silenceNs > smallestNs / 2;
    return slept ? Math.max(0, excess - silenceNs) : excess;
  }

  /**
   * How long the path takes to carry a packet. The smallest round trip may be that of a smaller
   * one: the difference is no queue, and on a slow path it is many times the target.
   */
  private long packetNs() {
    double packet = maxPacketBytes * SECOND_NS / modelRate();
    return (long) Math.max(0, packet - targetQueueNs() / 4);
  }

  /** From 0.7 to 1.3 ms, less for larger windows, which helps the smaller of two flows (Swift). */
  private double targetQueueNs() {
    double fast = Math.clamp(sustainedRate / TARGET_FULL_RATE, 1.0, MAX_TARGET_FACTOR);
    double packets = window / maxPacketBytes;
    return TARGET_QUEUE_NS * fast * (0.7 + Math.min(0.6, 2 / Math.sqrt(packets)));
  }

  /** The window that makes a queue of the target, and lasts while the peer sleeps. */
  private double modelWindow() {
    return modelWindow(sleepNs);
  }

  private double modelWindow(double sleepNs) {
    return bytesIn(modelRate() * madeUpLoss(), minRttNs() + targetQueueNs() + sleepNs);
  }

  private double modelRate() {
    return bandwidth.isEmpty() ? initialRate : bandwidth.get();
  }

  /** Whether the limit alone keeps the queue short. */
  private boolean isUnlimited() {
    return localPath || (unlimited && rounds >= distrustLimitUntilRound);
  }

  /**
   * What may be in flight: so much of it may be in the peer's buffer, the rest is on the way. Not
   * where the limit alone bounds the queue: nobody drains it there, and the smallest round trip
   * would grow with it for ever.
   */
  private double limit() {
    double limit = (double) limitBytes;
    return isUnlimited() ? limit : limit + bytesIn(modelRate(), (double) minRttNs());
  }

  private long trialBytes() {
    return Math.clamp(limitBytes, MIN_TRIAL_BYTES, MAX_TRIAL_BYTES);
  }

  private double madeUpLoss() {
    return 1 / (1 - Math.min(lossRate, MAX_MADE_UP_LOSS));
  }

  private double leastWindow() {
    return (double) MIN_WINDOW_PACKETS * maxPacketBytes;
  }

  private static double bytesIn(double bytesPerSecond, double durationNs) {
    return bytesPerSecond * durationNs / SECOND_NS;
  }

  // Gauges.

  /** Bytes acknowledged so far: to be stored with each packet after {@link #onSent}. */
  @Override
  public long delivered() {
    return sampler.delivered();
  }

  /** When the last of them were: to be stored with each packet after {@link #onSent}. */
  @Override
  public long deliveredTimeNs() {
    return sampler.deliveredTimeNs();
  }

  /** Start of the current send interval: to be stored with each packet after {@link #onSent}. */
  @Override
  public long firstSentTimeNs() {
    return sampler.firstSentTimeNs();
  }

  /** Bytes sent and not yet acknowledged, lost or discarded. */
  @Override
  public long flightBytes() {
    return flightBytes;
  }

  /** How many bytes may be in flight. */
  @Override
  public long windowBytes() {
    return (long) Math.min(window, limit());
  }

  /** What the rail carries, in bytes per second: the estimate, or the initial rate; at least 1. */
  @Override
  public long rateBytesPerSecond() {
    return (long) Math.max(1, modelRate());
  }

  /** The smallest round trip of the last ten seconds, or 0 before the first. */
  public long minRttNs() {
    return negatedMinRtt.isEmpty() ? 0 : -negatedMinRtt.get();
  }

  /** How many round trips went by so far. */
  @Override
  public long rounds() {
    return rounds;
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.congestion;

import io.crosstie.reliability.loss.LossThresholds;
import io.crosstie.reliability.loss.ReceivedPackets;
import io.crosstie.reliability.loss.RttEstimator;
import io.crosstie.reliability.wire.AckFrame;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;

/**
 * A path with one bottleneck, in virtual time: a queue of finite length in front of a link of some
 * rate, a propagation delay to either side, random loss behind the queue, and receivers that look
 * at what arrived at once or when they are scheduled. Flows run the real recovery classes against
 * it: {@link RateController}, {@link ReceivedPackets} with real ACK frames, {@link RttEstimator},
 * {@link LossThresholds}. ACKs are not lost and need no capacity.
 *
 * <p>Deterministic: the same parameters and seed give the same run.
 */
final class PathModel {
  static final int PACKET_BYTES = 1500;
  static final long MS = 1_000_000L;
  static final long US = 1_000L;
  static final double GIGABIT = 125e6;

  private record Event(long timeNs, long order, Runnable action) {}

  private record Packet(Flow flow, long number, int bytes, long enqueuedNs) {}

  private final PriorityQueue<Event> events =
      new PriorityQueue<>(
          (a, b) ->
              a.timeNs != b.timeNs
                  ? Long.compare(a.timeNs, b.timeNs)
                  : Long.compare(a.order, b.order));
  private final SplittableRandom random;
  private final List<Flow> flows = new ArrayList<>();
  private final ArrayDeque<Packet> queue = new ArrayDeque<>();
  private final long oneWayNs;
  private final long bufferBytes;
  private double rate;
  private double lossProbability;

  /** What the bottleneck may carry at once after a rest, like a token bucket. */
  long burstBytes;

  private double tokens;
  private long tokensNs;
  private long queuedBytes;
  private boolean busy;
  private long nowNs;
  private long order;

  // What is measured, since the last call of startMeasuring.
  private long measuringSinceNs;
  private double capacityBytes;
  private long rateSinceNs;
  private long[] queueDelays = new long[1024];
  private int queueDelayCount;
  long overflows;

  PathModel(double rateBytesPerSecond, long rttNs, long bufferBytes, double loss, long seed) {
    this.rate = rateBytesPerSecond;
    this.oneWayNs = rttNs / 2;
    this.bufferBytes = bufferBytes;
    this.lossProbability = loss;
    this.random = new SplittableRandom(seed);
  }

  /** Adds a greedy sender that starts at a time. */
  Flow addFlow(RateController controller, long startNs) {
    Flow flow = new Flow(controller);
    flows.add(flow);
    at(startNs, flow::pump);
    return flow;
  }

  long nowNs() {
    return nowNs;
  }

  void setRate(double rateBytesPerSecond) {
    account();
    rate = rateBytesPerSecond;
  }

  void setLoss(double probability) {
    lossProbability = probability;
  }

  void runUntil(long timeNs) {
    while (!events.isEmpty() && events.peek().timeNs <= timeNs) {
      Event event = events.remove();
      nowNs = event.timeNs;
      event.action.run();
    }
    nowNs = timeNs;
  }

  private void at(long timeNs, Runnable action) {
    events.add(new Event(timeNs, order++, action));
  }

  private void account() {
    capacityBytes += rate * (nowNs - rateSinceNs) / 1e9;
    rateSinceNs = nowNs;
  }

  // Measuring.

  void startMeasuring() {
    account();
    capacityBytes = 0;
    measuringSinceNs = nowNs;
    queueDelayCount = 0;
    overflows = 0;
    for (Flow flow : flows) {
      flow.arrivedBytes = 0;
      flow.spurious = 0;
      flow.lost = 0;
      flow.sent = 0;
    }
  }

  /** What arrived, of what the bottleneck could have carried. */
  double utilisation() {
    account();
    double arrived = 0;
    for (Flow flow : flows) {
      arrived += flow.arrivedBytes;
    }
    return arrived / capacityBytes;
  }

  /** Queueing delay that this share of the packets stayed below, in milliseconds. */
  double queueMs(double quantile) {
    if (queueDelayCount == 0) {
      return 0;
    }
    long[] sorted = Arrays.copyOf(queueDelays, queueDelayCount);
    Arrays.sort(sorted);
    return sorted[(int) Math.min(queueDelayCount - 1, queueDelayCount * quantile)] / 1e6;
  }

  /** The average rate of a flow since measuring began, in bytes per second. */
  double rateOf(Flow flow) {
    return flow.arrivedBytes * 1e9 / (nowNs - measuringSinceNs);
  }

  // The bottleneck.

  private void enqueue(Packet packet) {
    if (queuedBytes + packet.bytes > bufferBytes) {
      overflows++;
      return;
    }
    queuedBytes += packet.bytes;
    queue.add(packet);
    if (!busy) {
      serve();
    }
  }

  private void serve() {
    Packet packet = queue.peek();
    if (packet == null) {
      busy = false;
      return;
    }
    busy = true;
    tokens = Math.min((double) burstBytes, tokens + rate * (nowNs - tokensNs) / 1e9);
    tokensNs = nowNs;
    double missing = packet.bytes - tokens;
    tokens -= packet.bytes;
    at(nowNs + Math.max(10, (long) (missing * 1e9 / rate)), this::served);
  }

  private void served() {
    Packet packet = queue.remove();
    queuedBytes -= packet.bytes;
    if (queueDelayCount == queueDelays.length) {
      queueDelays = Arrays.copyOf(queueDelays, 2 * queueDelayCount);
    }
    queueDelays[queueDelayCount++] = nowNs - packet.enqueuedNs;
    if (random.nextDouble() >= lossProbability) {
      at(nowNs + oneWayNs, () -> packet.flow.arrive(packet));
    }
    serve();
  }

  /** A greedy sender and its receiver. */
  final class Flow {
    final RateController controller;
    final RttEstimator rtt = new RttEstimator(100 * MS);
    final LossThresholds thresholds = new LossThresholds();
    final ReceivedPackets received = new ReceivedPackets(MS);
    int packetBytes = PACKET_BYTES;

    /** How long the receiver sleeps between two looks at its socket, at most; 0: never. */
    long receiverPauseNs;

    /** How long the sender sleeps after each of its turns, at most; 0: never. */
    long senderPauseNs;

    /** How long each of them goes on before it sleeps, as with a busy scheduler; 0: one look. */
    long turnNs;

    /** Whether an ACK comes for every eighth of the window, or else only for every 64 packets. */
    boolean eighthOfWindow = true;

    /** How often the sender says that the application held back; 0: never. */
    long holdBackEveryNs;

    private long heldBackNs;

    /** How many bytes a second the application has; 0: as many as fit. */
    double applicationRate;

    long sent;
    long lost;
    long spurious;
    long arrivedBytes;

    private final ArrayDeque<Packet> socket = new ArrayDeque<>();
    private boolean receiverAsleep;
    private final ArrayDeque<byte[]> acks = new ArrayDeque<>();
    private boolean senderAsleep;
    private long senderTurnEndNs = -1;
    private long receiverTurnEndNs = -1;
    private boolean ackTimerArmed;

    // Sent packets by number, in parallel arrays that wrap around.
    private static final int RING = 1 << 16;
    private final byte[] state = new byte[RING]; // 0 none, 1 in flight, 2 lost, 3 acknowledged
    private final long[] sentNs = new long[RING];
    private final long[] priorDelivered = new long[RING];
    private final long[] priorDeliveredNs = new long[RING];
    private final long[] firstSentNs = new long[RING];
    private final boolean[] appLimited = new boolean[RING];
    private long next;
    private long oldest; // the lowest number that may be in flight
    private long largestAcked = -1;
    private long wakeNs = Long.MAX_VALUE;
    private long lastProgressNs;
    private boolean timerArmed;
    private long seenRounds;
    private double applicationBudget;
    private long applicationNs;

    Flow(RateController controller) {
      this.controller = controller;
    }

    /** The sender's turn, if it is awake: looks at what arrived, and sends what may be sent. */
    void pump() {
      if (senderAsleep) {
        return;
      }
      while (!acks.isEmpty()) {
        onAck(acks.remove());
      }
      fill();
      if (senderPauseNs > 0) {
        if (turnNs > 0 && senderTurnEndNs < 0) {
          senderTurnEndNs = nowNs + turnNs;
          at(senderTurnEndNs, this::pump);
        }
        if (nowNs < senderTurnEndNs) {
          return;
        }
        senderTurnEndNs = -1;
        senderAsleep = true;
        at(
            nowNs + 20 * US + random.nextLong(senderPauseNs),
            () -> {
              senderAsleep = false;
              pump();
            });
      }
    }

    private void fill() {
      if (eighthOfWindow) {
        long packets = controller.windowBytes() / 8 / packetBytes;
        received.setPacketsPerAck(Math.clamp(packets, 1, 64)); // R9
      }
      while (next - oldest < RING) {
        if (controller.sendAllowance(nowNs) < packetBytes) {
          break;
        }
        if (!applicationHas(packetBytes)) {
          controller.onAppLimited();
          break;
        }
        send();
      }
      if (holdBackEveryNs > 0 && nowNs - heldBackNs >= holdBackEveryNs) {
        heldBackNs = nowNs;
        controller.onAppLimited();
      }
      long when = controller.nextSendTimeNs(nowNs);
      if (when <= nowNs && applicationRate > 0) {
        when = nowNs + 50 * US;
      }
      if (when > nowNs && when != Long.MAX_VALUE && when < wakeNs) {
        wakeNs = when;
        at(
            when,
            () -> {
              if (wakeNs == nowNs) {
                wakeNs = Long.MAX_VALUE;
                pump();
              }
            });
      }
      if (!timerArmed) {
        timerArmed = true;
        at(nowNs + timeoutNs(), this::onTimer);
      }
    }

    private boolean applicationHas(int bytes) {
      if (applicationRate == 0) {
        return true;
      }
      applicationBudget =
          Math.min(
              20.0 * bytes, applicationBudget + applicationRate * (nowNs - applicationNs) / 1e9);
      applicationNs = nowNs;
      if (applicationBudget < bytes) {
        return false;
      }
      applicationBudget -= bytes;
      return true;
    }

    private void send() {
      int slot = (int) (next & (RING - 1));
      controller.onSent(packetBytes, nowNs);
      state[slot] = 1;
      sentNs[slot] = nowNs;
      priorDelivered[slot] = controller.delivered();
      priorDeliveredNs[slot] = controller.deliveredTimeNs();
      firstSentNs[slot] = controller.firstSentTimeNs();
      appLimited[slot] = controller.isAppLimited();
      sent++;
      enqueue(new Packet(this, next++, packetBytes, nowNs));
    }

    private void arrive(Packet packet) {
      socket.add(packet);
      if (!receiverAsleep) {
        receiverPoll();
      }
    }

    private void receiverPoll() {
      if (turnNs > 0 && receiverPauseNs > 0 && receiverTurnEndNs < 0) {
        receiverTurnEndNs = nowNs + turnNs;
        at(receiverTurnEndNs, this::receiverPoll);
      }
      receiverAsleep = receiverPauseNs > 0 && nowNs >= receiverTurnEndNs;
      while (!socket.isEmpty()) {
        Packet packet = socket.remove();
        if (received.onPacket(packet.number, true, nowNs) == ReceivedPackets.NEW) {
          arrivedBytes += packet.bytes;
        }
        if (received.isAckDue(nowNs)) {
          sendAck();
        }
      }
      if (received.isAckDue(nowNs)) {
        sendAck();
      }
      if (received.hasAckToSend() && !ackTimerArmed && !receiverAsleep) {
        ackTimerArmed = true;
        at(
            received.ackDeadlineNs(),
            () -> {
              ackTimerArmed = false;
              if (received.isAckDue(nowNs)) {
                sendAck();
              } else if (received.hasAckToSend()) {
                receiverPoll();
              }
            });
      }
      if (receiverAsleep) {
        receiverTurnEndNs = -1;
        long pause = 20 * US + random.nextLong(receiverPauseNs);
        at(nowNs + pause, this::receiverPoll);
      }
    }

    private void sendAck() {
      byte[] frame = new byte[AckFrame.MAX_LENGTH];
      if (received.writeAck(frame, 0, AckFrame.MAX_LENGTH, 0, nowNs) > 0) {
        received.onAckSent(nowNs);
        at(
            nowNs + oneWayNs,
            () -> {
              acks.add(frame);
              pump();
            });
      }
    }

    private void onAck(byte[] frame) {
      long largest = AckFrame.largest(frame, 0);
      boolean newLargest = largest > largestAcked;
      long last = largest;
      for (int i = 0; i < AckFrame.runCount(frame, 0); i++) {
        last -= AckFrame.gap(frame, 0, i);
        long first = last - AckFrame.run(frame, 0, i) + 1;
        for (long n = last; n >= Math.max(first, oldest); n--) {
          acknowledged(n, largest);
        }
        last = first - 1;
      }
      if (newLargest) {
        largestAcked = largest;
        long sample = nowNs - sentNs[(int) (largest & (RING - 1))];
        long delay = AckFrame.delayMicros(frame, 0) * 1000;
        rtt.onSample(sample, delay, nowNs);
        controller.onRttSample(sample, delay, false, nowNs);
      }
      detectLosses();
      at(nowNs + oneWayNs, () -> received.onAckDelivered(largest));
      while (seenRounds < controller.rounds()) {
        seenRounds++;
        thresholds.onRoundTrip();
      }
    }

    private void acknowledged(long number, long largest) {
      int slot = (int) (number & (RING - 1));
      if (state[slot] == 1) {
        state[slot] = 3;
        lastProgressNs = nowNs;
        controller.onAcked(
            packetBytes,
            priorDelivered[slot],
            priorDeliveredNs[slot],
            firstSentNs[slot],
            sentNs[slot],
            appLimited[slot],
            nowNs);
      } else if (state[slot] == 2) {
        state[slot] = 3;
        spurious++;
        controller.onSpuriousLoss(packetBytes);
        long age = nowNs - sentNs[slot];
        thresholds.onSpuriousLoss(
            Math.max(largest, largestAcked) - number, age - LossThresholds.baseTimeNs(rtt, US));
      }
    }

    private void detectLosses() {
      long timeThreshold = thresholds.timeThresholdNs(rtt, US);
      for (long n = oldest; n < largestAcked; n++) {
        int slot = (int) (n & (RING - 1));
        if (state[slot] == 1
            && (largestAcked - n >= thresholds.packetThreshold()
                || nowNs - sentNs[slot] >= timeThreshold)) {
          lose(slot);
        }
      }
      // Keep lost ones for a while, so that a late ACK is seen.
      while (oldest <= largestAcked && state[(int) (oldest & (RING - 1))] != 1) {
        oldest++;
      }
    }

    private void lose(int slot) {
      state[slot] = 2;
      lost++;
      controller.onLost(packetBytes);
    }

    private long timeoutNs() {
      return rtt.timeoutNs(MS, MS);
    }

    private void onTimer() {
      timerArmed = false;
      if (controller.flightBytes() > 0 && nowNs - lastProgressNs >= timeoutNs()) {
        lastProgressNs = nowNs;
        send(); // a probe, whatever the window says
      }
      pump();
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.path;

import io.crosstie.multirail.event.RailState;
import io.crosstie.reliability.congestion.CongestionControl;
import io.crosstie.reliability.fault.PlantedFault;
import io.crosstie.reliability.loss.ReceivedPackets;
import io.crosstie.reliability.loss.RttEstimator;
import io.crosstie.reliability.loss.SentPackets;
import io.crosstie.reliability.time.SlipClock;
import io.crosstie.transport.Counters;
import io.crosstie.transport.Rail;
import io.crosstie.transport.RailAddress;

/**
 * One rail of one connection. The {@link Rail} behind it may be replaced (restart); the numbers go
 * on, so none is ever used twice (R1).
 *
 * <p>Each part owns its state: {@link #link} the rail itself, {@link #health} its state, {@link
 * #probing} what both ends ask each other, {@link #sent} and {@link #received} the packets of
 * either direction, {@link #timers} when those sent are judged, {@link #congestion} what may leave,
 * {@link #size} how large packets may be. Here is what concerns several of them. {@link Recovery}
 * and {@link RailHealth} decide. Times are effective time, but for {@link #congestion}, which goes
 * by raw time. One thread.
 */
public final class RailPath {
  /** A packet of this size passes wherever UDP passes (R20). */
  public static final int BASE_PACKET = 1200;

  /** Overhead that a datagram is charged with in the receiver's kernel besides its bytes. */
  static final int DATAGRAM_OVERHEAD = 256;

  /** What to assume of a path of which nothing was measured (RFC 9002, section 6.2.2). */
  private static final long INITIAL_RTT_NS = 333_000_000L;

  /** Of a lossless rail none is measured: what a process takes that has lost its processor. */
  private static final long LOSSLESS_RTT_NS = 20_000_000L;

  private final int id;
  private final SlipClock clock;
  private final PlantedFault planted;
  private final Counters<RailCounter> counters = new Counters<>(RailCounter.class);
  private final RailLink link;
  private final PathHealth health;
  private final Probing probing = new Probing();
  private final SentPackets sent = new SentPackets();
  private final ReceivedPackets received;
  private final RttEstimator rtt = new RttEstimator(INITIAL_RTT_NS);
  private final PacketTimers timers = new PacketTimers();
  private final PacketBatch batch = new PacketBatch();
  private final CongestionControl congestion;
  private final PacketSizeProbe size = new PacketSizeProbe();
  private long lastReceived;
  private boolean oneHost;
  private long hintRttNs = INITIAL_RTT_NS;

  /**
   * A path without a rail, not validated.
   *
   * @param clock the node's
   * @param maxAckDelayNs how long an ACK is held back at most; at least 0
   */
  public RailPath(
      int id,
      RailLink link,
      CongestionControl congestion,
      SlipClock clock,
      long maxAckDelayNs,
      PlantedFault planted,
      long nowNs) {
    this.id = id;
    this.link = link;
    this.congestion = congestion;
    this.clock = clock;
    this.planted = planted;
    this.received = new ReceivedPackets(maxAckDelayNs);
    this.health = new PathHealth(counters, nowNs);
  }

  // ---- its parts ----

  /** Its number within the connection. */
  public int id() {
    return id;
  }

  /** What was counted about it. */
  public Counters<RailCounter> counters() {
    return counters;
  }

  /** The rail itself. */
  public RailLink link() {
    return link;
  }

  /** Its state. */
  public PathHealth health() {
    return health;
  }

  /** What both ends ask each other. */
  public Probing probing() {
    return probing;
  }

  /** The packets sent that are not judged yet. */
  public SentPackets sent() {
    return sent;
  }

  /** The packets received. */
  public ReceivedPackets received() {
    return received;
  }

  /** Its round trip. */
  public RttEstimator rtt() {
    return rtt;
  }

  /** When packets sent are judged. */
  public PacketTimers timers() {
    return timers;
  }

  /** What the duty cycle at hand did with it. */
  public PacketBatch batch() {
    return batch;
  }

  /** What may leave; raw time. */
  public CongestionControl congestion() {
    return congestion;
  }

  /** How large packets may be. */
  public PacketSizeProbe size() {
    return size;
  }

  /** The node's clock. */
  public SlipClock clock() {
    return clock;
  }

  // ---- its state ----

  /** The state that it is in. */
  public RailState state() {
    return health.state();
  }

  /** Whether it may be used, as the watchdog says. */
  public boolean isActive() {
    return health.state() == RailState.ACTIVE;
  }

  /** Whether there is a rail, which has not ended. */
  public boolean isOpen() {
    return link.isOpen();
  }

  /** Whether messages may be bound to it. */
  public boolean isUsable() {
    return isActive() && isOpen();
  }

  // ---- rails come and go ----

  /**
   * Puts a rail behind this path.
   *
   * @param committed packets that were committed on it already, as a handshake does: they count in
   *     its consumer position and have no number here
   */
  public void attach(Rail newRail, int committed, long nowNs) {
    probing.giveBack(); // it may lead to another host now
    boolean tooFar = planted == PlantedFault.POSITION_TOO_FAR;
    link.attach(newRail, sent.nextNumber() - (tooFar ? 0 : committed), nowNs);
    hintRttNs = 2 * newRail.port().attributes().latencyHintNs();
    rtt.reset(link.isLossless() ? LOSSLESS_RTT_NS : INITIAL_RTT_NS);
    timers.onAttached();
    congestion.reset(clock.toRaw(nowNs));
    oneHost = isOneHost(newRail.port().localAddress(), newRail.remoteAddress());
    congestion.setLocalPath(oneHost);
    size.restart(newRail.maxPacketLength(), link.isLossless(), nowNs);
    onSizeChanged();
    counters.set(RailCounter.PACKET_SIZE, size.current());
    counters.set(RailCounter.UNPACED, oneHost && !link.isLossless() ? 1 : 0);
    probing.infoNow();
    batch.begin();
  }

  /**
   * Whether there is a network between both ends, so that what leaves is paced, and bounded by
   * congestion control; a path within one host has nothing to share or to overrun.
   */
  public boolean isPaced() {
    return !oneHost && !link.isLossless();
  }

  /** Whether both ends have the same host address, so that the path never leaves this machine. */
  private static boolean isOneHost(RailAddress a, RailAddress b) {
    return host(a).equals(host(b));
  }

  private static String host(RailAddress address) {
    String text = address.text();
    return text.substring(0, Math.max(0, text.lastIndexOf(':')));
  }

  /**
   * What was learnt of what may leave, and how large, counts no more: the rail comes into use.
   *
   * @param back whether it was in use before, and may lead another way now
   */
  void startAnew(boolean back, long nowNs) {
    congestion.reset(clock.toRaw(nowNs));
    Rail rail = link.rail();
    if (rail != null && back) {
      size.restart(rail.maxPacketLength(), link.isLossless(), nowNs);
      onSizeChanged();
    }
  }

  /**
   * What the peer can receive here, by its own word. Whatever it says, packets of the base size can
   * be sent one at a time.
   *
   * @param receiveBufferBytes 0 or more; 0 if the rail has flow control of its own
   * @param maxPacketLength at least {@link #BASE_PACKET}
   */
  public void limit(int receiveBufferBytes, int maxPacketLength) {
    int longest = maxPacketLength;
    if (receiveBufferBytes > 0) {
      int half = Math.max(charge(BASE_PACKET), receiveBufferBytes / 2);
      congestion.setWindowLimitBytes(half);
      longest = Math.min(longest, Math.max(BASE_PACKET, half - DATAGRAM_OVERHEAD));
    }
    if (!link.isLossless()) {
      size.limit(longest);
      onSizeChanged();
    }
  }

  private void onSizeChanged() {
    congestion.setMaxPacketBytes(size.current());
  }

  /** The link said that a packet was too big. */
  public void onTooBig(long nowNs) {
    size.onTooBig(nowNs);
    onSizeChanged();
  }

  /** A probe of that size came through. */
  void onSizeProbeAcked(int probed) {
    size.onAcked(probed);
    onSizeChanged();
  }

  /** An ordinary packet was lost although later ones arrived: it may have been too big. */
  void onOvertakenLost(int bytes, long number, long nowNs) {
    if (size.onPacketLost(bytes, number, nowNs)) {
      onSizeChanged();
    }
  }

  /**
   * The round trip of the handshake that this path began with, unless this process paused in it.
   */
  public void onHandshakeRoundTrip(long roundTripNs, long nowNs) {
    if (!link.isLossless() && roundTripNs > 0 && nowNs - roundTripNs >= clock.lastSlipAtNs()) {
      rtt.seed(roundTripNs, nowNs);
    }
  }

  // ---- sending ----

  /** Whether a packet may be sent in this duty cycle. */
  public boolean canSendNow(long nowNs) {
    return !batch.isFull() && sent.hasRoom() && hasAllowance(nowNs);
  }

  /** Whether a packet may leave now; lossless rails limit themselves by refusing claims. */
  public boolean hasAllowance(long nowNs) {
    return link.isLossless() || congestion.sendAllowance(clock.toRaw(nowNs)) >= size.current();
  }

  /**
   * When {@link #hasAllowance} will be true for data that waits; Long.MAX_VALUE if nobody knows.
   */
  public long nextSendNs(long nowNs) {
    long at = link.isLossless() ? Long.MAX_VALUE : congestion.nextSendTimeNs(clock.toRaw(nowNs));
    return at == Long.MAX_VALUE ? at : clock.toEffective(at);
  }

  /** Charges a packet of that many bytes is reckoned with. */
  public int charge(int bytes) {
    return link.isLossless() ? bytes : bytes + DATAGRAM_OVERHEAD;
  }

  /**
   * A packet left that asks for an acknowledgement; its items follow, in {@link #sent}.
   *
   * @param bytes its length, and what the peer reads elsewhere because of it
   * @param transmissions how often the most repeated of its fragments had left before
   * @param deadlineNs when its retransmission timeout ends
   */
  public void onSent(int bytes, int transmissions, long deadlineNs, long nowNs) {
    int charge = charge(bytes);
    if (sent.outstanding() == 0) {
      health.onBusy(nowNs);
    }
    congestion.onSent(charge, clock.toRaw(nowNs));
    sent.add(
        charge,
        nowNs,
        deadlineNs,
        transmissions,
        congestion.isAppLimited(),
        congestion.delivered(),
        congestion.deliveredTimeNs(),
        congestion.firstSentTimeNs());
    timers.onSent(deadlineNs, nowNs);
  }

  /**
   * A packet left that carries the fragment behind that of the packet sent last, as long, at the
   * same time.
   *
   * @param charge of each, by {@link #charge}
   * @param rawNowNs raw time
   */
  public void onNextSent(int charge, long rawNowNs) {
    congestion.onSent(charge, rawNowNs);
    long unused = sent.addNext();
  }

  // ---- receiving ----

  /** Number of the packet that came last on a lossless rail. */
  public long lastReceived() {
    return lastReceived;
  }

  /** Takes note of the number of a packet that came. */
  public void onReceived(long number) {
    lastReceived = number;
  }

  /** Takes note that a number of packets came, of so many bytes in all. */
  public void countIn(int packets, long bytes, long nowNs) {
    health.onHeard(nowNs);
    counters.add(RailCounter.PACKETS_IN, packets);
    counters.add(RailCounter.BYTES_IN, bytes);
  }

  // ---- times that follow from the round trip ----

  /** Round trip to reckon with: the driver's word before one was measured. */
  public long expectedRttNs() {
    return rtt.isMeasured() ? rtt.smoothedNs() : hintRttNs;
  }

  /** How long an answer takes at most, by the round trips so far (R7). */
  public long responseNs(long peerAckDelayNs) {
    return rtt.timeoutNs(peerAckDelayNs, 1_000_000L);
  }

  /** How long a packet may stay unacknowledged (R7), before back-off. */
  long timeoutBaseNs(long peerAckDelayNs, long floorNs) {
    return Math.max(responseNs(peerAckDelayNs), floorNs);
  }

  /**
   * How long nothing may be acknowledged though packets are overdue before the rail passes for
   * silent. Acknowledgements follow each other as packets do, whatever queue they all wait in, so
   * its share of the round trip is no excuse; the smallest round trip is, for it holds the time
   * that a slow link takes for one packet.
   */
  long silenceNs(long peerAckDelayNs, long floorNs) {
    long queueNs = Math.max(0, rtt.smoothedNs() - rtt.windowedMinNs());
    return Math.max(responseNs(peerAckDelayNs) - queueNs, floorNs);
  }

  // ---- counters ----

  /** Refreshes the gauges. */
  public void gauges(long nowNs) {
    health.account(nowNs);
    counters.set(RailCounter.SRTT_NS, rtt.isMeasured() ? rtt.smoothedNs() : 0);
    counters.set(RailCounter.MIN_RTT_NS, rtt.isMeasured() ? rtt.minNs() : 0);
    counters.set(RailCounter.FLIGHT_BYTES, congestion.flightBytes());
    counters.set(RailCounter.WINDOW_BYTES, congestion.windowBytes());
    counters.set(RailCounter.RATE, congestion.rateBytesPerSecond());
    counters.set(RailCounter.PACKET_SIZE, size.current());
  }
}

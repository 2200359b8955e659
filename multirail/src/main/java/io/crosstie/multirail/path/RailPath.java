// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.path;

import io.crosstie.checksum.MemoryWords;
import io.crosstie.multirail.connection.PacketSender;
import io.crosstie.multirail.event.RailState;
import io.crosstie.reliability.congestion.RateController;
import io.crosstie.reliability.fault.PlantedFault;
import io.crosstie.reliability.loss.LossThresholds;
import io.crosstie.reliability.loss.ReceivedPackets;
import io.crosstie.reliability.loss.RttEstimator;
import io.crosstie.reliability.loss.SentPackets;
import io.crosstie.reliability.time.SlipClock;
import io.crosstie.reliability.wire.SinglePacket;
import io.crosstie.transport.Counters;
import io.crosstie.transport.Rail;
import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailAttributes;
import org.jspecify.annotations.Nullable;

/**
 * One rail of one connection: its packet-number space, its estimates and its health. The {@link
 * Rail} behind it may be replaced (restart); the numbers go on, so none is ever used twice (R1).
 * Plain state with the few computations that need nothing else; {@link Recovery}, {@link
 * RailHealth} and {@link PacketSender} act on it.
 */
public final class RailPath {
  /** Longer ago than anything, and far enough from the end of the numbers to be subtracted. */
  static final long NEVER_NS = Long.MIN_VALUE / 2;

  /** A packet of this size passes wherever UDP passes (R20). */
  static final int BASE_PACKET = 1200;

  /** Overhead that a datagram is charged with in the receiver's kernel besides its bytes. */
  static final int DATAGRAM_OVERHEAD = 256;

  /** What to assume of a path of which nothing was measured (RFC 9002, section 6.2.2). */
  private static final long INITIAL_RTT_NS = 333_000_000L;

  /** Of a lossless rail none is measured: what a process takes that has lost its processor. */
  private static final long LOSSLESS_RTT_NS = 20_000_000L;

  public final int id;

  /** The node's; {@link #rate} goes by its raw time, everything else by its effective time. */
  public final SlipClock clock;

  public int portIndex;
  public String name;
  public int weight;
  public final SentPackets sent = new SentPackets();
  public final ReceivedPackets received;
  public final RttEstimator rtt = new RttEstimator(INITIAL_RTT_NS);
  public PlantedFault planted = PlantedFault.NONE;
  final LossThresholds thresholds = new LossThresholds();
  public final RateController rate;
  public final PacketSizeProbe size;
  public final Counters<RailCounter> counters = new Counters<>(RailCounter.class);

  /** What the driver called itself when it was last open. */
  public String kind = "";

  /** The rail in use, or null while there is none. */
  public @Nullable Rail rail;

  /**
   * Where it leads, as advertised by the peer; null on the accepting side until the first packet.
   */
  public @Nullable RailAddress remote;

  /** The same address as it was given: a host name, say. */
  public @Nullable RailAddress remoteAlias;

  public boolean lossless;
  public boolean shared;

  /** The rail's transmit memory where single packets can be written to it, else null. */
  public @Nullable MemoryWords words;

  /** The next packet that leaves here, if it is one. */
  public final SinglePacket single = new SinglePacket();

  /** Number of the packet that came last on a lossless rail. */
  public long lastReceived;

  /** The peer said that it can read this process's memory: large messages go by reference. */
  public boolean peerPulls;

  /** When the consumer's position was last read. */
  long lookedNs = NEVER_NS;

  /** Number of the first packet on the present rail; its consumer position counts from there. */
  public long railBase;

  // ---- health ----
  public RailState state = RailState.UNVALIDATED;
  public long stateSinceNs;

  /** When it got the rail that it has. */
  long attachedNs;

  /** Since when a lossless rail seems to be of no use; Long.MAX_VALUE if it does not. */
  long doubtedNs = Long.MAX_VALUE;

  long accountedNs;

  /** When a packet sent here was last acknowledged, or a challenge answered. */
  public long progressNs;

  /** When the newest packet or challenge that the peer answered here had left: it lived then. */
  public long provenNs = NEVER_NS;

  /** When the link last said that there is no way. */
  long linkFailedNs = NEVER_NS;

  /** When the link last said that nobody listens there. */
  public long refusedNs = NEVER_NS;

  /** When anything valid last arrived here. */
  public long heardNs;

  /** When the silence began that made it SUSPECT. */
  long silentSinceNs;

  /** A probe that left after the peer was proved alive elsewhere; Long.MAX_VALUE if none has. */
  long provenProbeNs = Long.MAX_VALUE;

  public long challengeToken;
  public long challengeSentNs;
  public boolean challengeOpen;
  public boolean challengeRepeated;
  public long answeredNs = NEVER_NS;
  public boolean challengeDue;
  public long nextProbeNs;

  /** When the node's budget lets the next probe leave, or {@link #NEVER_NS} if it was not asked. */
  long probeTurnNs = NEVER_NS;

  /** Out of which that probe is; null if none is set aside. */
  @Nullable RateLimiter probeRation;

  /** Out of which it is as well, since nobody may be there. */
  @Nullable RateLimiter strangersRation;

  long probeIntervalNs;
  int probesAnswered;
  long firstAnswerNs;
  public int flaps;

  /** When it was last taken into use, or back. */
  public long activeSinceNs;

  /** It has been of use, since it was added. */
  public boolean wasActive;

  long lostAtNs;

  public boolean pingDue;
  public boolean responseDue;
  public long responseToken;
  public boolean infoDue = true;

  public long nextConnectNs;
  long connectIntervalNs;

  // ---- recovery ----
  public long lossTimeNs = Long.MAX_VALUE;
  public long timeoutNs = Long.MAX_VALUE;
  long lastLargest;
  long roundsSeen;

  /** When something left that the peer answers; a rail that just came into use is pinged. */
  public long elicitingSentNs = NEVER_NS;

  /** The deadline of packets with new content that leave at {@link #newDeadlineAtNs}. */
  public long newDeadlineNs;

  public long newDeadlineAtNs = NEVER_NS;

  /** No room now, this duty cycle. */
  public boolean blocked;

  /** Committed since the last flush. */
  public boolean touched;

  /** The channel state went out already in this batch. */
  public boolean stateInBatch;

  /** Round trip to assume before it was measured. */
  public long hintRttNs = INITIAL_RTT_NS;

  public RailPath(
      int id,
      int portIndex,
      String name,
      int weight,
      SlipClock clock,
      long maxAckDelayNs,
      long nowNs) {
    this.id = id;
    this.clock = clock;
    this.portIndex = portIndex;
    this.name = name;
    this.weight = weight;
    this.received = new ReceivedPackets(maxAckDelayNs);
    this.rate = new RateController(125_000_000L, BASE_PACKET);
    this.size = new PacketSizeProbe();
    this.stateSinceNs = nowNs;
    this.accountedNs = nowNs;
    this.progressNs = nowNs;
    this.heardNs = nowNs;
    counters.set(RailCounter.STATE, state.ordinal());
  }

  /**
   * Puts a rail behind this path.
   *
   * @param committed packets that were committed on it already, as a handshake does: they count in
   *     its consumer position and have no number here
   */
  public void attach(Rail newRail, int committed, long nowNs) {
    RailAttributes attributes = newRail.port().attributes();
    ProbeBudget.giveBack(this); // it may lead to another host now
    rail = newRail;
    attachedNs = nowNs;
    remote = newRail.remoteAddress();
    lossless = attributes.lossless();
    shared = attributes.sharedMemory();
    words = shared && lossless && SinglePacket.isAvailable() ? wordsOf(newRail) : null;
    peerPulls = false;
    railBase = sent.nextNumber() - (planted == PlantedFault.POSITION_TOO_FAR ? 0 : committed);
    hintRttNs = 2 * attributes.latencyHintNs();
    rtt.reset(lossless ? LOSSLESS_RTT_NS : INITIAL_RTT_NS);
    newDeadlineAtNs = NEVER_NS;
    thresholds.reset();
    rate.reset(clock.toRaw(nowNs));
    rate.setLocalPath(isOneHost(newRail.port().localAddress(), newRail.remoteAddress()));
    size.restart(newRail.maxPacketLength(), lossless, nowNs);
    rate.setMaxPacketBytes(size.current());
    counters.set(RailCounter.PACKET_SIZE, size.current());
    infoDue = true;
    blocked = false;
  }

  private static @Nullable MemoryWords wordsOf(Rail of) {
    return of.txMemory().isNative() ? MemoryWords.of(of.txMemory()) : null;
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
      rate.setWindowLimitBytes(half);
      longest = Math.min(longest, Math.max(BASE_PACKET, half - DATAGRAM_OVERHEAD));
    }
    if (!lossless) {
      size.limit(longest);
      rate.setMaxPacketBytes(size.current());
    }
  }

  public boolean isOpen() {
    Rail r = rail;
    return r != null && r.isOpen();
  }

  /** Bytes that may leave now; lossless rails limit themselves by refusing claims. */
  public boolean hasAllowance(long nowNs) {
    return lossless || rate.sendAllowance(clock.toRaw(nowNs)) >= size.current();
  }

  /**
   * When {@link #hasAllowance} will be true for data that waits; Long.MAX_VALUE if nobody knows.
   */
  public long nextSendNs(long nowNs) {
    long at = lossless ? Long.MAX_VALUE : rate.nextSendTimeNs(clock.toRaw(nowNs));
    return at == Long.MAX_VALUE ? at : clock.toEffective(at);
  }

  /** Charges a packet of that many bytes is reckoned with. */
  public int charge(int bytes) {
    return lossless ? bytes : bytes + DATAGRAM_OVERHEAD;
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

  /** Adds the time since the last call to the counter of the present state. */
  public void account(long nowNs) {
    RailCounter counter =
        switch (state) {
          case UNVALIDATED -> RailCounter.NS_UNVALIDATED;
          case ACTIVE -> RailCounter.NS_ACTIVE;
          case SUSPECT -> RailCounter.NS_SUSPECT;
          case DOWN, REMOVED -> RailCounter.NS_DOWN;
          case PROBING -> RailCounter.NS_PROBING;
        };
    counters.add(counter, Math.max(0, nowNs - accountedNs));
    accountedNs = nowNs;
  }

  /** Refreshes the gauges. */
  public void gauges() {
    counters.set(RailCounter.SRTT_NS, rtt.isMeasured() ? rtt.smoothedNs() : 0);
    counters.set(RailCounter.MIN_RTT_NS, rtt.isMeasured() ? rtt.minNs() : 0);
    counters.set(RailCounter.FLIGHT_BYTES, rate.flightBytes());
    counters.set(RailCounter.WINDOW_BYTES, rate.windowBytes());
    counters.set(RailCounter.RATE, rate.rateBytesPerSecond());
    counters.set(RailCounter.PACKET_SIZE, size.current());
  }
}

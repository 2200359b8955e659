// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail;

import io.crosstie.reliability.ChannelEngine;
import io.crosstie.reliability.PacketBuilder;
import io.crosstie.reliability.Priority;
import io.crosstie.reliability.RetransmitQueue;
import io.crosstie.reliability.Rota;
import io.crosstie.reliability.SentItem;
import io.crosstie.reliability.wire.AbortFrame;
import io.crosstie.reliability.wire.AddressesFrame;
import io.crosstie.reliability.wire.AnnounceFrame;
import io.crosstie.reliability.wire.ChallengeFrame;
import io.crosstie.reliability.wire.ChannelFinFrame;
import io.crosstie.reliability.wire.ChannelStateFrame;
import io.crosstie.reliability.wire.CloseFrame;
import io.crosstie.reliability.wire.FragmentFrame;
import io.crosstie.reliability.wire.GrantFrame;
import io.crosstie.reliability.wire.NackFrame;
import io.crosstie.reliability.wire.PacketHeader;
import io.crosstie.reliability.wire.PingFrame;
import io.crosstie.reliability.wire.RailGoneFrame;
import io.crosstie.reliability.wire.RailInfoFrame;
import io.crosstie.reliability.wire.ResponseFrame;
import io.crosstie.reliability.wire.WholeFrame;
import io.crosstie.transport.Rail;
import io.crosstie.transport.RailAddress;
import java.util.ArrayDeque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Fills packets: acknowledgements and control content first, then fragments to be sent again, then
 * new ones by priority. The path scheduler binds each packet to a rail; the fragments are encoded
 * anew for that rail's packet size.
 */
final class PacketSender implements PathScheduler.RailsView {
  /** Packets in one duty cycle, so that receiving is never starved. */
  private static final int MAX_BURST = 512;

  /** One packet in so many looks at NORMAL first. */
  private static final int LOW_SHARE = 16;

  /** A fragment shorter than that is not worth its descriptor while more of the message waits. */
  private static final int LEAST_FRAGMENT = 256;

  /** A part of a message that long goes by reference where that is possible. */
  private static final int LEAST_REFERENCE = 16 << 10;

  /** As much by one reference; the peer reads while the checksum of the next one is taken. */
  private static final int MAX_REFERENCE = 256 << 10;

  private static final int MAX_NACKS = 64;

  /** A rail that had no room for longer is looked at that often. */
  private static final long LOOK_FOR_ROOM_NS = 50_000L;

  /**
   * So many bytes of one message stay on the rail that was chosen for the first of them: what one
   * system call can take.
   */
  private static final int RUN_BYTES = 64 << 10;

  private final Connection c;
  private final PacketBuilder builder;
  private final ArrayDeque<long[]> nacks = new ArrayDeque<>();
  private long goneRails;
  private int turn;
  private boolean onlySuspects;
  private boolean starved;
  private long starvedSinceNs;
  private boolean burstEnded;
  private long cycleNowNs;

  PacketSender(Connection connection) {
    this.c = connection;
    this.builder = connection.endpoint.builder;
  }

  // ---- what the scheduler may know ----

  @Override
  public int count() {
    return c.pathCount;
  }

  @Override
  public boolean usable(int rail) {
    RailPath path = c.paths[rail];
    return path != null && path.state == RailState.ACTIVE && path.isOpen();
  }

  @Override
  public boolean canSendNow(int rail) {
    RailPath path = c.paths[rail];
    return path != null && !path.blocked && path.sent.hasRoom() && path.hasAllowance(cycleNowNs);
  }

  @Override
  public long waitNs(int rail, long nowNs) {
    RailPath path = c.paths[rail];
    if (path == null || canSendNow(rail)) {
      return 0;
    }
    long at = path.nextSendNs(nowNs);
    return at == Long.MAX_VALUE ? Math.max(1000, path.rtt.smoothedNs()) : Math.max(0, at - nowNs);
  }

  @Override
  public long rate(int rail) {
    RailPath path = c.paths[rail];
    return path == null ? 1 : Math.max(1, path.rate.rateBytesPerSecond());
  }

  @Override
  public long flightBytes(int rail) {
    RailPath path = c.paths[rail];
    return path == null ? 0 : path.rate.flightBytes();
  }

  @Override
  public long rttNs(int rail) {
    RailPath path = c.paths[rail];
    return path == null ? 0 : path.rtt.isMeasured() ? path.rtt.smoothedNs() : path.hintRttNs;
  }

  @Override
  public int weight(int rail) {
    RailPath path = c.paths[rail];
    return path == null ? 1 : path.weight;
  }

  // ---- what others ask to be sent ----

  /** A payload failed, or had no room. */
  void nack(int rail, long packetNumber, int reason) {
    if (nacks.size() < MAX_NACKS) {
      nacks.addLast(new long[] {rail, packetNumber, reason});
    }
  }

  /** The peer has to be told that a rail was removed, if it still is. */
  void railGone(int rail) {
    RailPath path = c.paths[rail];
    if (path != null && path.state == RailState.REMOVED) {
      goneRails |= 1L << rail;
    }
  }

  /** It was put in again. */
  void railIsThere(int rail) {
    goneRails &= ~(1L << rail);
  }

  // ---- the duty cycle ----

  /** Sends what may be sent; returns packets sent. */
  int send(long nowNs) {
    cycleNowNs = nowNs;
    boolean starvedBefore = starved;
    starved = false;
    burstEnded = false;
    int packets = 0;
    for (int i = 0; i < c.pathCount; i++) {
      RailPath path = c.paths[i];
      if (path != null) {
        path.blocked = false;
      }
    }
    onlySuspects = !c.health.anyActive();
    if (!onlySuspects) {
      packets += sendData(nowNs);
      if (starved && (packets > 0 || !starvedBefore)) {
        starvedSinceNs = nowNs;
      }
      flush(); // what a message waits for goes before what can wait
    }
    packets += sendControl(nowNs);
    flush();
    return packets;
  }

  private int sendData(long nowNs) {
    int packets = 0;
    int largest = largestPacket();
    while (packets < MAX_BURST) {
      boolean again = c.retransmit.prune();
      ChannelEngine channel = again ? null : nextChannel();
      if (!again && channel == null) {
        if (packets > 0) {
          for (int i = 0; i < c.pathCount; i++) {
            RailPath path = c.paths[i];
            if (path != null) {
              path.rate.onAppLimited();
            }
          }
        }
        return packets;
      }
      RetransmitQueue q = c.retransmit;
      long backlog = channel == null ? 1L << 20 : channel.backlogBytes();
      long wanted = channel == null ? q.length() : channel.nextLength() - channel.nextOffset();
      int rail = select(Math.min(wanted, largest), backlog, again ? q.avoid() : -1, nowNs);
      if (rail < 0) {
        starved = true;
        passedOver();
        return packets;
      }
      RailPath path = c.paths[rail];
      if (path == null || !sendPacket(path, true, nowNs)) {
        if (path != null) {
          path.blocked = true;
          starved = true;
        } else {
          return packets;
        }
      } else {
        packets++;
        if (channel != null) {
          packets += sendRun(path, channel, nowNs);
        }
      }
    }
    burstEnded = true;
    c.endpoint.activate(c); // more to do in the next cycle
    return packets;
  }

  /** A rail that has room and waits for the scheduler's choice shows less than it can carry. */
  private void passedOver() {
    for (int i = 0; i < c.pathCount; i++) {
      RailPath path = c.paths[i];
      if (path != null && usable(i) && canSendNow(i)) {
        path.rate.onAppLimited();
      }
    }
  }

  /** No packet takes more of a message than this. */
  private int largestPacket() {
    int largest = 1;
    for (int i = 0; i < c.pathCount; i++) {
      RailPath path = c.paths[i];
      if (path != null && usable(i)) {
        largest = Math.max(largest, path.size.current());
      }
    }
    return largest;
  }

  /**
   * The message that the last packet took a part of goes on in full packets, which carry nothing
   * else: what there was to be acknowledged left in the first, and whose turn it is was decided.
   */
  private int sendRun(RailPath path, ChannelEngine channel, long nowNs) {
    if (channel.nextOffset() == 0
        || path.peerPulls
        || !c.retransmit.isEmpty()
        || c.scheduler.redundant()) {
      return 0;
    }
    Rail rail = path.rail;
    if (rail == null || !rail.isOpen()) {
      return 0;
    }
    PacketBuilder b = builder;
    long seq = channel.nextSequence();
    int limit = Math.min(path.size.current(), rail.maxPacketLength());
    int payload = limit - PacketHeader.LENGTH - FragmentFrame.LENGTH;
    int most = RUN_BYTES / limit - 1;
    long left = channel.length(seq) - channel.nextOffset();
    int packets = 0;
    for (; packets < most && left > payload && canSendNow(path.id); packets++) {
      long base = rail.claim(limit);
      if (base < 0) {
        path.blocked = true;
        break;
      }
      b.begin(limit, PacketHeader.DATA, path.id, c.remoteId, path.sent.nextNumber());
      b.fragment(channel, seq, channel.nextOffset(), payload, 0);
      channel.takeBytes(payload);
      left -= payload;
      if (!finish(path, rail, base, true, nowNs)) {
        break;
      }
    }
    started(0, (long) packets * payload, path);
    return packets;
  }

  private int select(long wanted, long backlog, int avoid, long nowNs) {
    if (c.pathCount == 1) { // nothing to choose
      return usable(0) && canSendNow(0) ? 0 : PathScheduler.WAIT;
    }
    return c.scheduler.select(this, wanted, backlog, avoid, nowNs);
  }

  private @Nullable ChannelEngine nextChannel() {
    boolean lowFirst = turn % LOW_SHARE == LOW_SHARE - 1;
    ChannelEngine first = ready(lowFirst ? c.normalReady : c.highReady);
    return first != null ? first : ready(lowFirst ? c.highReady : c.normalReady);
  }

  private @Nullable ChannelEngine ready(Rota<ChannelEngine> list) {
    ChannelEngine channel = list.peekFirst();
    while (channel != null) {
      int state = channel.sendState();
      if (state == ChannelEngine.READY) {
        return channel;
      }
      c.mayStall = true;
      if (state == ChannelEngine.NEEDS_CREDIT) {
        c.counters.increment(ConnectionCounter.CREDIT_STALLS);
      } else if (state == ChannelEngine.NEEDS_GRANT) {
        c.counters.increment(ConnectionCounter.GRANT_WAITS);
      }
      list.removeFirst();
      channel.setInReadyList(false);
      c.look(channel);
      channel = list.peekFirst();
    }
    return null;
  }

  /** Content that no data packet took along. */
  private int sendControl(long nowNs) {
    int packets = 0;
    for (int i = 0; i < c.pathCount; i++) {
      RailPath path = c.paths[i];
      if (path != null && path.isOpen() && ownNeed(path, nowNs)) {
        if (sendPacket(path, false, nowNs)) {
          packets++;
        }
      }
    }
    for (int tries = 0; tries < 8 && commonNeed(nowNs); tries++) {
      RailPath path = best();
      if (path == null || !sendPacket(path, false, nowNs)) {
        break;
      }
      packets++;
    }
    return packets;
  }

  /** Whether this rail itself has something to say. */
  private boolean ownNeed(RailPath path, long nowNs) {
    return path.challengeDue
        || path.responseDue
        || path.pingDue
        || (path.state == RailState.ACTIVE
            && (path.received.isAckDue(nowNs) || (path.size.due(nowNs) != 0 && !path.lossless)));
  }

  /** Whether the connection has something to say on any rail. */
  private boolean commonNeed(long nowNs) {
    if (!nacks.isEmpty() || goneRails != 0 || c.addressesDue || !c.attention.isEmpty()) {
      return true;
    }
    ChannelEngine channel = c.dirty.peekFirst();
    while (channel != null && !channel.isStateDirty()) {
      c.dirty.removeFirst();
      channel.setInDirtyList(false);
      channel = c.dirty.peekFirst();
    }
    if (channel != null
        && (channel.isStateUrgent()
            || nowNs - channel.stateDirtySinceNs() >= c.config.maxAckDelayNs())) {
      return true;
    }
    for (int i = 0; i < c.pathCount; i++) {
      RailPath path = c.paths[i];
      if (path != null && !path.lossless && !ackable(path) && path.received.isAckDue(nowNs)) {
        return true;
      }
    }
    return false;
  }

  /** Whether a rail carries the acknowledgements of its own packets. */
  private static boolean ackable(RailPath path) {
    return path.state == RailState.ACTIVE && path.isOpen();
  }

  /** The rail for control content: the quickest ACTIVE one with room, else the least silent one. */
  private @Nullable RailPath best() {
    RailPath best = null;
    for (int i = 0; i < c.pathCount; i++) {
      RailPath path = c.paths[i];
      if (path == null || !path.isOpen() || path.blocked || path.state == RailState.REMOVED) {
        continue;
      }
      if (best == null || better(path, best)) {
        best = path;
      }
    }
    return best;
  }

  private boolean better(RailPath a, RailPath b) {
    boolean activeA = a.state == RailState.ACTIVE;
    boolean activeB = b.state == RailState.ACTIVE;
    if (activeA != activeB) {
      return activeA;
    }
    return activeA ? rttNs(a.id) < rttNs(b.id) : a.heardNs > b.heardNs;
  }

  private void flush() {
    for (int i = 0; i < c.pathCount; i++) {
      RailPath path = c.paths[i];
      if (path != null && path.touched) {
        path.touched = false;
        path.stateInBatch = false;
        Rail rail = path.rail;
        if (rail != null) {
          rail.flush();
        }
      }
    }
  }

  /** When something that waits for pacing or company has to leave. */
  long deadlineNs(long nowNs) {
    if (!starved) {
      return Long.MAX_VALUE;
    }
    long deadline = Long.MAX_VALUE;
    for (int i = 0; i < c.pathCount; i++) {
      RailPath path = c.paths[i];
      if (path == null || path.state != RailState.ACTIVE || !path.isOpen()) {
        continue;
      }
      if (path.lossless) {
        // its consumer makes room without telling: soon, or after a sleep
        long patience = Math.min(LOOK_FOR_ROOM_NS, (nowNs - starvedSinceNs) / 4);
        deadline = Math.min(deadline, nowNs + patience);
      } else {
        long at = path.nextSendNs(nowNs);
        if (at != Long.MAX_VALUE) {
          deadline = Math.min(deadline, Math.max(at, nowNs + 10_000L));
        }
      }
    }
    return deadline;
  }

  // ---- one packet ----

  /**
   * Assembles and commits one packet; false if the rail has no room or there was nothing to put in.
   */
  private boolean sendPacket(RailPath path, boolean data, long nowNs) {
    Rail rail = path.rail;
    if (rail == null || !path.sent.hasRoom()) {
      return false;
    }
    int probe =
        !data && path.state == RailState.ACTIVE && !path.lossless ? path.size.due(nowNs) : 0;
    int limit = Math.max(probe, Math.min(path.size.current(), rail.maxPacketLength()));
    long base = rail.claim(limit);
    if (base < 0) {
      if (base == Rail.CLOSED) {
        c.health.onClosed(path, "link closed", nowNs);
      }
      return false;
    }
    PacketBuilder b = builder;
    b.begin(limit, PacketHeader.DATA, path.id, c.remoteId, path.sent.nextNumber());
    if (probe > 0) {
      b.item(SentItem.SIZE_PROBE, null, 0, 0, probe);
      b.added(PingFrame.encode(b.header(), b.at()), true);
      path.size.sent();
    } else {
      putRailContent(path, nowNs);
      putAcks(path, nowNs);
      putCommon();
      putState(path, nowNs);
      boolean trial =
          onlySuspects && path.challengeOpen && !path.lossless && path.state != RailState.REMOVED;
      if (data || (trial && path == best())) {
        putAgain(path);
        if (data) {
          putNew(path);
        }
      }
    }
    if (b.isEmpty()) {
      rail.abort();
      return false;
    }
    if (probe > 0) {
      b.padTo(probe);
    }
    return finish(path, rail, base, data, nowNs) || rail.isOpen(); // the loop goes on with the rest
  }

  /**
   * Writes the packet at hand into the rail's memory and commits it.
   *
   * @return false if that failed: what was in it is queued again, or given up with its message
   */
  private boolean finish(RailPath path, Rail rail, long base, boolean data, long nowNs) {
    PacketBuilder b = builder;
    int length;
    try {
      length = b.finish(rail.txMemory(), base, c.sendChecksum, path.shared);
    } catch (InternalError e) { // the peer truncated the mapping under us (R25)
      putBack();
      c.health.onClosed(path, "shared memory gone: " + e.getMessage(), nowNs);
      return false;
    }
    if (length < 0) {
      rail.abort();
      ChannelEngine failed = b.failedChannel();
      if (failed != null) {
        failed.fail(b.failedSequence(), "its memory was closed while the message was in flight");
        c.look(failed);
      }
      putBack();
      return false;
    }
    record(path, data, length, nowNs);
    rail.commit(length);
    path.touched = true;
    return true;
  }

  private void record(RailPath path, boolean data, int length, long nowNs) {
    PacketBuilder b = builder;
    if (b.isEliciting()) {
      int charge = path.charge(length + b.referencedBytes());
      if (!data && !burstEnded && path.hasAllowance(nowNs)) {
        path.rate.onAppLimited(); // nobody wanted the room: this packet tells no rate
      }
      long deadline = deadlineNs(path, b.transmissions(), nowNs);
      if (path.state == RailState.ACTIVE && path.sent.outstanding() == 0) {
        path.progressNs = Math.max(path.progressNs, nowNs - 1); // silence counts from here
      }
      path.rate.onSent(charge, path.clock.toRaw(nowNs));
      path.sent.add(
          charge,
          nowNs,
          deadline,
          b.transmissions(),
          path.rate.isAppLimited(),
          path.rate.delivered(),
          path.rate.deliveredTimeNs(),
          path.rate.firstSentTimeNs());
      b.record(path.sent);
      path.timeoutNs = Math.min(path.timeoutNs, deadline);
      path.elicitingSentNs = nowNs;
      path.pingDue = false;
      c.mayStall = true;
    } else {
      path.sent.skip();
    }
    path.counters.increment(RailCounter.PACKETS_OUT);
    path.counters.add(RailCounter.BYTES_OUT, length);
    turn++;
    if (b.payloadBytes() > 0) {
      c.scheduler.onSent(path.id, b.payloadBytes());
      if (c.scheduler.redundant()) {
        copyToOthers(path);
      }
    }
  }

  /** New packets of one duty cycle have one deadline. */
  private long deadlineNs(RailPath path, int transmissions, long nowNs) {
    if (transmissions > 0) {
      return nowNs + c.recovery.timeoutNs(path, transmissions);
    }
    if (path.newDeadlineAtNs != nowNs) {
      path.newDeadlineAtNs = nowNs;
      path.newDeadlineNs = nowNs + c.recovery.timeoutNs(path, 0);
    }
    return path.newDeadlineNs;
  }

  /** Redundant scheduling: the same content on every other usable rail. */
  private void copyToOthers(RailPath path) {
    PacketBuilder b = builder;
    if (b.transmissions() > 0) {
      return;
    }
    for (int i = 0; i < b.itemCount(); i++) {
      byte kind = b.itemKind(i);
      ChannelEngine channel = b.itemChannel(i);
      if (channel != null && (kind == SentItem.WHOLE || kind == SentItem.FRAGMENT)) {
        for (int r = 0; r < c.pathCount; r++) {
          if (r != path.id && usable(r)) {
            c.retransmit.add(
                kind,
                channel,
                b.itemFirst(i),
                b.itemOffset(i),
                b.itemLength(i),
                1,
                path.id,
                null,
                0);
            path.counters.increment(RailCounter.REDUNDANT_COPIES);
          }
        }
      }
    }
  }

  /** The packet could not be built: what was taken for it goes back. */
  private void putBack() {
    PacketBuilder b = builder;
    for (int i = 0; i < b.itemCount(); i++) {
      byte kind = b.itemKind(i);
      ChannelEngine channel = b.itemChannel(i);
      if (channel == null) {
        continue;
      }
      switch (kind) {
        case SentItem.WHOLE, SentItem.FRAGMENT ->
            c.retransmit.add(
                kind, channel, b.itemFirst(i), b.itemOffset(i), b.itemLength(i), 1, -1, null, 0);
        case SentItem.STATE -> channel.forceState();
        case SentItem.ANNOUNCE -> channel.announceAgain();
        case SentItem.GRANT -> channel.grantDue(b.itemFirst(i));
        case SentItem.FIN -> channel.finSent(false);
        case SentItem.ABORT -> channel.abortAgain(b.itemFirst(i));
        default -> {}
      }
      c.look(channel);
    }
  }

  private void putRailContent(RailPath path, long nowNs) {
    PacketBuilder b = builder;
    if (path.challengeDue) {
      path.challengeDue = false;
      path.challengeRepeated = path.challengeOpen;
      if (!path.challengeOpen) { // a repeat keeps its token: the answer may be slower than the
        // probes
        path.challengeOpen = true;
        path.challengeToken = c.endpoint.random.nextLong();
        path.challengeSentNs = nowNs;
      }
      path.counters.increment(RailCounter.PROBES_OUT);
      b.added(ChallengeFrame.encode(b.header(), b.at(), path.id, 0, path.challengeToken), true);
      path.infoDue = true;
    }
    if (path.responseDue) {
      path.responseDue = false;
      b.added(ResponseFrame.encode(b.header(), b.at(), path.id, 0, path.responseToken), true);
    }
    Rail rail = path.rail;
    if (path.infoDue && rail != null) {
      path.infoDue = false;
      int flags =
          (path.lossless ? RailInfoFrame.LOSSLESS : 0) | (rail.pulls() ? RailInfoFrame.PULLS : 0);
      int buffer = rail.port().attributes().receiveBufferBytes();
      b.added(
          RailInfoFrame.encode(b.header(), b.at(), path.id, flags, buffer, rail.maxPacketLength()),
          true);
    }
    if (path.pingDue) {
      b.added(PingFrame.encode(b.header(), b.at()), true);
    }
  }

  private void putAcks(RailPath path, long nowNs) {
    for (int i = 0; i < c.pathCount; i++) {
      RailPath of = c.paths[i];
      if (of == null || of.lossless || !of.received.isAckWorthwhile(nowNs)) {
        continue;
      }
      if (of != path && (ackable(of) || !of.received.isAckDue(nowNs))) {
        continue;
      }
      PacketBuilder b = builder;
      int room = Math.min(b.frameRoom(), 272);
      int length =
          b.hasItemRoom() ? of.received.writeAck(b.header(), b.at(), room, of.id, nowNs) : 0;
      if (length > 0) {
        long largest = of.received.largest();
        of.received.onAckSent(nowNs);
        b.added(length, false);
        b.item(SentItem.ACK, null, largest, 0, of.id);
        of.counters.increment(RailCounter.ACKS_OUT);
      }
    }
  }

  private void putCommon() {
    PacketBuilder b = builder;
    if (c.addressesDue && b.hasItemRoom()) {
      List<RailAddress> addresses = c.endpoint.localAddresses();
      int length = AddressesFrame.length(addresses);
      if (length <= b.frameRoom()) {
        c.addressesDue = false;
        b.added(
            AddressesFrame.encode(b.header(), b.at(), c.endpoint.addressGeneration(), addresses),
            true);
        b.item(SentItem.ADDRESSES, null, 0, 0, 0);
      }
    }
    while (goneRails != 0 && b.hasItemRoom() && b.frameRoom() >= RailGoneFrame.LENGTH) {
      int gone = Long.numberOfTrailingZeros(goneRails);
      goneRails &= goneRails - 1;
      b.added(RailGoneFrame.encode(b.header(), b.at(), gone), true);
      b.item(SentItem.RAIL_GONE, null, gone, 0, 0);
    }
    while (!nacks.isEmpty() && b.hasItemRoom() && b.frameRoom() >= NackFrame.LENGTH) {
      long[] nack = nacks.removeFirst();
      b.added(NackFrame.encode(b.header(), b.at(), (int) nack[0], (int) nack[2], nack[1]), true);
      b.item(SentItem.NACK, null, nack[1], nack[2], (int) nack[0]);
      RailPath of = c.paths[(int) nack[0]];
      if (of != null) {
        of.counters.increment(RailCounter.NACKS_OUT);
      }
    }
    int most = ChannelEngine.MAX_UNANSWERED * AnnounceFrame.LENGTH;
    for (int left = c.attention.size();
        left > 0 && b.hasItemRoom() && b.frameRoom() >= most;
        left--) {
      ChannelEngine channel = c.attention.removeFirst();
      channel.setInAttentionList(false);
      putAttention(channel);
      c.look(channel); // back into the list if something is left
    }
  }

  private void putAttention(ChannelEngine channel) {
    PacketBuilder b = builder;
    if (channel.grantDue() != 0) {
      long seq = channel.grantDue();
      channel.grantSent();
      b.added(GrantFrame.encode(b.header(), b.at(), channel.number(), seq), true);
      b.item(SentItem.GRANT, channel, seq, 0, 0);
    } else if (channel.isAbortDue()) {
      long seq = channel.takeAbort();
      b.added(AbortFrame.encode(b.header(), b.at(), channel.number(), seq), true);
      b.item(SentItem.ABORT, channel, seq, 0, 0);
    } else if (channel.isAnnounceDue()) {
      channel.announceSent();
      for (int i = 0; i < channel.announcements(); i++) {
        long seq = channel.announcement(i);
        long length = Math.max(1, channel.length(seq)); // a probe may name an empty message
        b.added(AnnounceFrame.encode(b.header(), b.at(), channel.number(), seq, length), true);
      }
      b.item(SentItem.ANNOUNCE, channel, channel.announcement(0), 0, 0);
    } else if (channel.isFinDue()) {
      channel.finSent(true);
      b.added(
          ChannelFinFrame.encode(b.header(), b.at(), channel.number(), channel.finalSequence()),
          true);
      b.item(SentItem.FIN, channel, 0, 0, 0);
    }
  }

  /**
   * One dirty channel per packet, in turn, when it has waited for an eighth of the delay, so that
   * not every message brings one; over shared memory only when it cannot wait any longer.
   */
  private void putState(RailPath path, long nowNs) {
    PacketBuilder b = builder;
    ChannelEngine channel = c.dirty.peekFirst();
    if (channel == null
        || path.stateInBatch
        || !b.hasItemRoom()
        || b.frameRoom() < ChannelStateFrame.LENGTH) {
      return;
    }
    long patience = path.lossless ? c.config.maxAckDelayNs() : c.config.maxAckDelayNs() / 8;
    if (!channel.isStateUrgent() && nowNs - channel.stateDirtySinceNs() < patience) {
      return;
    }
    c.dirty.removeFirst();
    channel.setInDirtyList(false);
    if (!channel.isStateDirty()) {
      return;
    }
    long consumed = channel.stateConsumed();
    long accepted = channel.stateAccepted();
    long credit = channel.stateCredit();
    b.added(
        ChannelStateFrame.encode(
            b.header(), b.at(), 0, channel.number(), accepted, consumed, credit),
        true);
    b.item(SentItem.STATE, channel, 0, 0, 0);
    channel.stateSent(accepted, consumed, credit);
    path.stateInBatch = true;
  }

  // ---- fragments ----

  private int wholeLimit(RailPath path) {
    return path.size.current() - PacketHeader.LENGTH - WholeFrame.length(1);
  }

  private void putAgain(RailPath path) {
    PacketBuilder b = builder;
    RetransmitQueue q = c.retransmit;
    while (b.hasItemRoom() && q.prune()) {
      ChannelEngine channel = q.channel();
      long first = q.first();
      int transmitted = q.transmissions();
      if (q.kind() == SentItem.FRAGMENT) {
        int wanted = q.length();
        int took = b.fragment(channel, first, q.offset(), wanted, transmitted);
        if (took == 0) {
          return;
        }
        path.counters.add(RailCounter.PAYLOAD_AGAIN_OUT, took);
        q.take(took);
        continue;
      }
      if (channel.isFailed(first)) {
        q.take(1);
        continue;
      }
      long length = channel.length(first);
      if (length > wholeLimit(path)) {
        q.take(1); // it was whole on a rail with larger packets
        c.retransmit.add(
            SentItem.FRAGMENT, channel, first, 0, (int) length, transmitted, -1, null, 0);
        continue;
      }
      if (!b.whole(channel, first, (int) length, transmitted)) {
        return;
      }
      path.counters.add(RailCounter.PAYLOAD_AGAIN_OUT, length);
      q.take(1);
    }
  }

  private void putNew(RailPath path) {
    PacketBuilder b = builder;
    for (ChannelEngine channel = nextChannel(); channel != null; channel = nextChannel()) {
      long before = b.payloadBytes();
      int items = b.itemCount();
      boolean more = fill(path, channel);
      boolean any = b.payloadBytes() > before || b.itemCount() > items;
      if (!any) {
        return;
      }
      rotate(channel);
      if (more || !b.hasItemRoom()) {
        return;
      }
    }
  }

  private void rotate(ChannelEngine channel) {
    Rota<ChannelEngine> list = channel.priority() == Priority.HIGH ? c.highReady : c.normalReady;
    if (list.size() > 1 && list.peekFirst() == channel) {
      list.addLast(list.removeFirst());
    }
  }

  /** Puts in what fits of a channel; true if the packet is full. */
  private boolean fill(RailPath path, ChannelEngine channel) {
    PacketBuilder b = builder;
    int longestWhole = wholeLimit(path);
    while (channel.sendState() == ChannelEngine.READY) {
      long seq = channel.nextSequence();
      long length = channel.nextLength();
      long offset = channel.nextOffset();
      if (offset == 0 && length <= longestWhole) {
        long before = b.payloadBytes();
        int messages = b.wholes(channel, longestWhole);
        if (messages == 0) {
          return true;
        }
        started(messages, b.payloadBytes() - before, path);
        continue;
      }
      long left = length - offset;
      if (path.peerPulls && left >= LEAST_REFERENCE) {
        int part = (int) Math.min(left, MAX_REFERENCE);
        int referred = b.reference(channel, seq, offset, part, 0);
        if (referred > 0) {
          channel.takeBytes(referred);
          started(offset == 0 ? 1 : 0, referred, path);
        }
        return true; // the peer begins with it at once
      }
      if (b.room() < FragmentFrame.LENGTH + Math.min(left, LEAST_FRAGMENT)) {
        return true;
      }
      int took = b.fragment(channel, seq, offset, left, 0);
      if (took == 0) {
        return true;
      }
      channel.takeBytes(took);
      started(offset == 0 ? 1 : 0, took, path);
    }
    return false;
  }

  /** Counts what leaves for the first time: messages that began, and bytes of them or of others. */
  private void started(int messages, long bytes, RailPath path) {
    path.counters.add(RailCounter.PAYLOAD_FIRST_OUT, bytes);
    c.counters.add(ConnectionCounter.BYTES_OUT, bytes);
    c.counters.add(ConnectionCounter.MESSAGES_OUT, messages);
  }

  /** Tells the peer that this side is through, or knows that the peer is, on every rail. */
  void sendClose(long nowNs) {
    boolean acknowledges = c.closeAckDue;
    c.closeAckDue = false;
    c.closeDue = false;
    for (int i = 0; i < c.pathCount; i++) {
      RailPath path = c.paths[i];
      Rail rail = path == null ? null : path.rail;
      if (path == null || rail == null || !rail.isOpen()) {
        continue;
      }
      long base = rail.claim(PacketHeader.LENGTH + CloseFrame.LENGTH);
      if (base < 0) {
        continue;
      }
      PacketBuilder b = builder;
      b.begin(
          PacketHeader.LENGTH + CloseFrame.LENGTH,
          PacketHeader.DATA,
          path.id,
          c.remoteId,
          path.sent.nextNumber());
      b.added(
          CloseFrame.encode(b.header(), b.at(), 0, acknowledges ? CloseFrame.ACKNOWLEDGES : 0, 0),
          false);
      try {
        int length = b.finish(rail.txMemory(), base, c.sendChecksum, path.shared);
        path.sent.skip();
        rail.commit(length);
        rail.flush();
        path.counters.increment(RailCounter.PACKETS_OUT);
        path.counters.add(RailCounter.BYTES_OUT, length);
      } catch (InternalError e) {
        c.health.onClosed(path, "shared memory gone: " + e.getMessage(), nowNs);
      }
    }
  }
}

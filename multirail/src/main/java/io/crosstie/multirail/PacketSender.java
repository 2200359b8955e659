// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail;

import io.crosstie.reliability.ChannelEngine;
import io.crosstie.reliability.PacketBuilder;
import io.crosstie.reliability.PlantedFault;
import io.crosstie.reliability.RetransmitQueue;
import io.crosstie.reliability.SentItem;
import io.crosstie.reliability.wire.ChannelStateFrame;
import io.crosstie.reliability.wire.CloseFrame;
import io.crosstie.reliability.wire.FragmentFrame;
import io.crosstie.reliability.wire.PacketHeader;
import io.crosstie.reliability.wire.PingFrame;
import io.crosstie.reliability.wire.SinglePacket;
import io.crosstie.transport.Rail;
import org.jspecify.annotations.Nullable;

/**
 * Sends packets: each is bound to a rail by the path scheduler, filled with {@link ControlContent}
 * first and then with {@link MessageContent}, encoded anew for that rail's packet size, and noted
 * among those that are outstanding.
 */
final class PacketSender implements PathScheduler.RailsView {
  /** Packets in one duty cycle, so that receiving is never starved. */
  private static final int MAX_BURST = 512;

  /** On a lossless rail, where timeouts are long, a packet may have that older a one's. */
  private static final long LOSSLESS_DEADLINE_NS = 100_000L;

  /** A rail that had no room for longer is looked at that often. */
  private static final long LOOK_FOR_ROOM_NS = 50_000L;

  /**
   * So many bytes of one message stay on the rail that was chosen for the first of them: what one
   * system call can take.
   */
  private static final int RUN_BYTES = 64 << 10;

  private final Connection c;
  private final PacketBuilder builder;
  private final MessageContent messages;

  /** The largest packet of the rails that are in use, 0 if none is: in this duty cycle. */
  private int largestPacket;

  /** Some rail in use takes a message of {@link #prompt}: in this duty cycle. */
  private boolean anySingles;

  /** Some rail has to be flushed. */
  private boolean anyTouched;

  private boolean starved;
  private long starvedSinceNs;
  private boolean burstEnded;
  private long cycleNowNs;

  /** Messages that need not wait for a duty cycle. */
  final PromptSender prompt;

  PacketSender(Connection connection) {
    this.c = connection;
    this.builder = connection.endpoint.builder;
    this.messages = new MessageContent(connection);
    PlantedFault forgetting =
        connection.endpoint.singleThreaded
            ? PlantedFault.INLINE_NOT_NOTED
            : PlantedFault.PROMPT_NOT_NOTED;
    this.prompt =
        connection.endpoint.planted == forgetting
            ? new ForgetfulPromptSender(connection, this)
            : new PromptSender(connection, this);
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

  // ---- the duty cycle ----

  /** Sends what may be sent; returns packets sent. */
  @SuppressWarnings("ReferenceEquality") // this very error, not one like it
  int send(long nowNs) {
    cycleNowNs = nowNs;
    boolean starvedBefore = starved;
    starved = false;
    burstEnded = false;
    boolean lone = true;
    int packets = 0;
    Throwable failed = null;
    lookAtRails();
    if (!onlySuspects()) {
      try {
        packets += sendData(nowNs);
      } catch (RuntimeException | Error e) {
        if (e != c.endpoint.madeGood) {
          throw e;
        }
        failed = e; // what is to be acknowledged does not wait for it
      }
      lone = packets == 0 || (packets == 1 && builder.payloadBytes() <= SinglePacket.MAX_PAYLOAD);
      if (starved && (packets > 0 || !starvedBefore)) {
        starvedSinceNs = nowNs;
      }
      flush(); // what a message waits for goes before what can wait
    }
    if (!c.control.isQuiet(nowNs)) {
      packets += sendControl(nowNs);
      flush();
    }
    if (failed != null) {
      c.endpoint.madeGood = failed;
      throw thrown(failed);
    }
    if (lone
        && anySingles
        && c.state() == Connection.State.UP
        && !messages.isAnyReady()
        && c.retransmit.isEmpty()
        && c.control.isQuiet(nowNs)) {
      prompt.ready(nowNs);
    } else {
      prompt.notReady();
    }
    return packets;
  }

  private static RuntimeException thrown(Throwable unchecked) {
    if (unchecked instanceof Error error) {
      throw error;
    }
    return (RuntimeException) unchecked;
  }

  /** What one duty cycle takes for granted of them. */
  private void lookAtRails() {
    int largest = 0;
    boolean singles = false;
    for (int i = 0; i < c.pathCount; i++) {
      RailPath path = c.paths[i];
      if (path != null) {
        path.blocked = false;
        if (path.state == RailState.ACTIVE && path.isOpen()) {
          largest = Math.max(largest, path.size.current());
          singles |= path.words != null;
        }
      }
    }
    largestPacket = largest;
    anySingles = singles;
  }

  private boolean onlySuspects() {
    return largestPacket == 0;
  }

  private int sendData(long nowNs) {
    int packets = 0;
    while (packets < MAX_BURST) {
      boolean again = c.retransmit.prune();
      ChannelEngine channel = again && !messages.isTurnOfNew() ? null : messages.nextChannel();
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
      int rail = select(channel, nowNs);
      if (rail < 0) {
        starved = true;
        passedOver();
        return packets;
      }
      RailPath path = c.paths[rail];
      if (path == null || !sendPacket(path, true, channel, nowNs)) {
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
    int charge = path.charge(limit);
    long rawNs = path.clock.toRaw(nowNs);
    int packets = 0;
    for (; packets < most && left > payload && canSendNow(path.id); packets++) {
      long base = claim(path, rail, limit);
      if (base < 0) {
        path.blocked = true;
        break;
      }
      long number = path.sent.nextNumber();
      try {
        if (packets == 0) {
          b.begin(limit, PacketHeader.DATA, path.id, c.remoteId, number);
          b.fragment(channel, seq, channel.nextOffset(), payload, 0);
        } else {
          b.next(number);
        }
        channel.takeBytes(payload);
      } catch (Throwable t) {
        rail.abort();
        c.endpoint.madeGood = t;
        throw t;
      }
      left -= payload;
      if (write(path, rail, base, nowNs) < 0) {
        break;
      }
      if (packets == 0) {
        recordEliciting(path, limit, nowNs);
      } else {
        path.rate.onSent(charge, rawNs);
        long unused = path.sent.addNext();
      }
    }
    count(path, packets, (long) packets * limit, (long) packets * payload);
    messages.started(0, (long) packets * payload, path);
    return packets;
  }

  /** The rail for what a channel has to send, or, without one, for what is due again. */
  private int select(@Nullable ChannelEngine channel, long nowNs) {
    if (c.pathCount == 1) {
      return onlyRail();
    }
    RetransmitQueue q = c.retransmit;
    long backlog = channel == null ? 1L << 20 : channel.backlogBytes();
    long wanted = channel == null ? q.length() : channel.nextLength() - channel.nextOffset();
    int avoid = channel == null ? q.avoid() : -1;
    return c.scheduler.select(this, Math.min(wanted, largestPacket), backlog, avoid, nowNs);
  }

  /** The rail for so many bytes of which nobody knows yet where they come from. */
  int select(int bytes, long nowNs) {
    return c.pathCount == 1 ? onlyRail() : c.scheduler.select(this, bytes, bytes, -1, nowNs);
  }

  /** There is nothing to choose. */
  private int onlyRail() {
    return usable(0) && canSendNow(0) ? 0 : PathScheduler.WAIT;
  }

  /** Content that no data packet took along. */
  private int sendControl(long nowNs) {
    int packets = 0;
    boolean anyDue = false;
    for (int i = 0; i < c.pathCount; i++) {
      RailPath path = c.paths[i];
      if (path != null && c.control.isDueOn(path, nowNs)) {
        anyDue = true;
        if (path.isOpen() && sendPacket(path, false, null, nowNs)) {
          packets++;
        }
      }
    }
    for (int tries = 0; tries < 8 && c.control.isDue(nowNs); tries++) {
      anyDue = true;
      RailPath path = best();
      if (path == null || !sendPacket(path, false, null, nowNs)) {
        break;
      }
      packets++;
    }
    if (!anyDue) {
      c.control.settle(nowNs);
    }
    return packets;
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
    if (!anyTouched) {
      return;
    }
    anyTouched = false;
    for (int i = 0; i < c.pathCount; i++) {
      RailPath path = c.paths[i];
      if (path != null && path.touched) {
        flush(path);
      }
    }
  }

  private void flush(RailPath path) {
    path.touched = false;
    path.stateInBatch = false;
    Rail rail = path.rail;
    if (rail != null) {
      flush(path, rail);
    }
  }

  /** A driver that throws costs its rail. */
  void flush(RailPath path, Rail rail) {
    try {
      rail.flush();
    } catch (InternalError e) {
      throw e;
    } catch (RuntimeException | Error e) {
      c.endpoint.onRailError(c, path, e);
    }
  }

  /** A driver that throws costs its rail. */
  private long claim(RailPath path, Rail rail, int length) {
    try {
      return rail.claim(length);
    } catch (InternalError e) {
      throw e;
    } catch (RuntimeException | Error e) {
      c.endpoint.onRailError(c, path, e);
      return Rail.CLOSED;
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
   *
   * @param data whether messages may be in it
   * @param turn the channel whose turn it is; null if what is due again goes first
   */
  private boolean sendPacket(
      RailPath path, boolean data, @Nullable ChannelEngine turn, long nowNs) {
    Rail rail = path.rail;
    if (rail == null || !path.sent.hasRoom()) {
      return false;
    }
    int probe =
        !data && path.state == RailState.ACTIVE && !path.lossless ? path.size.due(nowNs) : 0;
    int limit = Math.max(probe, Math.min(path.size.current(), rail.maxPacketLength()));
    long base = claim(path, rail, limit);
    if (base < 0) {
      if (base == Rail.CLOSED) {
        c.health.onClosed(path, "link closed", nowNs);
      }
      return false;
    }
    PacketBuilder b = builder;
    b.begin(limit, PacketHeader.DATA, path.id, c.remoteId, path.sent.nextNumber());
    try {
      fill(path, data, turn, probe, nowNs);
    } catch (Throwable t) {
      takeBack(path, rail, nowNs);
      c.endpoint.madeGood = t;
      throw t;
    }
    if (b.isEmpty()) {
      rail.abort();
      return false;
    }
    int length = write(path, rail, base, nowNs);
    if (length < 0) {
      return rail.isOpen(); // the loop goes on with the rest
    }
    if (data && !messages.isAnyReady() && c.retransmit.isEmpty()) {
      flush(path); // nothing follows it: the peer works at it while it is noted here
    }
    record(path, data, length, nowNs);
    return true;
  }

  /** Puts in what is to be sent on that rail: a probe of the packet size, or what is due. */
  private void fill(
      RailPath path, boolean data, @Nullable ChannelEngine turn, int probe, long nowNs) {
    PacketBuilder b = builder;
    if (probe > 0) {
      b.item(SentItem.SIZE_PROBE, null, 0, 0, probe);
      b.added(PingFrame.encode(b.header(), b.at()), true);
      path.size.sent();
      b.padTo(probe);
      return;
    }
    c.control.put(path, nowNs);
    boolean trial =
        onlySuspects() && path.challengeOpen && !path.lossless && path.state != RailState.REMOVED;
    if (turn != null) {
      messages.putNew(path, turn);
    }
    if (data || (trial && path == best())) {
      messages.putAgain(path);
    }
    if (data && turn == null) {
      messages.putNew(path, messages.nextChannel());
    }
  }

  /**
   * Writes the packet at hand into the rail's memory and commits it.
   *
   * @return its length, or -1 if that failed: what was in it is queued again, or given up with its
   *     message
   */
  private int write(RailPath path, Rail rail, long base, long nowNs) {
    PacketBuilder b = builder;
    int length;
    try {
      length = b.finish(rail.txMemory(), base, c.sendChecksum, path.shared ? rail : null);
    } catch (Throwable t) {
      takeBack(path, rail, nowNs);
      if (t instanceof InternalError && rail.canFault()) { // the peer truncated it (R25)
        c.health.onClosed(path, "shared memory gone: " + t.getMessage(), nowNs);
        return -1;
      }
      c.endpoint.madeGood = t;
      throw t;
    }
    if (length < 0) {
      ChannelEngine failed = b.failedChannel();
      if (failed != null) {
        failed.fail(b.failedSequence(), b.failure());
        c.look(failed);
      }
      takeBack(path, rail, nowNs);
      return -1;
    }
    try {
      rail.commit(length); // over shared memory the peer begins with it now, beside what follows
    } catch (InternalError e) {
      throw e;
    } catch (RuntimeException | Error e) {
      takeBack(path, rail, nowNs); // if it has left it is a repeat
      c.endpoint.onRailError(c, path, e);
      return -1;
    }
    path.touched = true;
    anyTouched = true;
    return length;
  }

  private void record(RailPath path, boolean data, int length, long nowNs) {
    PacketBuilder b = builder;
    if (b.isEliciting()) {
      if (!data && !burstEnded && path.hasAllowance(nowNs)) {
        path.rate.onAppLimited(); // nobody wanted the room: this packet tells no rate
      }
      recordEliciting(path, length, nowNs);
    } else {
      path.sent.skip();
    }
    count(path, 1, length, b.payloadBytes());
    if (b.payloadBytes() > 0 && c.scheduler.redundant()) {
      copyToOthers(path);
    }
  }

  private void recordEliciting(RailPath path, int length, long nowNs) {
    PacketBuilder b = builder;
    noteEliciting(path, length + b.referencedBytes(), b.transmissions(), nowNs);
    b.record(path.sent);
    path.pingDue = false;
    if (b.itemCount() > 0) { // else it is about the rail alone, and nobody waits for what it says
      c.mayStall = true;
    }
  }

  /** A packet left that asks for an acknowledgement; its items follow. */
  private void noteEliciting(RailPath path, int bytes, int transmissions, long nowNs) {
    int charge = path.charge(bytes);
    long deadline = deadlineNs(path, transmissions, nowNs);
    if (path.state == RailState.ACTIVE && path.sent.outstanding() == 0) {
      path.progressNs = Math.max(path.progressNs, nowNs - 1); // silence counts from here
    }
    path.rate.onSent(charge, path.clock.toRaw(nowNs));
    path.sent.add(
        charge,
        nowNs,
        deadline,
        transmissions,
        path.rate.isAppLimited(),
        path.rate.delivered(),
        path.rate.deliveredTimeNs(),
        path.rate.firstSentTimeNs());
    path.timeoutNs = Math.min(path.timeoutNs, deadline);
    path.elicitingSentNs = nowNs;
  }

  /** A {@link SinglePacket} has left. */
  void noteSingle(RailPath path, ChannelEngine channel, long seq, int length, long nowNs) {
    int whole = SinglePacket.HEADER_LENGTH + length;
    noteEliciting(path, whole, 0, nowNs);
    path.sent.addItem(SentItem.WHOLE, channel, seq, 0, 1);
    c.mayStall = true;
    count(path, 1, whole, length);
    messages.started(1, length, path);
    c.counters.increment(ConnectionCounter.PROMPT_OUT);
    path.rate.onAppLimited();
  }

  private void count(RailPath path, int packets, long bytes, long payloadBytes) {
    path.counters.add(RailCounter.PACKETS_OUT, packets);
    path.counters.add(RailCounter.BYTES_OUT, bytes);
    messages.onPackets(packets);
    if (payloadBytes > 0) {
      c.scheduler.onSent(path.id, payloadBytes);
    }
  }

  /** New packets of one duty cycle have one deadline; on a lossless rail those of several. */
  private long deadlineNs(RailPath path, int transmissions, long nowNs) {
    if (transmissions > 0) {
      return nowNs + c.recovery.timeoutNs(path, transmissions);
    }
    long ageNs = nowNs - path.newDeadlineAtNs;
    if (ageNs > (path.lossless ? LOSSLESS_DEADLINE_NS : 0)) {
      path.newDeadlineAtNs = nowNs;
      path.newDeadlineNs = nowNs + c.recovery.timeoutNs(path, 0);
    }
    return path.newDeadlineNs;
  }

  /** Redundant scheduling: the same content on every other usable rail. */
  private void copyToOthers(RailPath path) {
    PacketBuilder b = builder;
    if (b.transmissions() > 0 && c.endpoint.planted != PlantedFault.COPIES_WITHOUT_END) {
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

  /** The packet does not leave: the claim and all that was taken for it goes back. */
  private void takeBack(RailPath path, Rail rail, long nowNs) {
    rail.abort();
    PacketBuilder b = builder;
    for (int i = 0; i < b.itemCount(); i++) {
      byte kind = b.itemKind(i);
      ChannelEngine channel = b.itemChannel(i);
      long first = b.itemFirst(i);
      long offset = b.itemOffset(i);
      int length = b.itemLength(i);
      switch (kind) {
        case SentItem.WHOLE, SentItem.FRAGMENT -> {
          if (channel != null) {
            c.retransmit.add(kind, channel, first, offset, length, 1, -1, null, 0);
            c.look(channel);
          }
        }
        case SentItem.SIZE_PROBE -> path.size.notSent();
        case SentItem.ACK -> {} // the frame itself tells which rail's it is
        default -> c.control.again(kind, channel, first, offset, length);
      }
    }
    c.control.takeBack(path, nowNs);
  }

  /**
   * Tells the peer that this side is through, or knows that the peer is, on every rail. How far it
   * has accepted each channel goes with it: what is not told now never is, and the peer would have
   * to name it as unknown.
   */
  void sendClose(long nowNs) {
    boolean acknowledges = c.closeAckDue;
    c.closeAckDue = false;
    c.closeDue = false;
    for (int i = 0; i < c.pathCount; i++) {
      RailPath path = c.paths[i];
      Rail rail = path == null ? null : path.rail;
      if (path != null && rail != null && rail.isOpen()) {
        sendClose(path, rail, acknowledges, nowNs);
      }
    }
  }

  private void sendClose(RailPath path, Rail rail, boolean acknowledges, long nowNs) {
    int limit = Math.min(path.size.current(), rail.maxPacketLength());
    int most = Math.min(limit, PacketHeader.MAX_HEADER_LENGTH);
    int states = (most - PacketHeader.LENGTH - CloseFrame.LENGTH) / ChannelStateFrame.LENGTH;
    // nobody has answered there yet, who could be told of channels
    int from = path.state == RailState.UNVALIDATED ? c.engines().size() : nextReceived(0);
    boolean goesOn = true;
    while (goesOn) {
      int end = from;
      int count = 0;
      for (; end < c.engines().size() && count < states; end = nextReceived(end + 1)) {
        count++;
      }
      goesOn = end < c.engines().size();
      int length = PacketHeader.LENGTH + count * ChannelStateFrame.LENGTH + CloseFrame.LENGTH;
      long base = claim(path, rail, length);
      if (base < 0) {
        return;
      }
      PacketBuilder b = builder;
      b.begin(length, PacketHeader.DATA, path.id, c.remoteId, path.sent.nextNumber());
      for (; from < end; from = nextReceived(from + 1)) {
        ChannelEngine channel = c.engines().get(from);
        long consumed = channel.stateConsumed(); // first, so that it is no higher
        ControlContent.addState(
            b, channel, channel.stateAccepted(), consumed, channel.stateCredit());
      }
      if (!goesOn) {
        int flags = acknowledges ? CloseFrame.ACKNOWLEDGES : 0;
        b.added(CloseFrame.encode(b.header(), b.at(), 0, flags, 0), false);
      }
      goesOn &= sendLast(path, rail, base, nowNs);
    }
  }

  /** The next channel from there on that something was received on; the number of all if none. */
  private int nextReceived(int from) {
    int i = from;
    while (i < c.engines().size() && c.engines().get(i).receivedSequence() == 0) {
      i++;
    }
    return i;
  }

  /** The packet at hand leaves, and nobody waits for an acknowledgement; false if it does not. */
  private boolean sendLast(RailPath path, Rail rail, long base, long nowNs) {
    try {
      int length = builder.finish(rail.txMemory(), base, c.sendChecksum, path.shared ? rail : null);
      path.sent.skip();
      rail.commit(length);
      flush(path, rail);
      path.counters.increment(RailCounter.PACKETS_OUT);
      path.counters.add(RailCounter.BYTES_OUT, length);
      return true;
    } catch (InternalError e) {
      c.health.onClosed(path, "shared memory gone: " + e.getMessage(), nowNs);
      return false;
    } catch (Throwable t) {
      rail.abort();
      c.endpoint.madeGood = t;
      throw t;
    }
  }
}

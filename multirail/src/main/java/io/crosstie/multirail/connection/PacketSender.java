// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.connection;

import io.crosstie.checksum.Checksum;
import io.crosstie.multirail.event.RailState;
import io.crosstie.multirail.path.Paths;
import io.crosstie.multirail.path.RailCounter;
import io.crosstie.multirail.path.RailHealth;
import io.crosstie.multirail.path.RailPath;
import io.crosstie.multirail.path.Recovery;
import io.crosstie.multirail.schedule.PathScheduler;
import io.crosstie.reliability.channel.ChannelEngine;
import io.crosstie.reliability.fault.PlantedFault;
import io.crosstie.reliability.loss.RetransmitQueue;
import io.crosstie.reliability.loss.SentItem;
import io.crosstie.reliability.packet.PacketAssembler;
import io.crosstie.reliability.wire.ChannelStateFrame;
import io.crosstie.reliability.wire.CloseFrame;
import io.crosstie.reliability.wire.FragmentFrame;
import io.crosstie.reliability.wire.PacketHeader;
import io.crosstie.reliability.wire.PingFrame;
import io.crosstie.reliability.wire.PlacedFrame;
import io.crosstie.reliability.wire.SinglePacket;
import io.crosstie.transport.Counters;
import io.crosstie.transport.Rail;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends packets: each is bound to a rail by the path scheduler, filled with {@link ControlContent}
 * first and then with {@link MessageContent}, encoded anew for that rail's packet size, and noted
 * among those that are outstanding.
 */
final class PacketSender implements PathScheduler.RailsView {
  /** Packets in one duty cycle, so that receiving is never starved. */
  private static final int MAX_BURST = 512;

  /** A rail that had no room for longer is looked at that often. */
  private static final long LOOK_FOR_ROOM_NS = 50_000L;

  /**
   * So many bytes of one message stay on the rail that was chosen for the first of them: what one
   * system call can take.
   */
  private static final int RUN_BYTES = 64 << 10;

  /** What a packet begins with, behind its control frames. */
  private enum Content {
    /** Nothing else. */
    CONTROL,
    /** Messages; datagrams if there is room. */
    MESSAGES,
    /** The other way round. */
    DATAGRAMS
  }

  /** In place of a length: as the packet before. */
  private static final int NEXT = 0;

  private final Paths paths;
  private final ChannelTable channels;
  private final Datagrams datagrams;
  private final RetransmitQueue retransmit;
  private final PathScheduler scheduler;
  private final ControlContent control;
  private final Recovery recovery;
  private final RailHealth health;
  private final Checksum checksum;
  private final Counters<ConnectionCounter> counters;
  private final LongSupplier remoteId;
  private final PlantedFault planted;
  private final BiConsumer<RailPath, Throwable> driverErrors;
  private final PacketAssembler assembler;
  private final MessageContent messages;

  /** The largest packet of the rails that are in use, 0 if none is: in this duty cycle. */
  private int largestPacket;

  /** The smallest one when {@link Datagrams} were told last. */
  private int smallestPacket;

  /** Datagrams may wait: only then they are looked at. */
  private boolean anyDatagrams;

  /** Some rail in use takes single messages as words ({@link SinglePacket}): in this duty cycle. */
  private boolean anySingles;

  /** This duty cycle has sent nothing but a short message, if anything. */
  private boolean lone;

  /** Some rail has to be flushed. */
  private boolean anyTouched;

  private boolean starved;
  private long starvedSinceNs;
  private boolean burstEnded;
  private long cycleNowNs;

  /** Something was sent that may have to be sent again. */
  private boolean mayStall;

  /** What was thrown on the way of a packet that gave back all that it had taken. */
  private @Nullable Throwable takenBack;

  /**
   * For one connection.
   *
   * @param checksum for payloads
   * @param remoteId the id under which the peer knows the connection
   * @param driverErrors what a driver threw that it should not have while a rail was used, which
   *     pays for it
   */
  PacketSender(
      Paths paths,
      ChannelTable channels,
      Datagrams datagrams,
      RetransmitQueue retransmit,
      PathScheduler scheduler,
      PacketAssembler assembler,
      ControlContent control,
      Recovery recovery,
      RailHealth health,
      Checksum checksum,
      Counters<ConnectionCounter> counters,
      LongSupplier remoteId,
      PlantedFault planted,
      BiConsumer<RailPath, Throwable> driverErrors) {
    this.paths = paths;
    this.channels = channels;
    this.datagrams = datagrams;
    this.retransmit = retransmit;
    this.scheduler = scheduler;
    this.assembler = assembler;
    this.control = control;
    this.recovery = recovery;
    this.health = health;
    this.checksum = checksum;
    this.counters = counters;
    this.remoteId = remoteId;
    this.planted = planted;
    this.driverErrors = driverErrors;
    this.messages = new MessageContent(channels, retransmit, assembler, counters, planted);
  }

  /** Whether, since it was asked last, something was sent that may have to be sent again. */
  boolean takeMayStall() {
    boolean may = mayStall;
    mayStall = false;
    return may;
  }

  /**
   * Whether that was thrown on the way of a packet that gave back all that it had taken: nothing is
   * half done, and it can be tried again. Tells it once.
   */
  @SuppressWarnings("ReferenceEquality") // this very error, not one like it
  boolean tookBack(Throwable thrown) {
    boolean whole = thrown == takenBack;
    takenBack = null;
    return whole;
  }

  // ---- what the scheduler may know ----

  @Override
  public int count() {
    return paths.count();
  }

  @Override
  public boolean usable(int rail) {
    RailPath path = paths.get(rail);
    return path != null && path.isUsable();
  }

  @Override
  public boolean canSendNow(int rail) {
    RailPath path = paths.get(rail);
    return path != null && path.canSendNow(cycleNowNs);
  }

  @Override
  public long waitNs(int rail, long nowNs) {
    RailPath path = paths.get(rail);
    if (path == null || canSendNow(rail)) {
      return 0;
    }
    long at = path.nextSendNs(nowNs);
    return at == Long.MAX_VALUE ? Math.max(1000, path.rtt().smoothedNs()) : Math.max(0, at - nowNs);
  }

  @Override
  public long rate(int rail) {
    RailPath path = paths.get(rail);
    return path == null ? 1 : Math.max(1, path.congestion().rateBytesPerSecond());
  }

  @Override
  public long flightBytes(int rail) {
    RailPath path = paths.get(rail);
    return path == null ? 0 : path.congestion().flightBytes();
  }

  @Override
  public long rttNs(int rail) {
    RailPath path = paths.get(rail);
    return path == null ? 0 : path.expectedRttNs();
  }

  @Override
  public int weight(int rail) {
    RailPath path = paths.get(rail);
    return path == null ? 1 : path.link().weight();
  }

  // ---- the duty cycle ----

  /** Sends what may be sent; returns packets sent. */
  @SuppressWarnings("ReferenceEquality") // this very error, not one like it
  int send(long nowNs) {
    cycleNowNs = nowNs;
    boolean starvedBefore = starved;
    starved = false;
    burstEnded = false;
    lone = true;
    int packets = 0;
    Throwable failed = null;
    lookAtRails();
    if (!onlySuspects()) {
      try {
        packets += sendData(nowNs);
      } catch (RuntimeException | Error e) {
        if (e != takenBack) {
          throw e;
        }
        failed = e; // what is to be acknowledged does not wait for it
      }
      lone = packets == 0 || (packets == 1 && assembler.payloadBytes() <= SinglePacket.MAX_PAYLOAD);
      if (starved && (packets > 0 || !starvedBefore)) {
        starvedSinceNs = nowNs;
      }
      flush(); // what a message waits for goes before what can wait
    }
    if (!control.isQuiet(nowNs)) {
      packets += sendControl(nowNs);
      flush();
    }
    if (failed != null) {
      takenBack = failed;
      throw thrown(failed);
    }
    return packets;
  }

  /** Whether {@link #send} ended before everything was sent that may be. */
  boolean isBurstEnded() {
    return burstEnded;
  }

  /**
   * Whether there is nothing, after {@link #send}, that a short message would have to wait for, and
   * some rail that takes it by itself.
   */
  boolean isIdle(long nowNs) {
    return lone
        && anySingles
        && !channels.isAnyReady()
        && retransmit.isEmpty()
        && !anyDatagrams
        && control.isQuiet(nowNs);
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
    int smallest = Integer.MAX_VALUE;
    boolean singles = false;
    for (int i = 0; i < paths.count(); i++) {
      RailPath path = paths.get(i);
      if (path != null) {
        path.batch().begin();
        if (path.isUsable()) {
          int size = path.size().current();
          largest = Math.max(largest, size);
          smallest = Math.min(smallest, size);
          singles |= path.link().words() != null;
        }
      }
    }
    largestPacket = largest;
    if (largest > 0 && smallest != smallestPacket) { // else as before
      smallestPacket = smallest;
      datagrams.setPacketLength(smallest);
    }
    anySingles = singles;
  }

  /** Some were offered, and signalled after that. */
  void onDatagramsOffered() {
    anyDatagrams = true;
  }

  /** Whether some wait, when all that were taken have left or were taken back. */
  private boolean hasDatagrams() {
    anyDatagrams = anyDatagrams && datagrams.hasMore();
    return anyDatagrams;
  }

  private boolean onlySuspects() {
    return largestPacket == 0;
  }

  private int sendData(long nowNs) {
    int packets = 0;
    while (packets < MAX_BURST) {
      boolean again = messages.isAgainDue();
      ChannelEngine channel = messages.turnOfNew(again);
      boolean isDatagrams = hasDatagrams() && datagrams.isTurn(again || channel != null);
      if (!again && channel == null && !isDatagrams) {
        if (packets > 0) {
          for (int i = 0; i < paths.count(); i++) {
            RailPath path = paths.get(i);
            if (path != null) {
              path.congestion().onAppLimited();
            }
          }
        }
        return packets;
      }
      int rail = isDatagrams ? select(datagrams.nextBytes(), nowNs) : select(channel, nowNs);
      if (rail < 0) {
        starved = true;
        passedOver();
        return packets;
      }
      RailPath path = paths.get(rail);
      Content first = isDatagrams ? Content.DATAGRAMS : Content.MESSAGES;
      if (path == null || !sendPacket(path, first, isDatagrams ? null : channel, nowNs)) {
        if (path != null) {
          path.batch().onFull();
          starved = true;
        } else {
          return packets;
        }
      } else {
        packets++;
        if (anyDatagrams) {
          datagrams.tookTurn(isDatagrams);
        }
        if (channel != null && !hasDatagrams()) {
          packets += sendRun(path, channel, nowNs);
        }
      }
    }
    burstEnded = true;
    return packets;
  }

  /** A rail that has room and waits for the scheduler's choice shows less than it can carry. */
  private void passedOver() {
    for (int i = 0; i < paths.count(); i++) {
      RailPath path = paths.get(i);
      if (path != null && usable(i) && canSendNow(i)) {
        path.congestion().onAppLimited();
      }
    }
  }

  /**
   * The message that the last packet took a part of goes on in full packets, which carry nothing
   * else: what there was to be acknowledged left in the first, and whose turn it is was decided.
   */
  private int sendRun(RailPath path, ChannelEngine channel, long nowNs) {
    if (channel.sender().nextOffset() == 0
        || path.link().peerPulls()
        || !retransmit.isEmpty()
        || scheduler.redundant()) {
      return 0;
    }
    Rail rail = path.link().rail();
    if (rail == null || !rail.isOpen()) {
      return 0;
    }
    PacketAssembler b = assembler;
    long seq = channel.sender().nextSequence();
    boolean isPlacement = channel.isPlacement();
    int overhead = PacketHeader.LENGTH + (isPlacement ? PlacedFrame.LENGTH : FragmentFrame.LENGTH);
    int limit = Math.min(path.size().current(), rail.maxPacketLength());
    if (isPlacement) {
      limit = (int) MessageContent.most(path, 0, limit - overhead) + overhead;
    }
    int payload = limit - overhead;
    int most = RUN_BYTES / limit - 1;
    long left = channel.sent().length(seq) - channel.sender().nextOffset();
    int charge = path.charge(limit);
    long rawNs = path.clock().toRaw(nowNs);
    int packets = 0;
    for (; packets < most && left > payload && canSendNow(path.id()); packets++) {
      if (begin(path, rail, packets == 0 ? limit : NEXT) < 0) {
        path.batch().onFull();
        break;
      }
      try {
        if (packets == 0) {
          if (isPlacement) {
            b.placed(channel, seq, channel.sender().nextOffset(), payload, 0);
          } else {
            b.fragment(channel, seq, channel.sender().nextOffset(), payload, 0);
          }
        }
        channel.sender().takeBytes(payload);
      } catch (Throwable t) {
        b.abort();
        takenBack = t;
        throw t;
      }
      left -= payload;
      if (leave(path, rail, nowNs) < 0) {
        break;
      }
      if (packets == 0) {
        recordEliciting(path, limit, nowNs);
      } else {
        path.onNextSent(charge, rawNs);
      }
    }
    count(path, packets, (long) packets * limit, (long) packets * payload);
    messages.onPackets(packets);
    messages.started(0, (long) packets * payload, path);
    return packets;
  }

  /** The rail for what a channel has to send, or, without one, for what is due again. */
  private int select(@Nullable ChannelEngine channel, long nowNs) {
    if (paths.count() == 1) {
      return onlyRail();
    }
    RetransmitQueue q = retransmit;
    long backlog = channel == null ? 1L << 20 : channel.sender().backlogBytes();
    long wanted =
        channel == null
            ? q.length()
            : channel.sender().nextLength() - channel.sender().nextOffset();
    int avoid = channel == null ? q.avoid() : -1;
    return scheduler.select(this, Math.min(wanted, largestPacket), backlog, avoid, nowNs);
  }

  /** The rail for so many bytes of which nobody knows yet where they come from. */
  int select(int bytes, long nowNs) {
    return paths.count() == 1 ? onlyRail() : scheduler.select(this, bytes, bytes, -1, nowNs);
  }

  /** There is nothing to choose. */
  private int onlyRail() {
    return usable(0) && canSendNow(0) ? 0 : PathScheduler.WAIT;
  }

  /** Content that no data packet took along. */
  private int sendControl(long nowNs) {
    int packets = 0;
    boolean anyDue = false;
    for (int i = 0; i < paths.count(); i++) {
      RailPath path = paths.get(i);
      if (path != null && control.isDueOn(path, nowNs)) {
        anyDue = true;
        if (path.isOpen() && sendPacket(path, Content.CONTROL, null, nowNs)) {
          packets++;
        }
      }
    }
    for (int tries = 0; tries < 8 && control.isDue(nowNs); tries++) {
      anyDue = true;
      RailPath path = best();
      if (path != null && path.batch().hasState()) {
        flush(path); // a batch has one channel's state, and that of one more may be urgent
        path = best();
      }
      if (path == null || !sendPacket(path, Content.CONTROL, null, nowNs)) {
        break;
      }
      packets++;
    }
    if (!anyDue) {
      control.settle(nowNs);
    }
    return packets;
  }

  /** The rail for control content: the quickest ACTIVE one with room, else the least silent one. */
  private @Nullable RailPath best() {
    RailPath best = null;
    for (int i = 0; i < paths.count(); i++) {
      RailPath path = paths.get(i);
      if (path == null
          || !path.isOpen()
          || path.batch().isFull()
          || path.state() == RailState.REMOVED) {
        continue;
      }
      if (best == null || better(path, best)) {
        best = path;
      }
    }
    return best;
  }

  private boolean better(RailPath a, RailPath b) {
    boolean activeA = a.isActive();
    boolean activeB = b.isActive();
    if (activeA != activeB) {
      return activeA;
    }
    return activeA ? rttNs(a.id()) < rttNs(b.id()) : a.health().heardNs() > b.health().heardNs();
  }

  private void flush() {
    if (!anyTouched) {
      return;
    }
    anyTouched = false;
    for (int i = 0; i < paths.count(); i++) {
      RailPath path = paths.get(i);
      if (path != null && path.batch().isOpen()) {
        flush(path);
      }
    }
  }

  private void flush(RailPath path) {
    path.batch().onFlushed();
    Rail rail = path.link().rail();
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
      driverErrors.accept(path, e);
    }
  }

  /**
   * Begins a packet of at most that length, or {@link #NEXT} for the next one of a run; less than 0
   * if the rail has no room. A driver that throws costs its rail.
   */
  private long begin(RailPath path, Rail rail, int limit) {
    long number = path.sent().nextNumber();
    try {
      return limit == NEXT
          ? assembler.next(number)
          : assembler.begin(rail, limit, path.id(), remoteId.getAsLong(), number);
    } catch (InternalError e) {
      throw e;
    } catch (RuntimeException | Error e) {
      driverErrors.accept(path, e);
      return Rail.CLOSED;
    }
  }

  /** When something that waits for pacing or company has to leave. */
  long deadlineNs(long nowNs) {
    if (!starved) {
      return Long.MAX_VALUE;
    }
    long deadline = Long.MAX_VALUE;
    for (int i = 0; i < paths.count(); i++) {
      RailPath path = paths.get(i);
      if (path == null || !path.isUsable()) {
        continue;
      }
      if (path.link().isLossless()) {
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
   * @param content what may be in it, control frames apart
   * @param turn the channel whose turn it is; null if what is due again goes first
   */
  private boolean sendPacket(
      RailPath path, Content content, @Nullable ChannelEngine turn, long nowNs) {
    Rail rail = path.link().rail();
    if (rail == null || !path.sent().hasRoom()) {
      return false;
    }
    int probe =
        content == Content.CONTROL && path.state() == RailState.ACTIVE && !path.link().isLossless()
            ? path.size().due(nowNs)
            : 0;
    int limit = Math.max(probe, Math.min(path.size().current(), rail.maxPacketLength()));
    long begun = begin(path, rail, limit);
    if (begun < 0) {
      if (begun == Rail.CLOSED) {
        health.onClosed(path, "link closed", nowNs);
      }
      return false;
    }
    PacketAssembler b = assembler;
    try {
      fill(path, content, turn, limit, probe, nowNs);
    } catch (Throwable t) {
      takeBack(path, nowNs);
      takenBack = t;
      throw t;
    }
    if (b.isEmpty()) {
      b.abort();
      return false;
    }
    int length = leave(path, rail, nowNs);
    if (length < 0) {
      return rail.isOpen(); // the loop goes on with the rest
    }
    if (content != Content.CONTROL
        && !channels.isAnyReady()
        && retransmit.isEmpty()
        && !hasDatagrams()) {
      flush(path); // nothing follows it: the peer works at it while it is noted here
    }
    record(path, content, length, nowNs);
    return true;
  }

  /** Puts in what is to be sent on that rail: a probe of the packet size, or what is due. */
  private void fill(
      RailPath path,
      Content content,
      @Nullable ChannelEngine turn,
      int limit,
      int probe,
      long nowNs) {
    PacketAssembler b = assembler;
    if (probe > 0) {
      b.item(SentItem.SIZE_PROBE, null, 0, 0, probe);
      b.added(PingFrame.encode(b.header(), b.at()), true);
      path.size().sent();
      b.padTo(probe);
      return;
    }
    control.put(path, nowNs);
    boolean trial =
        onlySuspects()
            && path.probing().isChallengeOpen()
            && !path.link().isLossless()
            && path.state() != RailState.REMOVED;
    boolean data = content != Content.CONTROL;
    if (content == Content.DATAGRAMS) {
      datagrams.put(path, b, limit);
    }
    if (turn != null) {
      messages.putNew(path, turn);
    }
    if (data || (trial && path == best())) {
      messages.putAgain(path);
    }
    if (data && turn == null) {
      messages.putNew(path, messages.nextChannel());
    }
    if (content == Content.MESSAGES && anyDatagrams) {
      datagrams.put(path, b, limit);
    }
  }

  /**
   * Writes the packet at hand into the rail's memory and commits it.
   *
   * @return its length, or -1 if that failed: what was in it is queued again, or given up with its
   *     message
   */
  private int leave(RailPath path, Rail rail, long nowNs) {
    PacketAssembler b = assembler;
    int length;
    try {
      length = b.finish(checksum, path.link().isShared());
    } catch (Throwable t) {
      takeBack(path, nowNs);
      if (t instanceof InternalError && rail.canFault()) { // the peer truncated it (R25)
        health.onClosed(path, "shared memory gone: " + t.getMessage(), nowNs);
        return -1;
      }
      takenBack = t;
      throw t;
    }
    if (length < 0) {
      ChannelEngine failed = b.failedChannel();
      if (failed != null) {
        failed.sender().fail(b.failedSequence(), b.failure());
        channels.look(failed);
      }
      takeBack(path, nowNs);
      return -1;
    }
    if (b.datagrams() > 0) {
      datagrams.left(b.datagrams());
    }
    try {
      b.commit(); // over shared memory the peer begins with it now, beside what follows
    } catch (InternalError e) {
      throw e;
    } catch (RuntimeException | Error e) {
      takeBack(path, nowNs); // if it has left it is a repeat; datagrams are lost
      datagrams.lost(b.datagrams());
      driverErrors.accept(path, e);
      return -1;
    }
    path.batch().onCommitted();
    anyTouched = true;
    return length;
  }

  private void record(RailPath path, Content content, int length, long nowNs) {
    PacketAssembler b = assembler;
    if (b.isEliciting()) {
      if (content == Content.CONTROL && !burstEnded && path.hasAllowance(nowNs)) {
        path.congestion().onAppLimited(); // nobody wanted the room: this packet tells no rate
      }
      recordEliciting(path, length, nowNs);
    } else {
      path.sent().skip();
    }
    count(path, 1, length, b.payloadBytes());
    if (content != Content.DATAGRAMS) {
      messages.onPackets(1);
    }
    if (b.payloadBytes() > 0 && scheduler.redundant()) {
      copyToOthers(path);
    }
  }

  private void recordEliciting(RailPath path, int length, long nowNs) {
    PacketAssembler b = assembler;
    noteEliciting(path, length + b.referencedBytes(), b.transmissions(), nowNs);
    b.record(path.sent());
    path.probing().onElicitingSent();
    if (b.itemCount() > 0) { // else it is about the rail alone, and nobody waits for what it says
      mayStall = true;
    }
  }

  /** A packet left that asks for an acknowledgement; its items follow. */
  private void noteEliciting(RailPath path, int bytes, int transmissions, long nowNs) {
    path.onSent(bytes, transmissions, recovery.deadlineNs(path, transmissions, nowNs), nowNs);
  }

  /** A short message by itself did not leave, and all that was taken for it was given back. */
  void onTakenBack(Throwable thrown) {
    takenBack = thrown;
  }

  /** A packet with one short message by itself has left, of that many bytes in all. */
  void noteSingle(
      RailPath path, ChannelEngine channel, long seq, int length, int whole, long nowNs) {
    noteEliciting(path, whole, 0, nowNs);
    if (channel.isPlacement()) {
      path.sent().addItem(SentItem.FRAGMENT, channel, seq, 0, length);
    } else {
      path.sent().addItem(SentItem.EAGER, channel, seq, 0, 1);
    }
    mayStall = true;
    count(path, 1, whole, length);
    messages.onPackets(1);
    messages.started(1, length, path);
    counters.increment(ConnectionCounter.INLINE_SENDS);
    path.congestion().onAppLimited();
  }

  private void count(RailPath path, int packets, long bytes, long payloadBytes) {
    path.counters().add(RailCounter.PACKETS_OUT, packets);
    path.counters().add(RailCounter.BYTES_OUT, bytes);
    if (payloadBytes > 0) {
      scheduler.onSent(path.id(), payloadBytes);
    }
  }

  /** Redundant scheduling: the same content on every other usable rail. */
  private void copyToOthers(RailPath path) {
    PacketAssembler b = assembler;
    if (b.transmissions() > 0 && planted != PlantedFault.COPIES_WITHOUT_END) {
      return;
    }
    for (int i = 0; i < b.itemCount(); i++) {
      byte kind = b.itemKind(i);
      ChannelEngine channel = b.itemChannel(i);
      if (channel != null && (kind == SentItem.EAGER || kind == SentItem.FRAGMENT)) {
        for (int r = 0; r < paths.count(); r++) {
          if (r != path.id() && usable(r)) {
            retransmit.add(
                kind,
                channel,
                b.itemFirst(i),
                b.itemOffset(i),
                b.itemLength(i),
                1,
                path.id(),
                null,
                0);
            path.counters().increment(RailCounter.REDUNDANT_COPIES);
          }
        }
      }
    }
  }

  /** The packet does not leave: the claim and all that was taken for it goes back. */
  private void takeBack(RailPath path, long nowNs) {
    PacketAssembler b = assembler;
    b.abort();
    for (int i = 0; i < b.itemCount(); i++) {
      byte kind = b.itemKind(i);
      ChannelEngine channel = b.itemChannel(i);
      long first = b.itemFirst(i);
      long offset = b.itemOffset(i);
      int length = b.itemLength(i);
      switch (kind) {
        case SentItem.EAGER, SentItem.FRAGMENT -> {
          if (channel != null) {
            retransmit.add(kind, channel, first, offset, length, 1, -1, null, 0);
            channels.look(channel);
          }
        }
        case SentItem.SIZE_PROBE -> path.size().notSent();
        case SentItem.DATAGRAM -> datagrams.takeBack();
        case SentItem.ACK -> {} // the frame itself tells which rail's it is
        default -> control.again(kind, channel, first, offset, length);
      }
    }
    control.takeBack(path, nowNs);
  }

  /**
   * Tells the peer that this side is through, or knows that the peer is, on every rail. How far it
   * has accepted each channel goes with it: what is not told now never is, and the peer would have
   * to name it as unknown.
   */
  void sendClose(boolean acknowledges, long nowNs) {
    for (int i = 0; i < paths.count(); i++) {
      RailPath path = paths.get(i);
      Rail rail = path == null ? null : path.link().rail();
      if (path != null && rail != null && rail.isOpen()) {
        sendClose(path, rail, acknowledges, nowNs);
      }
    }
  }

  private void sendClose(RailPath path, Rail rail, boolean acknowledges, long nowNs) {
    int limit = Math.min(path.size().current(), rail.maxPacketLength());
    int most = Math.min(limit, PacketHeader.MAX_HEADER_LENGTH);
    int states = (most - PacketHeader.LENGTH - CloseFrame.LENGTH) / ChannelStateFrame.LENGTH;
    // nobody has answered there yet, who could be told of channels
    int from = path.state() == RailState.UNVALIDATED ? channels.engines().size() : nextReceived(0);
    boolean goesOn = true;
    while (goesOn) {
      int end = from;
      int count = 0;
      for (; end < channels.engines().size() && count < states; end = nextReceived(end + 1)) {
        count++;
      }
      goesOn = end < channels.engines().size();
      int length = PacketHeader.LENGTH + count * ChannelStateFrame.LENGTH + CloseFrame.LENGTH;
      if (begin(path, rail, length) < 0) {
        return;
      }
      PacketAssembler b = assembler;
      for (; from < end; from = nextReceived(from + 1)) {
        ChannelEngine channel = channels.engines().get(from);
        long consumed = channel.received().consumed(); // first, so that it is no higher
        ControlContent.addState(
            b, channel, channel.received().accepted(), consumed, channel.received().creditLimit());
      }
      if (!goesOn) {
        int flags = acknowledges ? CloseFrame.ACKNOWLEDGES : 0;
        b.added(CloseFrame.encode(b.header(), b.at(), 0, flags, 0), false);
      }
      int left = leave(path, rail, nowNs);
      if (left < 0) {
        return;
      }
      path.sent().skip(); // nobody waits for an acknowledgement
      flush(path);
      path.counters().increment(RailCounter.PACKETS_OUT);
      path.counters().add(RailCounter.BYTES_OUT, left);
    }
  }

  /** The next channel from there on that something was received on; the number of all if none. */
  private int nextReceived(int from) {
    int i = from;
    while (i < channels.engines().size() && channels.engines().get(i).received().accepted() == 0) {
      i++;
    }
    return i;
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.simulation;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.crosstie.reliability.wire.PacketHeader;
import io.crosstie.simulation.PortProfile.RingProfile;
import io.crosstie.transport.PortCounter;
import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailPort;
import io.crosstie.transport.shm.RingRail;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One end of a segment: the shipped rings over memory of the simulator. Stores are in the memory at
 * once; when the other side may look at them, and whether a doorbell rings, the simulator says. It
 * also keeps an account of each packet that lies there, tears the segment away, and writes over it.
 */
final class SimRingRail extends RingRail {
  /** Bytes of the word before each packet. */
  private static final int COMMIT_WORD = 8;

  private enum Answer {
    NONE,
    ACCEPTED,
    REFUSED
  }

  /** A packet that lies in the ring. */
  private static final class Sent {
    final long offset;
    final int length;
    final @Nullable RailTally tally;
    final long visibleNs;
    @Nullable LinkCounter damage;

    Sent(long offset, int length, @Nullable RailTally tally, long visibleNs) {
      this.offset = offset;
      this.length = length;
      this.tally = tally;
      this.visibleNs = visibleNs;
    }
  }

  private final SimRingPort port;
  private final RailAddress remote;
  private final SimLink out;
  private final SimLink in;

  /** The same memory, as this side has mapped it. */
  private final MemorySegment memory;

  private final byte[] head = new byte[PacketHeader.LENGTH];
  private final ArrayDeque<Sent> incoming = new ArrayDeque<>();
  private final SplittableRandom random;
  private @Nullable SimRingRail peer;
  private Answer answer = Answer.NONE;
  private long claimedAt;

  private long lastConsumed;
  private long streamedBefore;
  private long lastVisibleNs;
  private boolean replying;

  /** The doorbell is at its end. */
  private boolean gone;

  private SimRingRail(
      SimRingPort port, RailAddress remote, MemorySegment memory, boolean initiator, long seed) {
    super(
        memory,
        port.profile().ring().bytes(),
        initiator,
        port.counters(),
        port.profile().ring().streams() ? SimStreamer.INSTANCE : null,
        trialClock(seed));
    this.port = port;
    this.remote = remote;
    this.memory = memory;
    this.out = port.network().link(port.localAddress(), remote);
    this.in = port.network().link(remote, port.localAddress());
    this.random = new SplittableRandom(seed);
    port.network().ringMade(this);
  }

  /** Finds now this, now that way of storing the quicker one. */
  private static LongSupplier trialClock(long seed) {
    long[] now = {0, seed};
    return () -> {
      now[1] = Bytes.mix(now[1] + 1);
      now[0] += now[1] & 0xfff;
      return now[0];
    };
  }

  static SimRingRail offer(SimRingPort port, RailAddress remote) {
    SimNetwork network = port.network();
    MemorySegment memory = network.segment(segmentBytes(port.profile().ring().bytes()));
    SimRingRail mine = new SimRingRail(port, remote, memory, true, network.nextRingSeed());
    network.clock().after(mine.out.model().delayNs(), mine::offerArrives);
    return mine;
  }

  private void offerArrives() {
    SimNetwork network = port.network();
    boolean cut = network.ringsCut(port.localAddress()) || network.ringsCut(remote);
    if (!cut && !isClosed() && network.portAt(remote) instanceof SimRingPort there) {
      there.offered(this);
    } else {
      refused();
    }
  }

  void refused() {
    answer = Answer.REFUSED;
    port.host.arrived();
  }

  /** The port that it was offered to maps it; null if it was withdrawn. */
  @Nullable SimRingRail accept(SimRingPort there) {
    if (isClosed() || gone) {
      refused();
      return null;
    }
    MemorySegment mapped = memory.asSlice(0); // an object of its own, as a mapping has
    SimRingRail other =
        new SimRingRail(there, port.localAddress(), mapped, false, port.network().nextRingSeed());
    other.peer = this;
    peer = other;
    other.tryPulls();
    answer = Answer.ACCEPTED;
    port.host.arrived();
    return other;
  }

  private void tryPulls() {
    if (port.profile().ring().pulls() && SimMemory.isReadable()) {
      pullFromNowOn();
    }
  }

  // ---- what the rings ask for

  @Override
  protected void faulted() {
    throw new IllegalStateException("private memory does not fault");
  }

  @Override
  protected void wakePeer() {
    SimRingRail to = peer;
    port.counters().increment(PortCounter.DOORBELLS);
    if (to != null) {
      port.network().clock().after(out.model().delayNs(), to.port.host::arrived);
    }
  }

  @Override
  protected void pollAnswer() {
    if (answer == Answer.ACCEPTED) {
      answer = Answer.NONE;
      open();
      tryPulls();
    } else if (answer == Answer.REFUSED) {
      fail("refused");
    }
  }

  @Override
  protected void ending() {
    dropRest();
  }

  @Override
  protected boolean readPeer(long address, MemorySegment destination, long offset, long length) {
    RingProfile ring = port.profile().ring();
    int drawn = random.nextInt(1_000_000);
    boolean fails = drawn < ring.pullFailurePpm();
    boolean flawed = fails && ring.flaws() && drawn % 4 == 0;
    if ((fails && !flawed) || !SimMemory.read(address, destination, offset, length)) {
      return false;
    }
    if (flawed) { // the memory changed while it was read
      long where = offset + drawn % length;
      destination.set(JAVA_BYTE, where, (byte) (destination.get(JAVA_BYTE, where) ^ 0x10));
    }
    return true;
  }

  @Override
  protected boolean canReadPeer() {
    return random.nextBoolean(); // what could not be read may be gone alone, or the permission
  }

  // ---- sending

  @Override
  public RailPort port() {
    return port;
  }

  @Override
  public RailAddress remoteAddress() {
    return remote;
  }

  @Override
  public long remoteKey() {
    return port.network().keyOf(remote);
  }

  @Override
  public long claim(int length) {
    port.host.mayStop();
    claimedAt = super.claim(length);
    return claimedAt;
  }

  @Override
  public void commit(int length) {
    boolean alive = state() == State.OPEN;
    super.commit(length);
    published(length, alive);
    port.host.mayStop();
  }

  @Override
  public void flush() {
    if (!replying) { // what was committed is not in the account yet
      port.host.mayStop();
    }
    super.flush();
  }

  @Override
  public long consumed() {
    long consumed = super.consumed();
    PathCensus paths = port.network().census();
    if (paths != null && consumed > lastConsumed) {
      lastConsumed = consumed;
      paths.add(MessagePath.ACK_POSITION);
    }
    return consumed;
  }

  @Override
  protected boolean reply(MemorySegment packet, long offset, int length) {
    replying = true;
    boolean left = super.reply(packet, offset, length);
    replying = false;
    if (left) {
      published(length, true);
    }
    return left;
  }

  private void published(int length, boolean alive) {
    long streamed = port.counters().get(PortCounter.STREAMED_BYTES);
    if (streamed != streamedBefore && port.profile().ring().unfenced()) {
      long last = claimedAt + length - 1;
      memory.set(JAVA_BYTE, last, (byte) ~memory.get(JAVA_BYTE, last)); // as it was before
    }
    streamedBefore = streamed;
    int headLength = Math.min(length, head.length);
    MemorySegment.copy(memory, JAVA_BYTE, claimedAt, head, 0, headLength);
    RailTally tally = out.tallyOf(head, 0, headLength);
    SimNetwork network = port.network();
    out.count(LinkCounter.SENT, tally);
    network.noteCommit(out, memory, claimedAt, length);
    SimRingRail to = peer;
    if (!alive || to == null || to.isOver()) {
      out.count(LinkCounter.CUT, tally);
      return;
    }
    long nowNs = network.clock().nowNs();
    long visibleNs = nowNs + out.model().delayNs();
    to.incoming.add(new Sent(claimedAt, length, tally, visibleNs));
    if (visibleNs != to.lastVisibleNs || visibleNs == nowNs) {
      to.lastVisibleNs = visibleNs;
      network.clock().at(visibleNs, to.port.host::visible);
    }
  }

  // ---- receiving

  /** Packets that this side may see by now. */
  private int visible(int limit) {
    long nowNs = port.network().clock().nowNs();
    int n = 0;
    for (Sent record : incoming) {
      if (n == limit || record.visibleNs > nowNs) {
        break;
      }
      n++;
    }
    return n;
  }

  @Override
  protected int poll(int limit) {
    return super.poll(visible(limit));
  }

  /** What the poll of a port looks at besides. */
  void housekeep() {
    if (state() == State.CONNECTING) {
      pollAnswer();
    }
    if (gone && (state() == State.OPEN || state() == State.CONNECTING)) {
      drain("the peer is gone");
    }
    if (isUnclaimed(port.network().clock().nowNs())) {
      fail("the peer sent nothing over it");
    }
  }

  @Override
  public void onPacket(long offset, int length) {
    Sent record = incoming.remove();
    if (record.offset != offset || record.length != length) {
      throw new Violation(
          "3 integrity",
          in + ": a packet of " + length + " bytes at " + offset + " was never committed");
    }
    port.host.mayStop();
    in.count(LinkCounter.DELIVERED, record.tally);
    LinkCounter damage = record.damage;
    if (damage != null) {
      in.count(damage, record.tally);
    }
    port.network().noteDelivery(in, memory, offset, length, damage);
    port.handle(this, memory, offset, length);
    MemorySegment unused = memory.asSlice(offset, length).fill(SimPort.POISON);
    port.host.mayStop();
  }

  /** Raises the flag that asks for the doorbell; true if there is something to be done first. */
  boolean sleep() {
    raiseSleeping();
    boolean work = packetWaits();
    if (work) { // the fences on both sides make it seen
      long nowNs = port.network().clock().nowNs();
      ArrayDeque<Sent> all = new ArrayDeque<>(incoming);
      incoming.clear();
      for (Sent r : all) {
        Sent seen = new Sent(r.offset, r.length, r.tally, Math.min(r.visibleNs, nowNs));
        seen.damage = r.damage;
        incoming.add(seen);
      }
    }
    return work || isEndDue();
  }

  private boolean isEndDue() {
    return state() == State.DRAINING
        || (state() == State.CONNECTING && answer != Answer.NONE)
        || (gone && state() == State.OPEN);
  }

  void wake() {
    lowerSleeping();
  }

  // ---- the end

  /** The doorbell is torn away; both sides find out when they are polled. */
  void cut() {
    gone = true;
    port.host.arrived();
    SimRingRail other = peer;
    if (other != null) {
      other.gone = true;
      other.port.host.arrived();
    }
  }

  boolean isClosed() {
    return state() == State.CLOSED;
  }

  private boolean isOver() {
    return state() == State.CLOSED || state() == State.FAILED;
  }

  /** True once, when the end has to be told. */
  boolean hasEnded() {
    return takeReport();
  }

  private void dropRest() {
    if (isOver()) {
      for (Sent record : incoming) {
        in.count(LinkCounter.UNREAD, record.tally);
      }
      incoming.clear();
    }
  }

  @Override
  public void close() {
    if (closed()) {
      dropRest();
      port.network().ringGone(this);
      port.forget(this);
      SimRingRail other = peer;
      if (other != null) {
        other.gone = true;
        other.port.host.arrived();
      }
      if (other == null || other.isClosed()) {
        port.network().giveBack(memory); // neither side touches it any more
      }
    }
  }

  // ---- what somebody does who writes over the segment

  /**
   * Erases the next record of this side: it waits where none will ever begin. Not a handshake's: a
   * segment that stays silent from the beginning is given up by its port only after half a minute.
   */
  boolean erase() {
    Sent next = incoming.peek();
    if (next == null || next.tally == null) {
      return false;
    }
    memory.set(JAVA_LONG, next.offset - COMMIT_WORD, 0L);
    return true;
  }

  /** Changes a bit of the next packet of this side, or the word before it. */
  boolean damage() {
    Sent next = incoming.peek();
    if (next == null || next.tally == null || next.damage != null) {
      return false;
    }
    if (random.nextInt(4) == 0) {
      memory.set(JAVA_LONG, next.offset - COMMIT_WORD, random.nextLong() | 1);
      return true;
    }
    MemorySegment.copy(memory, JAVA_BYTE, next.offset, head, 0, head.length);
    int header = Math.min(next.length, PacketHeader.headerLength(head, 0));
    int at = random.nextInt(next.length);
    long where = next.offset + at;
    memory.set(JAVA_BYTE, where, (byte) (memory.get(JAVA_BYTE, where) ^ 1 << random.nextInt(8)));
    next.damage = at < header ? LinkCounter.HEADER_DAMAGED : LinkCounter.PAYLOAD_DAMAGED;
    return true;
  }

  @Override
  public String toString() {
    return port.localAddress() + " -> " + remote;
  }
}

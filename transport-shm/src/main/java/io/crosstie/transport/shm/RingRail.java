// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.shm;

import io.crosstie.checksum.Accelerator;
import io.crosstie.checksum.Checksum;
import io.crosstie.checksum.MemoryWords;
import io.crosstie.transport.Counters;
import io.crosstie.transport.PortCounter;
import io.crosstie.transport.Rail;
import java.lang.foreign.MemorySegment;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What moves packets between two rings in memory that two sides have, seen from one of them. How
 * the memory came to both, how one wakes the other and how it learns of the other's end is left to
 * those who extend it: a segment between two processes, or a simulator.
 *
 * <p>A fault in a mapping (the peer truncated the file) can surface wherever the memory is touched:
 * it is caught here and {@link #faulted()} is called. Callers that write {@link #txMemory()} can
 * meet it too; see {@link #txMemory()}.
 *
 * <p>The engine's thread only.
 */
@SuppressWarnings("exports") // what takes the packets of a ring is nobody's business outside
public abstract class RingRail implements Rail, RingReader.Consumer {
  /** Where a rail stands in its life. */
  protected enum State {
    /** Offered; the peer has not answered. */
    CONNECTING,
    /** Both sides use it. */
    OPEN,
    /** The peer is gone; what it published is still handed up. */
    DRAINING,
    /** Of no use any more; the core has to close it. */
    FAILED,
    /** Closed by its owner; unmapped, or about to be. */
    CLOSED
  }

  /**
   * After so many bytes, handed up or copied out of the peer's memory, a poll ends: the application
   * then finds them in the second-level cache, and the peer is told of them and sends more while
   * the rest is taken. With a window of 64 messages of 64 KiB taken at once both ends waited for
   * each other.
   */
  static final int TURN_BYTES = 256 << 10;

  /**
   * How long a segment that the core has not accepted may stay without a packet. The peer, which
   * sends a packet at once, learns that this one has come to nothing, and makes another.
   */
  private static final long UNCLAIMED_TIMEOUT_NS = 3_000_000_000L;

  private final MemorySegment memory;
  private final RingWriter writer;
  private final RingReader reader;
  private final int maxPacketLength;
  private final long ringBytes;
  private final Counters<PortCounter> counters;

  /** Null where a fault is possible, or only ordinary stores are. */
  private final @Nullable RingStores stores;

  /** Something was streamed and may be seen late. */
  private boolean unordered;

  private State state;

  /** The core has seen this rail. */
  private boolean accepted;

  private long idleSinceNs;
  private long idlePosition = -1;
  private String reason = "";
  private boolean reported;

  /** The peer's memory may be read. */
  private boolean pulls;

  private long pulledBytes;

  /** Bytes handed up and pulled, since the beginning, at which the poll at hand ends. */
  private long turnEnd;

  /** Bound for what is handed up after the peer is gone: a ring full. */
  private long drainLimit = Long.MAX_VALUE;

  /** Published since the last flush. */
  private int packets;

  private long bytes;

  /**
   * One side of a segment.
   *
   * @param memory of {@link #segmentBytes} bytes, zero at first, as both sides have it
   * @param ringBytes of each direction, a power of two from 16 KiB to 1 GiB
   * @param initiator whether this side made it: it produces direction 0, and waits for the other
   * @param counters of the port
   * @param streamer whose streaming stores may be made into the memory; null if there are none, or
   *     the memory can be taken away
   * @param storesClock by which the quicker way of storing is found
   */
  protected RingRail(
      MemorySegment memory,
      long ringBytes,
      boolean initiator,
      Counters<PortCounter> counters,
      @Nullable Accelerator streamer,
      LongSupplier storesClock) {
    this.memory = memory;
    this.ringBytes = ringBytes;
    this.counters = counters;
    this.maxPacketLength = SegmentLayout.maxPacketLength(ringBytes);
    MemoryWords words = MemoryWords.of(memory);
    this.writer = new RingWriter(words, initiator ? 0 : 1, ringBytes);
    this.reader = new RingReader(words, initiator ? 1 : 0, ringBytes);
    this.state = initiator ? State.CONNECTING : State.OPEN;
    this.accepted = initiator;
    this.stores = streamer != null ? new RingStores(streamer, storesClock) : null;
  }

  /** Bytes of a segment with two rings of that size. */
  protected static long segmentBytes(long ringBytes) {
    return SegmentLayout.totalBytes(ringBytes);
  }

  // ---- for those who extend it ----

  /** Touching the memory faulted while this rail was in hand; it may be another's. */
  protected abstract void faulted();

  /** Wakes the peer, which sleeps. */
  protected abstract void wakePeer();

  /** Looks whether the peer has answered; somebody waits to send. */
  protected abstract void pollAnswer();

  /** It has ended, or drains: {@link #takeReport()} will say so. Called once or twice. */
  protected abstract void ending();

  protected final State state() {
    return state;
  }

  /** Whether the core has seen this rail. */
  public final boolean isAccepted() {
    return accepted;
  }

  /** The core has accepted it. */
  public final void onAccepted() {
    accepted = true;
  }

  /** Nanoseconds without a packet, as far as this was asked for. */
  protected final long idleNs(long nowNs) {
    if (idlePosition != position()) {
      idlePosition = position();
      idleSinceNs = nowNs;
    }
    return nowNs - idleSinceNs;
  }

  /** Whether the peer has long been silent on a segment that the core does not know. */
  protected final boolean isUnclaimed(long nowNs) {
    return !accepted && state == State.OPEN && idleNs(nowNs) > UNCLAIMED_TIMEOUT_NS;
  }

  /** Why it ended. */
  protected final String reason() {
    return reason;
  }

  /** The peer has the memory, too. */
  protected final void open() {
    state = State.OPEN;
  }

  /** Ends the rail; the event follows in the next poll. */
  protected final void fail(String why) {
    if (state != State.FAILED && state != State.CLOSED) {
      state = State.FAILED;
      reason = why;
      writer.abort();
      pullNoMore();
      ending();
    }
  }

  /** Hands up what is there, then fails. */
  protected final void drain(String why) {
    if (state == State.OPEN) {
      state = State.DRAINING;
      reason = why;
      drainLimit = reader.position() + ringBytes;
      writer.abort();
      pullNoMore();
      ending();
    } else {
      fail(why);
    }
  }

  /** Closed by its owner. False if it was before. */
  protected final boolean closed() {
    if (state == State.CLOSED) {
      return false;
    }
    state = State.CLOSED;
    writer.abort();
    pullNoMore();
    return true;
  }

  /** True once, when the failure has to be told. */
  protected final boolean takeReport() {
    if (state != State.FAILED || reported) {
      return false;
    }
    reported = true;
    return true;
  }

  // ---- sending ----

  @Override
  public final int maxPacketLength() {
    return maxPacketLength;
  }

  @Override
  public long claim(int length) {
    if (length < 1 || length > maxPacketLength) {
      throw new IllegalArgumentException(
          "a packet has 1 to " + maxPacketLength + " bytes on this rail, and not " + length);
    }
    if (state == State.CONNECTING) {
      pollAnswer();
    }
    if (state != State.OPEN) {
      return state == State.CONNECTING ? WOULD_BLOCK : CLOSED;
    }
    if (writer.claimed()) {
      throw new IllegalStateException("the last claim was neither committed nor aborted");
    }
    try {
      long offset = writer.claim(length);
      if (offset < 0) {
        counters.increment(PortCounter.CLAIMS_REFUSED);
        if (writer.violated()) {
          fail("the peer wrote an impossible position");
          return CLOSED;
        }
      }
      return offset;
    } catch (InternalError e) {
      faulted();
      return CLOSED;
    }
  }

  /**
   * The segment. A store into it after the peer truncated the file throws an InternalError, in the
   * caller or a little later; the rail is then found closed.
   */
  @Override
  public final MemorySegment txMemory() {
    return memory;
  }

  @Override
  public final long put(
      Checksum checksum, long from, MemorySegment source, long offset, long at, long length) {
    RingStores to = stores;
    if (to == null || length < RingStores.LEAST_BYTES || !source.isNative()) {
      return checksum.updateShared(from, source, offset, memory, at, length, null);
    }
    long next = to.copy(checksum, from, source, offset, memory, at, length);
    long streamed = to.streamed();
    if (streamed > 0) {
      unordered = true;
      counters.add(PortCounter.STREAMED_BYTES, streamed);
    }
    return next;
  }

  @Override
  public void commit(int length) {
    commit(length, SegmentLayout.KIND_PACKET);
  }

  private void commit(int length, int kind) {
    if (state != State.OPEN && state != State.CONNECTING) {
      return; // it died since the claim
    }
    if (!writer.claimed()) {
      throw new IllegalStateException("nothing is claimed");
    }
    if (unordered) {
      order(); // before the word that publishes the packet
    }
    try {
      writer.commit(length, kind);
      packets++;
      bytes += length;
    } catch (InternalError e) {
      faulted();
    }
  }

  private void order() {
    RingStores to = stores;
    if (to != null) {
      to.order();
    }
    unordered = false;
  }

  @Override
  public final void prefetch() {
    if (state == State.OPEN) {
      try {
        writer.prefetch();
      } catch (InternalError e) {
        faulted();
      }
    }
  }

  @Override
  public final void abort() {
    writer.abort();
  }

  @Override
  public void flush() {
    if (packets == 0) {
      return;
    }
    counters.add(PortCounter.PACKETS_OUT, packets);
    counters.add(PortCounter.BYTES_OUT, bytes);
    packets = 0;
    bytes = 0;
    if (state != State.OPEN) {
      return;
    }
    try {
      if (writer.takeSleeping()) {
        wakePeer();
      }
    } catch (InternalError e) {
      faulted();
    }
  }

  /** One packet outside of any rail; false, and dropped, if it does not fit now. */
  protected boolean reply(MemorySegment packet, long offset, int length) {
    if (state != State.OPEN || writer.claimed() || length > maxPacketLength) {
      return false;
    }
    long at = claim(length);
    if (at < 0) {
      return false;
    }
    try {
      MemorySegment.copy(packet, offset, memory, at, length);
    } catch (InternalError e) {
      faulted();
      return false;
    }
    commit(length, SegmentLayout.KIND_REPLY);
    flush();
    return true;
  }

  @Override
  public long consumed() {
    if (state == State.CLOSED) {
      return writer.lastConsumed();
    }
    try {
      long consumed = writer.consumed();
      if (writer.violated()) {
        fail("the peer wrote an impossible position");
      }
      return consumed;
    } catch (InternalError e) {
      faulted();
      return writer.lastConsumed();
    }
  }

  // ---- single copies ----

  /** Whether payload may be streamed into the ring. */
  protected final boolean streams() {
    return stores != null;
  }

  /** Reads the memory of the peer's process; false if not all of it could be read. */
  protected abstract boolean readPeer(
      long address, MemorySegment destination, long offset, long length);

  /** Whether anything of that memory can be read, now that something could not be. */
  protected abstract boolean canReadPeer();

  /** From now on the peer's memory may be read, until none can be made or the peer is gone. */
  protected final void pullFromNowOn() {
    if (!pulls) {
      pulls = true;
      counters.add(PortCounter.PULLING_RAILS, 1);
    }
  }

  private void pullNoMore() {
    if (pulls) {
      pulls = false;
      counters.add(PortCounter.PULLING_RAILS, -1);
    }
  }

  /** Not once the peer is gone: another process may have its id by then. */
  @Override
  public final boolean pulls() {
    return pulls;
  }

  @Override
  public final boolean pull(long address, MemorySegment destination, long offset, long length) {
    if (!pulls) {
      return false;
    }
    if (!readPeer(address, destination, offset, length)) {
      counters.increment(PortCounter.PULL_FAILURES);
      if (!canReadPeer()) { // else it is that memory alone which is gone
        pullNoMore();
      }
      return false;
    }
    counters.increment(PortCounter.PULLS);
    counters.add(PortCounter.PULLED_BYTES, length);
    pulledBytes += length;
    return true;
  }

  // ---- receiving ----

  @Override
  public final boolean hasEnough() {
    return state == State.CLOSED || reader.bytes() + pulledBytes - turnEnd >= 0;
  }

  /** Hands up packets. */
  protected int poll(int limit) {
    if (state != State.OPEN && state != State.DRAINING) {
      return 0;
    }
    turnEnd = reader.bytes() + pulledBytes + TURN_BYTES;
    int handled = reader.poll(this, limit);
    if (reader.violated()) {
      counters.increment(PortCounter.DROPPED_IN);
      fail("the peer published a record that cannot be");
    } else if (state == State.DRAINING
        && (!reader.ready() || reader.position() - drainLimit >= 0)) {
      fail(reason);
    }
    return handled;
  }

  /** Bytes handed up since the beginning. */
  protected final long bytesIn() {
    return reader.bytes();
  }

  /** Packets handed up since the beginning, replies included. */
  protected final long packetsIn() {
    return reader.packets();
  }

  /** Position of the next record, in bytes since the beginning. */
  protected final long position() {
    return reader.position();
  }

  /** Whether a packet can be handed up. */
  protected boolean packetWaits() {
    return (state == State.OPEN || state == State.DRAINING) && reader.ready();
  }

  /** Asks to be woken; a full fence and a look at {@link #packetWaits()} must follow. */
  protected final void raiseSleeping() {
    if (state == State.OPEN) {
      reader.raiseSleeping();
    }
  }

  /** This side looks again by itself. */
  protected final void lowerSleeping() {
    if (state == State.OPEN) {
      reader.lowerSleeping();
    }
  }

  @Override
  public final boolean isOpen() {
    return !reported && state != State.CLOSED;
  }
}

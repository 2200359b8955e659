// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.shm;

import io.crosstie.checksum.Checksum;
import io.crosstie.checksum.MemoryWords;
import io.crosstie.checksum.StreamingCopy;
import io.crosstie.transport.LinkEvent;
import io.crosstie.transport.PortCounter;
import io.crosstie.transport.Rail;
import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailPort;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * One segment with its doorbell, seen from one side. It begins either as ours, offered and waiting
 * for the peer to map it, or as a peer's that was just mapped.
 *
 * <p>A fault in the mapping (the peer truncated the file) can surface wherever the mapping is
 * touched: it is caught here and ends this rail only. Callers that write {@link #txMemory()} can
 * meet it too; see {@link #txMemory()}.
 */
final class ShmRail implements Rail, RingReader.Consumer {
  enum State {
    /** Offered; the peer has not answered. */
    CONNECTING,
    OPEN,
    /** The peer is gone; what it published is still handed up. */
    DRAINING,
    /** Of no use any more; the core has to close it. */
    FAILED,
    /** Closed by its owner; unmapped, or about to be. */
    CLOSED
  }

  private static final int MAX_READS = 4;

  /**
   * After so many bytes, handed up or copied out of the peer's memory, a poll ends: the application
   * then finds them in the second-level cache, and the peer is told of them and sends more while
   * the rest is taken. With a window of 64 messages of 64 KiB taken at once both ends waited for
   * each other.
   */
  static final int TURN_BYTES = 256 << 10;

  private static final byte[] DOORBELL = {Offer.DOORBELL};

  private final ShmPort port;
  private final RailAddress remote;
  private final long key;
  private final Segment segment;
  private final MemorySegment memory;
  private final RingWriter writer;
  private final RingReader reader;
  private final int maxPacketLength;

  /** Null where a fault is possible, or only ordinary stores are. */
  private final @Nullable RingStores stores;

  /** Something was streamed and may be seen late. */
  private boolean unordered;

  /** Where to connect; null for a peer's segment. */
  private final @Nullable Path peerSocket;

  /** The one that this side produces. */
  private final int direction;

  private @Nullable LocalSocket socket;

  /** The process whose memory may be read, 0 if there is none. */
  private int pulledProcess;

  private long pulledBytes;

  /** Bytes handed up and pulled, since the beginning, at which the poll at hand ends. */
  private long turnEnd;

  private State state;
  private LinkEvent event = LinkEvent.CLOSED;
  private String reason = "";

  /** What is left to be said over the socket. */
  private byte[] unsent = {};

  private int sent;

  /** Whether the core has seen this rail. */
  private boolean known;

  private boolean reported;

  /** Bound for what is handed up after the peer is gone: a ring full. */
  private long drainLimit = Long.MAX_VALUE;

  private long idleSinceNs;
  private long idlePosition = -1;

  /** Published since the last flush. */
  private int packets;

  private long bytes;

  private ShmRail(
      ShmPort port,
      RailAddress remote,
      long key,
      Segment segment,
      @Nullable LocalSocket socket,
      @Nullable Path peerSocket) {
    this.port = port;
    this.remote = remote;
    this.key = key;
    this.segment = segment;
    this.memory = segment.memory();
    this.socket = socket;
    this.peerSocket = peerSocket;
    this.maxPacketLength = SegmentLayout.maxPacketLength(segment.ringBytes());
    boolean initiator = peerSocket != null;
    MemoryWords words = MemoryWords.of(memory);
    this.writer = new RingWriter(words, initiator ? 0 : 1, segment.ringBytes());
    this.reader = new RingReader(words, initiator ? 1 : 0, segment.ringBytes());
    this.direction = initiator ? 0 : 1;
    this.state = initiator ? State.CONNECTING : State.OPEN;
    this.known = initiator;
    this.stores = segment.sealed() && StreamingCopy.isAvailable() ? new RingStores() : null;
    if (segment.sealed()) {
      port.sealedChanged(1);
    }
  }

  /** A segment of ours. The socket is null if the peer's backlog was full. */
  static ShmRail offer(
      ShmPort port,
      RailAddress remote,
      long key,
      Segment segment,
      @Nullable LocalSocket socket,
      Path peerSocket) {
    ShmRail rail = new ShmRail(port, remote, key, segment, socket, peerSocket);
    rail.offerProbe();
    rail.unsent =
        new Offer(
                segment.generation(), segment.ringBytes(), segment.fileName(), port.localAddress())
            .encode();
    rail.send();
    return rail;
  }

  /** A peer's segment, just mapped. */
  static ShmRail accepted(
      ShmPort port, RailAddress remote, long key, Segment segment, LocalSocket socket) {
    ShmRail rail = new ShmRail(port, remote, key, segment, socket, null);
    rail.offerProbe();
    rail.tryProbe();
    rail.unsent = new byte[] {Offer.ACCEPTED};
    rail.send();
    return rail;
  }

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
    return key;
  }

  @Override
  public int maxPacketLength() {
    return maxPacketLength;
  }

  @Override
  public long claim(int length) {
    if (length < 1 || length > maxPacketLength) {
      throw new IllegalArgumentException(
          "a packet has 1 to " + maxPacketLength + " bytes on this rail, and not " + length);
    }
    if (state == State.CONNECTING) {
      readSocket(port.scratch()); // the answer may be there, and whoever claims waits for it
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
        port.counters().increment(PortCounter.CLAIMS_REFUSED);
        if (writer.violated()) {
          fail("the peer wrote an impossible position");
          return CLOSED;
        }
      }
      return offset;
    } catch (InternalError e) {
      port.mappingFault(this);
      return CLOSED;
    }
  }

  @Override
  public long draft() {
    return state == State.OPEN ? writer.draft() : -1;
  }

  /**
   * The segment. A store into it after the peer truncated the file throws an InternalError, in the
   * caller or a little later; the rail is then found closed.
   */
  @Override
  public MemorySegment txMemory() {
    return memory;
  }

  @Override
  public long put(
      Checksum checksum, long state, MemorySegment source, long offset, long at, long length) {
    RingStores to = stores;
    if (to == null
        || length < RingStores.LEAST_BYTES
        || !source.isNative()
        || source.isMapped()) { // a file of the application's, which somebody may truncate
      return checksum.updateShared(state, source, offset, memory, at, length, false);
    }
    long next = to.copy(checksum, state, source, offset, memory, at, length);
    long streamed = to.streamed();
    if (streamed > 0) {
      unordered = true;
      port.counters().add(PortCounter.STREAMED_BYTES, streamed);
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
      unordered = false;
      StreamingCopy.order(); // before the word that publishes the packet
    }
    try {
      writer.commit(length, kind);
      packets++;
      bytes += length;
    } catch (InternalError e) {
      port.mappingFault(this);
    }
  }

  @Override
  public void abort() {
    writer.abort();
  }

  @Override
  public void flush() {
    if (packets == 0) {
      return;
    }
    port.counters().add(PortCounter.PACKETS_OUT, packets);
    port.counters().add(PortCounter.BYTES_OUT, bytes);
    packets = 0;
    bytes = 0;
    if (state != State.OPEN) {
      return;
    }
    try {
      if (writer.takeSleeping()) {
        ring();
      }
    } catch (InternalError e) {
      port.mappingFault(this);
    }
  }

  private void ring() {
    LocalSocket bell = socket;
    if (bell == null) {
      return;
    }
    port.counters().increment(PortCounter.DOORBELLS);
    port.counters().increment(PortCounter.SEND_CALLS);
    // a full socket buffer holds rings enough to wake the peer
    if (bell.write(DOORBELL, 0, 1) == LocalSocket.GONE) {
      peerGone();
    }
  }

  /** One packet outside of any rail; dropped if it does not fit now. */
  boolean reply(MemorySegment packet, long offset, int length) {
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
      port.mappingFault(this);
      return false;
    }
    commit(length, SegmentLayout.KIND_REPLY);
    flush();
    return true;
  }

  private void offerProbe() {
    PeerMemory peerMemory = port.peerMemory();
    if (peerMemory != null) {
      try {
        peerMemory.offerProbe(memory, direction);
      } catch (InternalError e) {
        port.mappingFault(this);
      }
    }
  }

  /** Finds out whether the peer's memory can be read. */
  private void tryProbe() {
    PeerMemory peerMemory = port.peerMemory();
    LocalSocket bell = socket;
    if (peerMemory == null || bell == null || (stores != null && !port.pullsAlways())) {
      return; // what this side can stream, the peer on the same machine can
    }
    int process = bell.peerProcess();
    try {
      if (peerMemory.canRead(memory, 1 - direction, process)) {
        pulledProcess = process;
        port.pullingChanged(1);
      }
    } catch (InternalError e) {
      port.mappingFault(this);
    }
  }

  private void pullNoMore() {
    if (pulledProcess != 0) {
      pulledProcess = 0;
      port.pullingChanged(-1);
    }
  }

  /** Not once the peer is gone: another process may have its id by then. */
  @Override
  public boolean pulls() {
    return pulledProcess != 0;
  }

  @Override
  public boolean pull(long address, MemorySegment destination, long offset, long length) {
    PeerMemory peerMemory = port.peerMemory();
    if (peerMemory == null || pulledProcess == 0) {
      return false;
    }
    if (!peerMemory.read(pulledProcess, address, destination, offset, length)) {
      port.counters().increment(PortCounter.PULL_FAILURES);
      pullNoMore();
      return false;
    }
    port.counters().increment(PortCounter.PULLS);
    port.counters().add(PortCounter.PULLED_BYTES, length);
    pulledBytes += length;
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
      port.mappingFault(this);
      return writer.lastConsumed();
    }
  }

  @Override
  public boolean isOpen() {
    return !reported && state != State.CLOSED;
  }

  @Override
  public void close() {
    if (state != State.CLOSED) {
      state = State.CLOSED;
      writer.abort();
      closeSocket(); // the peer sees its end at once
      if (segment.sealed()) {
        port.sealedChanged(-1);
      }
      port.closed();
    }
  }

  // ---- for the port ----

  State state() {
    return state;
  }

  String reason() {
    return reason;
  }

  LinkEvent event() {
    return event;
  }

  boolean isReleased() {
    return state == State.CLOSED;
  }

  @Override
  public boolean hasEnough() {
    return state == State.CLOSED || reader.bytes() + pulledBytes - turnEnd >= 0;
  }

  boolean known() {
    return known;
  }

  void becomeKnown() {
    known = true;
  }

  /** True once, when the failure has to be told. */
  boolean takeReport() {
    if (state != State.FAILED || reported) {
      return false;
    }
    reported = true;
    return true;
  }

  Segment segment() {
    return segment;
  }

  @Override
  public void onPacket(long offset, int length) {
    port.handler().onPacket(port, memory, offset, length, key);
  }

  /** Hands up packets. */
  int poll(int limit) {
    if (state != State.OPEN && state != State.DRAINING) {
      return 0;
    }
    turnEnd = reader.bytes() + pulledBytes + TURN_BYTES;
    int handled = reader.poll(this, limit);
    if (reader.violated()) {
      port.counters().increment(PortCounter.DROPPED_IN);
      fail("the peer published a record that cannot be");
    } else if (state == State.DRAINING
        && (!reader.ready() || reader.position() - drainLimit >= 0)) {
      fail(reason);
    }
    return handled;
  }

  /** Bytes handed up since the beginning. */
  long bytesIn() {
    return reader.bytes();
  }

  /** Packets handed up since the beginning, replies included. */
  long packetsIn() {
    return reader.packets();
  }

  boolean packetWaits() {
    return (state == State.OPEN || state == State.DRAINING) && reader.ready();
  }

  void raiseSleeping() {
    if (state == State.OPEN) {
      reader.raiseSleeping();
    }
  }

  void lowerSleeping() {
    if (state == State.OPEN) {
      reader.lowerSleeping();
    }
  }

  /**
   * Looks whether the socket is still the one that was made: its number may have been given to
   * another.
   */
  void checkSocket() {
    LocalSocket bell = socket;
    if (bell != null && !bell.intact()) {
      peerGone();
    }
  }

  /** Whether housekeeping has to look at the socket. */
  boolean socketReady() {
    LocalSocket bell = socket;
    return bell != null && bell.ready();
  }

  /** Takes what came over the socket: the answer, rings, the end of file. Bounded. */
  void readSocket(byte[] scratch) {
    for (int i = 0; i < MAX_READS; i++) {
      LocalSocket bell = socket;
      if (bell == null) {
        return;
      }
      port.counters().increment(PortCounter.RECEIVE_CALLS);
      int n = bell.read(scratch, 0, scratch.length);
      if (n == LocalSocket.GONE) {
        peerGone();
        return;
      }
      if (n > 0 && state == State.CONNECTING) {
        answered(scratch, n);
      }
      if (n < scratch.length) {
        bell.ready(false);
        return;
      }
    }
  }

  private void answered(byte[] answer, int length) {
    if (answer[0] == Offer.ACCEPTED) {
      state = State.OPEN;
      segment.mappedByBoth();
      tryProbe();
    } else {
      event = LinkEvent.REFUSED;
      String text = new String(answer, 1, length - 1, StandardCharsets.US_ASCII);
      fail("the peer refused the segment: " + text.replaceAll("[^ -~]", "?"));
    }
  }

  /**
   * Sends what is left of the offer or the answer, connecting first where that was not possible
   * yet.
   */
  void send() {
    if (!hasUnsent()) {
      return;
    }
    if (socket == null && peerSocket != null) {
      try {
        socket = port.sockets().connect(peerSocket);
      } catch (IOException e) {
        event = LinkEvent.REFUSED;
        fail("the peer's socket cannot be connected: " + Reasons.of(e));
      }
    }
    LocalSocket out = socket;
    if (out == null) {
      return;
    }
    int n =
        sent == 0 && segment.descriptor() >= 0
            ? out.write(unsent, 0, unsent.length, segment.descriptor())
            : out.write(unsent, sent, unsent.length - sent);
    if (n == LocalSocket.GONE) {
      peerGone();
    } else if (n > 0) {
      sent += n;
    }
  }

  /** Whether {@link #send()} has something left to do. */
  boolean hasUnsent() {
    return sent < unsent.length && state != State.FAILED && state != State.CLOSED;
  }

  /**
   * Milliseconds without a packet, as far as housekeeping has looked; for rails that the core has
   * not accepted.
   */
  long idleNs(long nowNs) {
    if (idlePosition != reader.position()) {
      idlePosition = reader.position();
      idleSinceNs = nowNs;
    }
    return nowNs - idleSinceNs;
  }

  /** The other side closed, crashed, or took our socket away. */
  void peerGone() {
    if (state == State.CONNECTING) {
      event = LinkEvent.REFUSED;
      fail("the peer closed the socket before it accepted the segment");
    } else if (state == State.OPEN) {
      drain("the peer closed the rail or is gone");
    }
  }

  /** Hands up what is there, then fails. */
  void drain(String why) {
    if (state == State.OPEN) {
      state = State.DRAINING;
      reason = why;
      drainLimit = reader.position() + segment.ringBytes();
      writer.abort();
      closeSocket();
      port.eventsPending();
    } else {
      fail(why);
    }
  }

  /** Ends the rail; the event follows in the next poll. */
  void fail(String why) {
    if (state != State.FAILED && state != State.CLOSED) {
      state = State.FAILED;
      reason = why;
      writer.abort();
      closeSocket();
      port.eventsPending();
    }
  }

  private void closeSocket() {
    pullNoMore();
    LocalSocket bell = socket;
    if (bell != null) {
      socket = null;
      bell.close();
    }
  }

  @Override
  public String toString() {
    return "shm rail "
        + key
        + " to "
        + remote
        + ": "
        + state
        + (reason.isEmpty() ? "" : ", " + reason);
  }
}

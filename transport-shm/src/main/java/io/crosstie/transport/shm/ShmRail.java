// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.shm;

import io.crosstie.transport.LinkEvent;
import io.crosstie.transport.PortCounter;
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
 * <p>The engine's thread only.
 */
final class ShmRail extends RingRail {
  private static final int MAX_READS = 4;

  private static final byte[] DOORBELL = {Offer.DOORBELL};

  private final ShmPort port;
  private final RailAddress remote;
  private final long key;
  private final Segment segment;
  private final MemorySegment memory;

  /** Where to connect; null for a peer's segment. */
  private final @Nullable Path peerSocket;

  /** The one that this side produces. */
  private final int direction;

  private @Nullable LocalSocket socket;

  /** The process whose memory may be read, 0 if there is none. */
  private int pulledProcess;

  private LinkEvent event = LinkEvent.CLOSED;

  /** What is left to be said over the socket. */
  private byte[] unsent = {};

  private int sent;

  private ShmRail(
      ShmPort port,
      RailAddress remote,
      long key,
      Segment segment,
      @Nullable LocalSocket socket,
      @Nullable Path peerSocket) {
    super(
        segment.memory(),
        segment.ringBytes(),
        peerSocket != null,
        port.counters(),
        segment.sealed() ? port.accelerator() : null,
        System::nanoTime);
    this.port = port;
    this.remote = remote;
    this.key = key;
    this.segment = segment;
    this.memory = segment.memory();
    this.socket = socket;
    this.peerSocket = peerSocket;
    boolean initiator = peerSocket != null;
    this.direction = initiator ? 0 : 1;
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
  protected void faulted() {
    port.mappingFault(this);
  }

  @Override
  public boolean canFault() {
    return !segment.sealed();
  }

  @Override
  protected void pollAnswer() {
    readSocket(port.scratch()); // it may be there
  }

  @Override
  protected void ending() {
    closeSocket();
    port.eventsPending();
  }

  @Override
  protected void wakePeer() {
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
    if (peerMemory == null || bell == null || (streams() && !port.pullsAlways())) {
      return; // what this side can stream, the peer on the same machine can
    }
    int process = bell.peerProcess();
    if (canRead(peerMemory, process)) {
      pulledProcess = process;
      pullFromNowOn();
    }
  }

  private boolean canRead(PeerMemory peerMemory, int process) {
    try {
      return peerMemory.canRead(memory, 1 - direction, process);
    } catch (InternalError e) {
      port.mappingFault(this);
      return false;
    }
  }

  @Override
  protected boolean readPeer(long address, MemorySegment destination, long offset, long length) {
    PeerMemory peerMemory = port.peerMemory();
    return peerMemory != null
        && peerMemory.read(pulledProcess, address, destination, offset, length);
  }

  @Override
  protected boolean canReadPeer() {
    PeerMemory peerMemory = port.peerMemory();
    return peerMemory != null && canRead(peerMemory, pulledProcess);
  }

  @Override
  public void close() {
    if (closed()) {
      closeSocket(); // the peer sees its end at once
      if (segment.sealed()) {
        port.sealedChanged(-1);
      }
      port.closed();
    }
  }

  // ---- for the port ----

  LinkEvent event() {
    return event;
  }

  boolean isReleased() {
    return state() == State.CLOSED;
  }

  Segment segment() {
    return segment;
  }

  @Override
  public void onPacket(long offset, int length) {
    port.handler().onPacket(port, memory, offset, length, key);
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
      if (n > 0 && state() == State.CONNECTING) {
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
      open();
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
    return sent < unsent.length && state() != State.FAILED && state() != State.CLOSED;
  }

  /** The other side closed, crashed, or took our socket away. */
  void peerGone() {
    if (state() == State.CONNECTING) {
      event = LinkEvent.REFUSED;
      fail("the peer closed the socket before it accepted the segment");
    } else if (state() == State.OPEN) {
      drain("the peer closed the rail or is gone");
    }
  }

  private void closeSocket() {
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
        + state()
        + (reason().isEmpty() ? "" : ", " + reason());
  }
}

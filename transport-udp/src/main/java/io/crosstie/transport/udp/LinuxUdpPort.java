// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.udp;

import io.crosstie.transport.Counters;
import io.crosstie.transport.LinkEvent;
import io.crosstie.transport.Poller;
import io.crosstie.transport.PortContext;
import io.crosstie.transport.PortCounter;
import io.crosstie.transport.PortHandler;
import io.crosstie.transport.Rail;
import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailAttributes;
import io.crosstie.transport.RailException;
import io.crosstie.transport.RailPort;
import io.crosstie.transport.linux.Errno;
import io.crosstie.transport.linux.Libc;
import io.crosstie.transport.linux.SocketAbi;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A UDP port on Linux system calls: one unconnected socket, one transmit batch and one receive ring
 * for all peers.
 *
 * <p>States: open; <em>failed</em>, when the descriptor turned out not to be our socket any more
 * ({@link LinkEvent#CLOSED} was told, nothing is sent or received, the descriptor's number is left
 * alone); closed.
 */
final class LinuxUdpPort
    implements RailPort, Transmitter.Owner, Receiver.Owner, ErrorQueue.Listener {
  /**
   * Most rails open at a time, so that forged source addresses cannot grow the heap for ever (R24).
   */
  static final int MAX_RAILS = 1 << 16;

  /** How often the descriptor is checked to be still ours, in nanoseconds of the engine's clock. */
  private static final long CHECK_INTERVAL_NS = 1_000_000_000L;

  private static final int NO_DESCRIPTOR = -1;

  private final UdpConfig config;
  private final long seed;
  private final Libc libc;
  private final Arena arena = Arena.ofShared();
  private final LinuxSocket socket;
  private final Counters<PortCounter> counters = new Counters<>(PortCounter.class);
  private final LinkEvents events;
  private final ErrorQueue errorQueue;
  private final TransmitBatch batch;
  private final Transmitter transmitter;
  private final ReceiveRing ring;
  private final Receiver receiver;
  private final ReplyBuffer replyBuffer;
  private final UdpLink link;
  private final Map<Long, LinuxUdpRail> railsByKey = new HashMap<>();
  private int openRails;
  private boolean receiveOffload;
  private RailAttributes attributes;
  private @Nullable Poller poller;
  private int writableFd = NO_DESCRIPTOR;
  private boolean failed;
  private boolean closed;
  private long nextCheckNs;
  private boolean checked;

  /** The open claim: its rail, where it lies and how long it may become. */
  private @Nullable LinuxUdpRail claimant;

  private int claimedLength;

  LinuxUdpPort(UdpConfig config, PortContext context, PortHandler handler, Libc libc)
      throws RailException {
    this.config = config;
    this.libc = libc;
    seed = context.seed();
    OffloadProbe.Result offloads = OffloadProbe.run(libc, config);
    socket = LinuxSocket.open(libc, config);
    link = UdpLink.of(config, socket.bound());
    events = new LinkEvents(this, handler, counters);
    errorQueue = new ErrorQueue(arena, libc, socket.fd(), seed);
    batch = new TransmitBatch(arena, socket.family(), link.maxUdpPayload());
    batch.setSegmentation(offloads.gso());
    transmitter = new Transmitter(libc, socket, batch, counters, this);
    ring = new ReceiveRing(arena, libc, socket.fd(), socket.family());
    receiver = new Receiver(this, ring, handler, this, counters, seed);
    replyBuffer = new ReplyBuffer(arena, socket.family());
    receiveOffload =
        offloads.gro() && libc.setOption(socket.fd(), SocketAbi.SOL_UDP, SocketAbi.UDP_GRO, 1) == 0;
    attributes = describe();
    counters.set(PortCounter.RECEIVE_BUFFER_ASKED, config.receiveBufferBytes());
    counters.set(PortCounter.RECEIVE_BUFFER_GOT, socket.receiveBufferBytes());
    counters.set(PortCounter.SEND_BUFFER_ASKED, config.sendBufferBytes());
    counters.set(PortCounter.SEND_BUFFER_GOT, socket.sendBufferBytes());
    counters.set(PortCounter.GSO_ACTIVE, offloads.gso() ? 1 : 0);
    counters.set(PortCounter.GRO_ACTIVE, receiveOffload ? 1 : 0);
  }

  private RailAttributes describe() {
    String kind =
        "udp/linux" + (batch.segmentation() ? "+gso" : "") + (receiveOffload ? "+gro" : "");
    return link.attributes(kind, socket.receiveBufferBytes());
  }

  // ---- what the port is

  @Override
  public RailAttributes attributes() {
    return attributes;
  }

  @Override
  public RailAddress localAddress() {
    return link.localAddress();
  }

  @Override
  public Counters<PortCounter> counters() {
    return counters;
  }

  @Override
  public boolean isOpen() {
    return !failed && !closed;
  }

  int maxPacketLength() {
    return link.maxPacketLength();
  }

  // ---- rails

  @Override
  public @Nullable String whyUnreachable(RailAddress remote) {
    return link.whyUnreachable(remote);
  }

  @Override
  public Rail connect(RailAddress remote) throws RailException {
    return open(SockAddr.of(link.resolve(remote)));
  }

  @Override
  public Rail accept() throws RailException {
    return open(SockAddr.read(ring.names(), currentName()));
  }

  private Rail open(SockAddr address) throws RailException {
    if (!isOpen()) {
      throw new RailException(
          "rail \"" + config.uri() + "\" is closed; open it again before connecting");
    }
    if (openRails >= MAX_RAILS) {
      throw new RailException(
          "rail \""
              + config.uri()
              + "\" leads to "
              + MAX_RAILS
              + " peers already, which is its bound; close some first");
    }
    InetSocketAddress inet = address.toInet();
    long key = SourceKeys.of(inet, seed);
    LinuxUdpRail rail =
        new LinuxUdpRail(this, new RailAddress(UdpAddress.text(inet)), key, address);
    openRails++;
    railsByKey.put(key, rail);
    return rail;
  }

  void onRailClosed(LinuxUdpRail rail) {
    openRails--;
    railsByKey.remove(rail.remoteKey(), rail);
    if (claimant == rail) {
      claimant = null;
    }
  }

  // ---- sending

  long claim(LinuxUdpRail rail, int length) {
    if (length < 1 || length > link.maxPacketLength()) {
      throw new IllegalArgumentException(
          "a packet has 1 to " + link.maxPacketLength() + " bytes, not " + length);
    }
    if (claimant != null) {
      throw new IllegalStateException(
          "the last claim on this port is neither committed nor aborted");
    }
    if (!rail.isOpen()) {
      return Rail.CLOSED;
    }
    if (!transmitter.isBlocked() && !batch.hasRoom(length)) {
      transmitter.flush();
      events.deliver();
      if (!rail.isOpen()) {
        return Rail.CLOSED;
      }
    }
    if (transmitter.isBlocked() || !batch.hasRoom(length)) {
      counters.increment(PortCounter.CLAIMS_REFUSED);
      return Rail.WOULD_BLOCK;
    }
    claimant = rail;
    claimedLength = length;
    return batch.tail();
  }

  MemorySegment txMemory() {
    return batch.memory();
  }

  void commit(LinuxUdpRail rail, SockAddr address, int length) {
    if (claimant != rail) {
      if (!rail.isOpen()) {
        return; // closed while it was being written: the packet is lost, as packets may be
      }
      throw new IllegalStateException("there is no open claim on " + rail);
    }
    if (length < 1 || length > claimedLength) {
      throw new IllegalArgumentException(
          "1 to " + claimedLength + " bytes were claimed, not " + length);
    }
    claimant = null;
    batch.add(rail, address, length);
  }

  void abort(LinuxUdpRail rail) {
    if (claimant == rail) {
      claimant = null;
    }
  }

  void flush() {
    if (isOpen() && claimant == null) {
      transmitter.flush();
      events.deliver();
    }
  }

  @Override
  public void reply(MemorySegment packet, long offset, int length) {
    long name = currentName();
    if (failed) {
      counters.increment(PortCounter.DROPPED_OUT);
      return; // the descriptor's number may be somebody else's by now
    }
    replyBuffer.fill(packet, offset, length, ring.names(), name);
    counters.increment(PortCounter.SEND_CALLS);
    long result =
        libc.sendmsg(
            socket.fd(), replyBuffer.header(), SocketAbi.MSG_DONTWAIT | SocketAbi.MSG_NOSIGNAL);
    if (result >= 0) {
      counters.increment(PortCounter.PACKETS_OUT);
      counters.add(PortCounter.BYTES_OUT, length);
    } else {
      counters.increment(PortCounter.DROPPED_OUT);
    }
  }

  // ---- receiving

  @Override
  public int poll(long nowNs, int limit) {
    if (receiver.currentMessage() >= 0) {
      throw new IllegalStateException("poll was called from within the handler");
    }
    if (!isOpen()) {
      events.deliver();
      return 0;
    }
    check(nowNs);
    if (transmitter.isBlocked()) {
      transmitter.flush();
    }
    int packets = isOpen() ? receiver.receive(limit) : 0;
    events.deliver();
    return packets;
  }

  /**
   * A descriptor that somebody closed or replaced is noticed even when nothing is sent and nothing
   * arrives.
   */
  private void check(long nowNs) {
    if (!checked || nowNs - nextCheckNs >= 0) {
      checked = true;
      nextCheckNs = nowNs + CHECK_INTERVAL_NS;
      int errno = socket.whyLost();
      if (errno != 0) {
        onSocketLost(errno);
      }
    }
  }

  /**
   * A receive call failed for another reason than that there was nothing. Returns whether to try
   * again.
   */
  @Override
  public boolean onReceiveError(int errno) {
    if (errno == Errno.EINTR || drainErrors() > 0) {
      return true;
    }
    int lost = UdpErrors.event(errno) == LinkEvent.CLOSED ? errno : socket.whyLost();
    if (lost != 0) {
      onSocketLost(lost);
      return false;
    }
    events.add(null, errno);
    return true;
  }

  @Override
  public boolean isClosed() {
    return closed;
  }

  /** Where in the ring's names the sender of the packet being handled lies. */
  private long currentName() {
    int message = receiver.currentMessage();
    if (message < 0 || closed) {
      throw new IllegalStateException("only inside onPacket");
    }
    return ReceiveRing.nameOffset(message);
  }

  @Override
  public RailAddress sourceAddress() {
    return new RailAddress(UdpAddress.text(SockAddr.read(ring.names(), currentName()).toInet()));
  }

  // ---- errors

  @Override
  public int drainErrors() {
    return errorQueue.drain(this);
  }

  @Override
  public void onError(long peerKey, int errno) {
    LinuxUdpRail rail = railsByKey.get(peerKey);
    if (rail != null) { // else an answer to a stateless reply, or a rail closed since
      events.add(rail, errno);
    }
  }

  @Override
  public void onSendError(@Nullable Rail rail, int errno) {
    events.add(rail, errno);
  }

  @Override
  public void onSegmentationLost() {
    counters.increment(PortCounter.OFFLOAD_FALLBACKS);
    counters.set(PortCounter.GSO_ACTIVE, 0);
    attributes = describe();
  }

  @Override
  public void onSocketLost(int errno) {
    if (isOpen()) {
      failed = true;
      transmitter.dropAll();
      claimant = null;
      stopWaiting();
      events.add(null, LinkEvent.CLOSED, errno);
    }
  }

  // ---- waiting

  @Override
  public boolean attach(Poller poller) {
    if (!poller.watchesDescriptors()) {
      return false;
    }
    this.poller = poller;
    if (isOpen()) {
      poller.watch(socket.fd());
    }
    return true;
  }

  @Override
  public boolean prepareToBlock() {
    if (!isOpen()) {
      return true;
    }
    if (!batch.isEmpty() && claimant == null) {
      transmitter.flush();
    }
    // an error that is queued keeps the socket ready without end, unless somebody takes it
    int unused = drainErrors();
    if (transmitter.isBlocked() && poller != null) {
      int fd = libc.epollFor(socket.fd(), SocketAbi.POLLOUT);
      if (fd >= 0) {
        writableFd = fd;
        poller.watch(fd);
      }
    }
    events.deliver();
    return true;
  }

  @Override
  public void afterBlock() {
    receiver.expectReason();
    if (writableFd != NO_DESCRIPTOR) {
      if (poller != null) {
        poller.unwatch(writableFd);
      }
      int unused = libc.close(writableFd);
      writableFd = NO_DESCRIPTOR;
    }
  }

  private void stopWaiting() {
    afterBlock();
    if (poller != null) {
      poller.unwatch(socket.fd());
    }
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    if (!failed) {
      stopWaiting();
      transmitter.dropAll();
      socket.close();
    }
    closed = true;
    claimant = null;
    railsByKey.clear();
    arena.close();
  }

  @Override
  public String toString() {
    return localAddress().text();
  }
}

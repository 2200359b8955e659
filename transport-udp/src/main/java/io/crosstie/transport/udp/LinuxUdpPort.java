// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.udp;

import io.crosstie.transport.Counters;
import io.crosstie.transport.LinkEvent;
import io.crosstie.transport.Poller;
import io.crosstie.transport.PortClaim;
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
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * A UDP port on Linux system calls: one socket for all peers, sockets of their own for some of them
 * (see {@link SocketQueue}), and one receive ring.
 *
 * <p>States: open; <em>failed</em>, when the descriptor turned out not to be our socket any more
 * ({@link LinkEvent#CLOSED} was told, nothing is sent or received, the descriptor's number is left
 * alone); closed.
 */
final class LinuxUdpPort implements RailPort, ErrorQueue.Listener {
  /**
   * Most rails open at a time, so that forged source addresses cannot grow the heap for ever (R24).
   */
  static final int MAX_RAILS = 1 << 16;

  /** How often the descriptor is checked to be still ours, in nanoseconds of the engine's clock. */
  private static final long CHECK_INTERVAL_NS = 1_000_000_000L;

  /** How often it is asked what the kernel has to tell of the interface. */
  private static final long LINK_INTERVAL_NS = 1_000_000L;

  /** Most rails with a socket of their own. */
  private static final int MAX_OWN_LANES = 8;

  /**
   * How often at most it is tried to give a rail a socket of its own, between two looks whether the
   * descriptors are ours: where that fails it does for each of thousands of rails.
   */
  private static final int MAX_LANE_TRIES = 8;

  /** Beside sockets that are busy, one that is not is looked at in every so many polls. */
  private static final int COLD_INTERVAL = 16;

  private final UdpConfig config;
  private final long seed;
  private final Libc libc;
  private final Arena arena = Arena.ofShared();
  private final PortHandler handler;
  private final LinuxSocket socket;
  private final Counters<PortCounter> counters = new Counters<>(PortCounter.class);
  private final LinkEvents events;
  private final ReceiveRing ring;

  /** For everybody. */
  private final SocketQueue common;

  /** The common one, then those of single rails. */
  private final List<SocketQueue> queues = new ArrayList<>();

  /** Of all queues, for whoever has to sever them. */
  private final List<LinuxSocket> sockets = new CopyOnWriteArrayList<>();

  private volatile boolean severed;

  /** The queue that a packet is being handed up from. */
  private @Nullable SocketQueue receiving;

  private int turn;
  private int nextIdle;
  private final ReplyBuffer replyBuffer;
  private final UdpLink link;
  private final Map<Long, LinuxUdpRail> railsByKey = new HashMap<>();
  private int openRails;
  private boolean segmentation;
  private boolean receiveOffload;
  private RailAttributes attributes;
  private @Nullable Poller poller;
  private boolean failed;
  private boolean closed;
  private @Nullable LinkWatch linkWatch;
  private long nextLinkCheckNs;

  /** A wait for all sockets has just ended without any being ready. */
  private boolean quiet;

  private long nextCheckNs;
  private boolean checked;
  private int queueTries = MAX_LANE_TRIES;

  private final PortClaim claim = new PortClaim();

  LinuxUdpPort(
      UdpConfig config,
      PortContext context,
      PortHandler handler,
      Libc libc,
      OffloadProbe.Result offloads)
      throws RailException {
    this.config = config;
    this.handler = handler;
    this.libc = libc;
    seed = context.seed();
    socket = LinuxSocket.open(libc, config);
    link = UdpLink.of(config, socket.bound());
    linkWatch = LinkWatch.of(libc, socket.bound().getAddress());
    events = new LinkEvents(this, handler, counters);
    ring = new ReceiveRing(arena, libc, socket.family(), socket.isWildcard());
    replyBuffer = new ReplyBuffer(arena, socket.family());
    segmentation = offloads.gso();
    receiveOffload = offloads.gro();
    receiveOffload &= setReceiveOffload(socket, true);
    common = queue(socket, null);
    queues.add(common);
    sockets.add(socket);
    attributes = describe();
    counters.set(PortCounter.RECEIVE_BUFFER_ASKED, config.receiveBufferBytes());
    counters.set(PortCounter.RECEIVE_BUFFER_GOT, socket.receiveBufferBytes());
    counters.set(PortCounter.SEND_BUFFER_ASKED, config.sendBufferBytes());
    counters.set(PortCounter.SEND_BUFFER_GOT, socket.sendBufferBytes());
    counters.set(PortCounter.GSO_ACTIVE, offloads.gso() ? 1 : 0);
    counters.set(PortCounter.GRO_ACTIVE, receiveOffload ? 1 : 0);
  }

  /** Switches a socket's receive offload, if this port has any; false if that does not work. */
  boolean setReceiveOffload(LinuxSocket of, boolean on) {
    return !receiveOffload
        || libc.setOption(of.fd(), SocketAbi.SOL_UDP, SocketAbi.UDP_GRO, on ? 1 : 0) == 0;
  }

  private SocketQueue queue(LinuxSocket of, @Nullable LinuxUdpRail peer) {
    SocketQueue queue =
        new SocketQueue(this, libc, of, peer, ring, handler, counters, link.maxUdpPayload(), seed);
    queue.batch().setSegmentation(segmentation);
    return queue;
  }

  private RailAttributes describe() {
    String kind = "udp/linux" + (segmentation ? "+gso" : "") + (receiveOffload ? "+gro" : "");
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

  boolean isOpen() {
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
    return open(SockAddr.of(link.resolve(remote)), null);
  }

  @Override
  public Rail connect(RailAddress remote, RailAddress local) throws RailException {
    InetAddress from = UdpAddress.literal(UdpAddress.parse(local).host());
    return open(
        SockAddr.of(link.resolve(remote)),
        from == null || !socket.isWildcard() ? null : PacketInfo.of(from));
  }

  @Override
  public Rail accept() throws RailException {
    return open(SockAddr.read(ring.names(), currentName()), currentDestination());
  }

  private Rail open(SockAddr address, @Nullable PacketInfo local) throws RailException {
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
        new LinuxUdpRail(this, new RailAddress(UdpAddress.text(inet)), key, address, local, common);
    openRails++;
    railsByKey.put(key, rail);
    openQueue(rail);
    return rail;
  }

  /** Gives a rail a socket of its own, if there is one to be had. */
  private void openQueue(LinuxUdpRail rail) {
    if (queueTries == 0 || queues.size() > MAX_OWN_LANES || rail.queue() != common) {
      return;
    }
    queueTries--;
    LinuxSocket own = LinuxSocket.connect(libc, config, socket, rail.address(), rail.local());
    if (own == null) {
      return;
    }
    if (!setReceiveOffload(own, true)) {
      own.close();
      return;
    }
    SocketQueue queue = queue(own, rail);
    queues.add(queue);
    sockets.add(own);
    if (severed) {
      own.sever(); // meanwhile
    }
    rail.setQueue(queue);
    if (poller != null) {
      poller.watch(own.fd());
    }
  }

  /** What a rail's own socket cannot do the common one may, after the host's addresses changed. */
  private void closeQueue(LinuxUdpRail rail) {
    SocketQueue queue = rail.queue();
    if (queue == common) {
      return;
    }
    rail.setQueue(common);
    claim.abort(rail);
    queues.remove(queue);
    sockets.remove(queue.socket());
    if (!failed) {
      queue.stopWaiting(poller);
      queue.close();
    }
  }

  void onRailClosed(LinuxUdpRail rail) {
    openRails--;
    railsByKey.remove(rail.remoteKey(), rail);
    closeQueue(rail);
    claim.abort(rail);
  }

  // ---- sending

  long claim(LinuxUdpRail rail, int length) {
    claim.check(length, link.maxPacketLength());
    if (!rail.isOpen()) {
      return Rail.CLOSED;
    }
    SocketQueue queue = rail.queue();
    if (!queue.transmitter().isBlocked() && !queue.batch().hasRoom(length)) {
      transmit(queue);
      events.deliver();
      if (!rail.isOpen()) {
        return Rail.CLOSED;
      }
      queue = rail.queue();
    }
    if (queue.transmitter().isBlocked() || !queue.batch().hasRoom(length)) {
      counters.increment(PortCounter.CLAIMS_REFUSED);
      return Rail.WOULD_BLOCK;
    }
    claim.open(rail, length);
    return queue.batch().tail();
  }

  void commit(LinuxUdpRail rail, int length) {
    if (claim.commit(rail, length)) {
      rail.queue().batch().add(rail, rail.address(), rail.local(), length);
    }
  }

  void abort(LinuxUdpRail rail) {
    claim.abort(rail);
  }

  void flush(SocketQueue queue) {
    if (isOpen() && !claim.isOpen()) {
      transmit(queue);
      events.deliver();
    }
  }

  private void transmit(SocketQueue queue) {
    LinkWatch watch = linkWatch;
    if (watch != null && watch.isSettling()) {
      queue.transmitter().dropAll();
    } else {
      queue.transmitter().flush();
    }
  }

  @Override
  public void reply(MemorySegment packet, long offset, int length) {
    long name = currentName();
    if (failed) {
      counters.increment(PortCounter.DROPPED_OUT);
      return; // the descriptor's number may be somebody else's by now
    }
    replyBuffer.fill(packet, offset, length, ring.names(), name, currentDestination());
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
    if (receiving != null) {
      throw new IllegalStateException("poll was called from within the handler");
    }
    if (!isOpen()) {
      events.deliver();
      return 0;
    }
    check(nowNs);
    if (quiet) {
      quiet = false;
      events.deliver();
      return 0;
    }
    checkLink(nowNs);
    int packets = 0;
    boolean anyWarm = false;
    for (int i = 0; i < queues.size() && isOpen(); i++) {
      SocketQueue queue = queues.get(i);
      if (queue.transmitter().isBlocked()) {
        transmit(queue);
      }
      if (queue.isActive() && isOpen()) {
        anyWarm = true;
        packets += receive(queue, limit);
      }
    }
    if ((!anyWarm || ++turn % COLD_INTERVAL == 0) && isOpen()) {
      packets += receiveIdle(limit);
    }
    events.deliver();
    return packets;
  }

  private void checkLink(long nowNs) {
    LinkWatch watch = linkWatch;
    if (watch == null || nowNs - nextLinkCheckNs < 0) {
      return;
    }
    nextLinkCheckNs = nowNs + LINK_INTERVAL_NS;
    if (watch.check()) {
      for (LinuxUdpRail rail : railsByKey.values()) {
        events.add(rail, Errno.ENETDOWN);
      }
    }
  }

  private int receive(SocketQueue queue, int limit) {
    receiving = queue;
    try {
      return queue.receive(limit);
    } finally {
      receiving = null;
    }
  }

  /** Looks at the next of the queues where nothing arrived for a while. */
  private int receiveIdle(int limit) {
    for (int i = 0; i < queues.size(); i++) {
      nextIdle = nextIdle + 1 < queues.size() ? nextIdle + 1 : 0;
      SocketQueue queue = queues.get(nextIdle);
      if (!queue.isActive()) {
        return receive(queue, limit);
      }
    }
    return 0;
  }

  /**
   * A descriptor that somebody closed or replaced is noticed even when nothing is sent and nothing
   * arrives.
   */
  private void check(long nowNs) {
    if (!checked || nowNs - nextCheckNs >= 0) {
      checked = true;
      nextCheckNs = nowNs + CHECK_INTERVAL_NS;
      for (int i = 0; i < queues.size() && isOpen(); i++) {
        int errno = queues.get(i).socket().whyLost();
        if (errno != 0) {
          onSocketLost(errno);
        }
      }
      LinkWatch watch = linkWatch;
      if (watch != null && !watch.isOurs()) {
        watch.close();
        linkWatch = null;
      }
      queueTries = MAX_LANE_TRIES;
      if (isOpen() && queues.size() <= Math.min(MAX_OWN_LANES, openRails)) {
        for (LinuxUdpRail rail : railsByKey.values()) {
          openQueue(rail);
          if (queueTries == 0) {
            break;
          }
        }
      }
    }
  }

  /** Whether the port was closed, so that its memory is gone. */
  boolean isReleased() {
    return closed;
  }

  /** Where in the ring's names the sender of the packet being handled lies. */
  private long currentName() {
    int message = receiving == null ? -1 : receiving.currentMessage();
    if (message < 0 || closed) {
      throw new IllegalStateException("only inside onPacket");
    }
    return ReceiveRing.nameOffset(message);
  }

  /**
   * To which of this host's addresses the packet being handled came, if this port has them all: the
   * sender expects the answer from there. Else null.
   */
  private @Nullable PacketInfo currentDestination() {
    SocketQueue queue = receiving;
    if (queue == null || !socket.isWildcard()) {
      return null;
    }
    LinuxUdpRail peer = queue.peer();
    return peer == null ? ring.destination(queue.currentMessage()) : peer.local();
  }

  @Override
  public RailAddress sourceAddress() {
    return new RailAddress(UdpAddress.text(SockAddr.read(ring.names(), currentName()).toInet()));
  }

  @Override
  public @Nullable RailAddress destinationAddress() {
    PacketInfo local = currentDestination();
    return local == null ? null : local.railAddress();
  }

  // ---- errors

  @Override
  public void onError(long peerKey, int errno) {
    LinuxUdpRail rail = railsByKey.get(peerKey);
    if (rail != null) { // else an answer to a stateless reply, or a rail closed since
      events.add(rail, errno);
    }
  }

  /** A call on a queue's socket failed. */
  void onLinkError(SocketQueue queue, @Nullable Rail rail, int errno) {
    LinuxUdpRail own = queue.peer();
    LinkEvent event = UdpErrors.event(errno);
    if (own != null && (event == LinkEvent.UNREACHABLE || event == LinkEvent.OTHER)) {
      closeQueue(own);
    }
    events.add(rail, errno);
  }

  /** Segmentation offload was given up. */
  void onSegmentationLost() {
    segmentation = false;
    for (SocketQueue queue : queues) {
      queue.batch().setSegmentation(false);
    }
    counters.increment(PortCounter.OFFLOAD_FALLBACKS);
    counters.set(PortCounter.GSO_ACTIVE, 0);
    attributes = describe();
  }

  /** The descriptor of a queue is not our socket any more. */
  void onSocketLost(int errno) {
    if (isOpen()) {
      stopWaiting();
      failed = true;
      claim.drop();
      for (SocketQueue queue : queues) {
        queue.close();
      }
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
      for (SocketQueue queue : queues) {
        poller.watch(queue.socket().fd());
      }
      if (linkWatch != null) {
        poller.watch(linkWatch.fd());
      }
    }
    return true;
  }

  @Override
  public boolean prepareToBlock() {
    if (!isOpen()) {
      return true;
    }
    for (int i = 0; i < queues.size() && isOpen(); i++) {
      SocketQueue queue = queues.get(i);
      if (!queue.batch().isEmpty() && !claim.isOpen()) {
        transmit(queue);
      }
      queue.prepareToBlock(poller);
    }
    events.deliver();
    return true;
  }

  @Override
  public void afterBlock() {
    quiet = false;
    LinkWatch watch = linkWatch;
    if (watch != null && (poller == null || poller.found(watch.fd()) != 0)) {
      nextLinkCheckNs = Long.MIN_VALUE / 2; // it may be what ended the wait
    }
    for (int i = 0; i < queues.size(); i++) {
      queues.get(i).afterBlock(poller);
    }
  }

  /** No socket had anything, an error or room, and the kernel nothing to tell about the link. */
  @Override
  public void afterTimeout() {
    quiet = true;
    for (int i = 0; i < queues.size(); i++) {
      queues.get(i).endWait(poller);
    }
  }

  private void stopWaiting() {
    if (linkWatch != null && poller != null) {
      poller.unwatch(linkWatch.fd());
    }
    for (SocketQueue queue : queues) {
      queue.stopWaiting(poller);
    }
  }

  @Override
  public void sever() {
    severed = true;
    for (LinuxSocket one : sockets) {
      one.sever();
    }
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    if (!failed) {
      stopWaiting();
      for (SocketQueue queue : queues) {
        queue.close();
      }
    }
    if (linkWatch != null) {
      linkWatch.close();
    }
    closed = true;
    claim.drop();
    queues.clear();
    railsByKey.clear();
    arena.close();
  }

  @Override
  public String toString() {
    return localAddress().text();
  }
}

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
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.DatagramPacket;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A UDP port on a Netty channel that the engine's own thread drives: packets are handed up from
 * within Netty's read loop, without a hand-over. The states are those of {@link LinuxUdpPort}.
 */
final class NettyUdpPort implements RailPort, NettySender.Owner {
  /** Most rails open at a time (R24). */
  static final int MAX_RAILS = 1 << 16;

  private static final long CHECK_INTERVAL_NS = 1_000_000_000L;

  /** Most sockets for single addresses (R24). */
  private static final int MAX_OWN_LANES = 16;

  /** Most rounds of Netty's loop in one poll; each reads up to 16 messages. */
  private static final int MAX_ROUNDS = 8;

  private final UdpConfig config;
  private final PortHandler handler;
  private final long seed;
  private final NettySocket socket;

  /** The common one, then those of single addresses where the port is bound to all. */
  private final List<NettyQueue> queues = new ArrayList<>();

  private final NettyQueue common;
  private final Counters<PortCounter> counters = new Counters<>(PortCounter.class);
  private final LinkEvents events;
  private final UdpLink link;
  private final NettyReceiveBuffers receiveBuffers = new NettyReceiveBuffers();
  private boolean segmentation;
  private RailAttributes attributes;
  private int openRails;
  private @Nullable Poller poller;
  private boolean failed;
  private boolean closed;
  private boolean released;
  private boolean running;
  private boolean checked;
  private long nextCheckNs;
  private final PortClaim claim = new PortClaim();
  private int handedUp;

  /** Sender of the packet being handled. */
  private @Nullable InetSocketAddress source;

  /** The queue that it came by. */
  private @Nullable NettyQueue receiving;

  /** To which of this host's addresses it came, if Netty tells. */
  private @Nullable InetAddress destination;

  /** What the handler threw inside Netty's loop, to be thrown where it belongs. */
  private @Nullable Throwable thrown;

  NettyUdpPort(UdpConfig config, PortContext context, PortHandler handler, NettySocket socket) {
    this.config = config;
    this.handler = handler;
    this.socket = socket;
    seed = context.seed();
    link = UdpLink.of(config, socket.bound());
    events = new LinkEvents(this, handler, counters);
    segmentation = socket.segmentation();
    common = queue(socket);
    queues.add(common);
    attributes = describe();
    counters.set(PortCounter.RECEIVE_BUFFER_ASKED, config.receiveBufferBytes());
    counters.set(PortCounter.RECEIVE_BUFFER_GOT, socket.receiveBufferBytes());
    counters.set(PortCounter.SEND_BUFFER_ASKED, config.sendBufferBytes());
    counters.set(PortCounter.SEND_BUFFER_GOT, socket.sendBufferBytes());
    counters.set(PortCounter.GSO_ACTIVE, socket.segmentation() ? 1 : 0);
    counters.set(PortCounter.GRO_ACTIVE, socket.merging() ? 1 : 0);
    if (common.local == null && !socket.reportsDestinations()) {
      // by which socket a packet comes tells its address; what is not known now, say one that is
      // given to the host later, is answered from where the route prefers
      for (InetAddress address : Interfaces.addresses(link.bound().getAddress().getClass())) {
        NettyQueue unused = queueOf(address);
      }
    }
  }

  private NettyQueue queue(NettySocket of) {
    NettySender sender =
        new NettySender(counters, this, link.maxUdpPayload(), segmentation && of.segmentation());
    return new NettyQueue(of, new PipelineEnd(), receiveBuffers, sender);
  }

  /**
   * The queue of one of this host's addresses, which is made if there is none. One that no rail
   * uses makes room: whoever is no peer can make us answer, but not keep anything.
   *
   * @return the common one, if the system gives no other
   */
  private NettyQueue queueOf(InetAddress address) {
    NettyQueue idle = null;
    for (NettyQueue queue : queues) {
      if (address.equals(queue.local)) {
        return queue;
      }
      if (queue != common && queue.rails == 0) {
        idle = queue;
      }
    }
    if (queues.size() > MAX_OWN_LANES) {
      if (idle == null || !socket.reportsDestinations()) {
        return common;
      }
      closeQueue(idle);
    }
    NettySocket own;
    try {
      own = socket.beside(address);
    } catch (RailException e) {
      return common; // the socket that is there may do
    }
    NettyQueue queue = queue(own);
    queues.add(queue);
    if (poller != null) {
      boolean unused = own.watch(poller); // as the common one is
    }
    return queue;
  }

  private void closeQueue(NettyQueue queue) {
    queues.remove(queue);
    if (poller != null) {
      queue.socket.unwatch(poller);
    }
    queue.destroyLoop();
    queue.socket.close();
  }

  private RailAttributes describe() {
    String kind = socket.kind() + (segmentation ? "+gso" : "") + (socket.merging() ? "+gro" : "");
    return link.attributes(kind, socket.receiveBufferBytes());
  }

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
    return open(link.resolve(remote), common);
  }

  @Override
  public Rail accept() throws RailException {
    return open(currentSource(), currentQueue());
  }

  private Rail open(InetSocketAddress address, NettyQueue queue) throws RailException {
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
    openRails++;
    queue.rails++;
    return new NettyUdpRail(this, queue, address, SourceKeys.of(address, seed));
  }

  void onRailClosed(NettyUdpRail rail) {
    openRails--;
    rail.queue().rails--;
    abort(rail);
  }

  // ---- sending

  long claim(NettyUdpRail rail, int length) {
    claim.check(length, link.maxPacketLength());
    if (!rail.isOpen()) {
      return Rail.CLOSED;
    }
    NettySender sender = rail.queue().sender;
    if (!sender.isBlocked() && !sender.hasRoom(length)) {
      flush(rail.queue());
      if (!rail.isOpen()) {
        return Rail.CLOSED;
      }
    }
    if (sender.isBlocked() || !sender.hasRoom(length)) {
      counters.increment(PortCounter.CLAIMS_REFUSED);
      return Rail.WOULD_BLOCK;
    }
    claim.open(rail, length);
    return sender.tail();
  }

  void commit(NettyUdpRail rail, int length) {
    if (claim.commit(rail, length)) {
      rail.queue().sender.add(rail, length);
    }
  }

  void abort(NettyUdpRail rail) {
    claim.abort(rail);
  }

  void flush(NettyQueue queue) {
    if (isOpen() && !claim.isOpen()) {
      queue.flush();
      events.deliver();
    }
  }

  @Override
  public void reply(MemorySegment packet, long offset, int length) {
    InetSocketAddress to = currentSource();
    ReplyBuffer.checkLength(length);
    if (isOpen()) {
      NettyQueue queue = currentQueue();
      queue.sender.reply(queue.loop.channel(), packet, offset, length, to);
    }
  }

  @Override
  public void onSendError(@Nullable NettyUdpRail rail, int packets, Throwable cause) {
    counters.add(PortCounter.DROPPED_OUT, packets);
    onError(rail, cause);
  }

  @Override
  public void onSegmentationLost() {
    segmentation = false;
    counters.increment(PortCounter.OFFLOAD_FALLBACKS);
    counters.set(PortCounter.GSO_ACTIVE, 0);
    attributes = describe();
  }

  private void onError(@Nullable NettyUdpRail rail, Throwable cause) {
    int errno = UdpErrors.errno(cause);
    LinkEvent event = UdpErrors.event(errno);
    if (cause instanceof ClosedChannelException) {
      onLost(Errno.EBADF);
    } else if (event == LinkEvent.CLOSED) {
      onLost(errno);
    } else if (event == LinkEvent.OTHER && socket.whyLost() != 0) {
      onLost(socket.whyLost());
    } else if (rail != null || errno != 0) {
      events.add(rail, errno);
    }
  }

  private void onLost(int errno) {
    if (isOpen()) {
      failed = true;
      claim.drop();
      stopWaiting();
      events.add(null, LinkEvent.CLOSED, errno);
    }
  }

  // ---- receiving

  @Override
  public int poll(long nowNs, int limit) {
    if (running) {
      throw new IllegalStateException("poll was called from within the handler");
    }
    if (!isOpen()) {
      events.deliver();
      return 0;
    }
    check(nowNs);
    handedUp = 0;
    running = true;
    try {
      int before = -1;
      for (int i = 0; i < MAX_ROUNDS && isOpen() && handedUp < limit && handedUp > before; i++) {
        before = handedUp;
        for (int j = 0; j < queues.size() && isOpen(); j++) { // a packet may bring another one
          receive(queues.get(j));
        }
      }
      for (int j = 0; j < queues.size() && isOpen() && !claim.isOpen(); j++) {
        queues.get(j).sender.releaseIfDone();
      }
    } finally {
      running = false;
      release();
    }
    events.deliver();
    rethrow();
    return handedUp;
  }

  private void receive(NettyQueue queue) {
    queue.enter();
    counters.increment(PortCounter.RECEIVE_CALLS);
    receiving = queue;
    try {
      queue.loop.run();
    } finally {
      receiving = null;
    }
  }

  private void check(long nowNs) {
    if (!checked || nowNs - nextCheckNs >= 0) {
      checked = true;
      nextCheckNs = nowNs + CHECK_INTERVAL_NS;
      for (int i = 0; i < queues.size() && isOpen(); i++) {
        int errno = queues.get(i).socket.whyLost();
        if (errno != 0) {
          onLost(errno);
        }
      }
    }
  }

  private void rethrow() {
    Throwable t = thrown;
    thrown = null;
    if (t instanceof RuntimeException e) {
      throw e;
    }
    if (t instanceof Error e) {
      throw e;
    }
  }

  private void onDatagram(DatagramPacket packet) {
    ByteBuf content = packet.content();
    int length = content.readableBytes();
    InetSocketAddress from = packet.sender();
    if (length == 0
        || from == null
        || from.getAddress().getClass() != link.bound().getAddress().getClass()) {
      counters.increment(PortCounter.DROPPED_IN);
      return;
    }
    counters.increment(PortCounter.PACKETS_IN);
    counters.add(PortCounter.BYTES_IN, length);
    handedUp++;
    long offset = receiveBuffers.offset(content);
    source = from;
    NettyQueue queue = receiving;
    destination =
        queue == null
                || queue.local != null
                || !socket.reportsDestinations()
                || packet.recipient() == null
            ? null
            : packet.recipient().getAddress();
    try {
      long key = SourceKeys.of(from, seed);
      if (offset >= 0) {
        handler.onPacket(this, receiveBuffers.memory(), offset, length, key);
      } else {
        handler.onPacket(this, MemorySegment.ofBuffer(content.nioBuffer()), 0, length, key);
      }
    } finally {
      source = null;
      destination = null;
    }
  }

  /** From where the sender of the packet being handled expects an answer. */
  private NettyQueue currentQueue() {
    NettyQueue queue = receiving;
    InetAddress to = destination;
    if (to != null && !to.isAnyLocalAddress() && !to.isMulticastAddress()) {
      return queueOf(to);
    }
    return queue == null ? common : queue;
  }

  private InetSocketAddress currentSource() {
    InetSocketAddress current = source;
    if (current == null || closed) {
      throw new IllegalStateException("only inside onPacket");
    }
    return current;
  }

  @Override
  public RailAddress sourceAddress() {
    return new RailAddress(UdpAddress.text(currentSource()));
  }

  /** Where Netty hands up. */
  private final class PipelineEnd extends ChannelInboundHandlerAdapter {
    /** Added to one channel after another, never to two at a time. */
    @Override
    public boolean isSharable() {
      return true;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      DatagramPacket packet = (DatagramPacket) message;
      try {
        if (!closed && thrown == null) {
          onDatagram(packet);
        }
      } catch (RuntimeException | Error e) {
        thrown = e;
      } finally {
        packet.release();
      }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
      onLost(Errno.EBADF);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      if (cause instanceof IOException) {
        onError(null, cause);
      } else if (thrown == null) {
        thrown = cause;
      }
    }
  }

  // ---- waiting

  @Override
  public boolean attach(Poller poller) {
    if (isOpen()) {
      for (NettyQueue queue : queues) {
        if (!queue.socket.watch(poller)) {
          return false;
        }
      }
    }
    this.poller = poller;
    return true;
  }

  @Override
  public boolean prepareToBlock() {
    if (isOpen()) {
      for (int i = 0; i < queues.size() && isOpen(); i++) {
        NettyQueue queue = queues.get(i);
        flush(queue);
        if (isOpen() && queue.sender.isBlocked() && poller != null) {
          queue.socket.watchWritable(poller);
        }
      }
    }
    return true;
  }

  @Override
  public void afterBlock() {
    if (isOpen() && poller != null) {
      for (NettyQueue queue : queues) {
        queue.socket.unwatchWritable(poller);
      }
    }
  }

  private void stopWaiting() {
    if (poller != null) {
      for (NettyQueue queue : queues) {
        queue.socket.unwatch(poller);
      }
    }
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    if (!failed) {
      stopWaiting();
    }
    closed = true;
    claim.drop();
    if (!running) {
      release();
    }
  }

  /** Lets go of Netty and the socket, once nothing runs any more. */
  private void release() {
    if (isOpen()) {
      return;
    }
    for (NettyQueue queue : queues) {
      queue.destroyLoop();
    }
    if (closed && !released) {
      released = true;
      for (NettyQueue queue : queues) {
        queue.socket.close();
      }
    }
  }

  @Override
  public String toString() {
    return localAddress().text();
  }
}

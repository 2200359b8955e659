// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.shm;

import io.crosstie.checksum.Accelerator;
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
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.nio.channels.ClosedChannelException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * A folder with a listening socket, and the segments shared with the peers that found it.
 *
 * <p>A poll looks at one word of each open segment. Sockets, time-outs and the folder are looked at
 * between polls, by the clock that the engine hands in, so that the path of the data has no system
 * call.
 */
final class ShmPort implements RailPort {
  /**
   * How often sockets are looked at by a node that never waits for them: so late it may learn that
   * a peer is gone or asks for a rail. The look is a system call, as long as a round trip.
   */
  static final long HOUSEKEEPING_NS = 1_000_000;

  /** The same while somebody waits for an answer. */
  static final long HURRIED_NS = 20_000;

  /** How often the folder, the files and every socket are looked at. */
  static final long SLOW_NS = 1_000_000_000L;

  /** How long a peer may take to accept a segment. */
  static final long CONNECT_TIMEOUT_NS = 10_000_000_000L;

  private static final int MAX_REPLY = 1200;
  private static final RailAttributes ATTRIBUTES =
      new RailAttributes("shm", true, true, true, 200, 5_000_000_000L, 0);

  private final PortHandler handler;
  private final ShmOptions options;
  private final Reachability reachability;
  private final LocalSockets sockets;
  private final PortDirectory directory;
  private final RailAddress address;
  private final SegmentFactory segments;
  private final Acceptor acceptor;
  private final @Nullable Accelerator accelerator;
  private final Counters<PortCounter> counters = new Counters<>(PortCounter.class);
  private final byte[] scratch = new byte[LocalSockets.BUFFER_BYTES];

  /** Null if it is not wanted, or native calls cannot be made. */
  private final @Nullable PeerMemory peerMemory;

  private final RailTable rails = new RailTable();
  private int firstRail;

  /** The rail that was looked at last; its packet is being handled if {@link #handling}. */
  private @Nullable ShmRail current;

  private boolean handling;
  private boolean polling;
  private boolean eventsPending;
  private boolean releasePending;
  private boolean sleeping;
  private boolean connecting;

  /** Some rail's offer or answer has not left whole. */
  private boolean unsent;

  private boolean lookNow = true;

  /** A wait for all sockets has just ended without any being ready. */
  private boolean quiet;

  private boolean clockKnown;

  /** As of the last poll. */
  private long clockNs;

  private long nextHousekeepingNs;
  private long nextSlowNs;
  private boolean failed;
  private boolean failureReported;
  private boolean closed;

  private ShmPort(
      ShmOptions options,
      HostIdentity host,
      LocalSockets sockets,
      PortDirectory directory,
      RailAddress address,
      SegmentFactory segments,
      @Nullable PeerMemory peerMemory,
      @Nullable Accelerator accelerator,
      PortHandler handler) {
    this.options = options;
    this.accelerator = accelerator;
    this.reachability =
        new Reachability(host, directory.uid(), options.base(), ShmOptions.systemBase(), counters);
    this.sockets = sockets;
    this.directory = directory;
    this.address = address;
    this.segments = segments;
    this.peerMemory = peerMemory;
    this.handler = handler;
    this.acceptor = new Acceptor(this, sockets);
  }

  static ShmPort open(ShmOptions options, PortContext context, PortHandler handler)
      throws RailException {
    HostIdentity host = HostIdentity.here();
    SplittableRandom random = new SplittableRandom(context.seed() ^ context.incarnation());
    LocalSockets sockets = null;
    PortDirectory directory = null;
    try {
      sockets = options.descriptors() ? new FdSockets() : new NioSockets();
      directory =
          PortDirectory.create(
              options.base(), context.nodeName(), host, random, sockets, options.sealed());
      RailAddress address = new ShmAddress(host, directory.path()).toRailAddress();
      int unused = directory.sweep(options.base(), host, options.defaultBase());
      SegmentFactory segments = new SegmentFactory(options, directory, random);
      PeerMemory peerMemory =
          options.pulls() != ShmOptions.Pulls.NEVER ? new PeerMemory(random) : null;
      return new ShmPort(
          options,
          host,
          sockets,
          directory,
          address,
          segments,
          peerMemory,
          context.accelerator(),
          handler);
    } catch (IOException | IllegalArgumentException e) {
      if (sockets != null) {
        sockets.close();
      }
      if (directory != null) {
        directory.remove();
      }
      throw new RailException(
          "rail \""
              + options.uri()
              + "\": cannot open a shared-memory port in "
              + options.base()
              + ": "
              + Reasons.of(e)
              + "; give another folder (shm:/folder) or do without: other rails go on",
          e);
    }
  }

  @Override
  public RailAttributes attributes() {
    return ATTRIBUTES;
  }

  @Override
  public RailAddress localAddress() {
    return address;
  }

  @Override
  public Counters<PortCounter> counters() {
    return counters;
  }

  @Override
  public @Nullable String whyUnreachable(RailAddress remote) {
    return reachability.why(remote, clockNs);
  }

  @Override
  public Rail connect(RailAddress remote) throws RailException {
    if (closed || failed) {
      throw new RailException("the shared-memory port " + address + " is closed; open a new one");
    }
    String why = whyUnreachable(remote);
    ShmAddress parsed = ShmAddress.parse(remote);
    if (why != null || parsed == null) {
      throw new RailException("cannot share memory with " + remote + ": " + why);
    }
    if (rails.size() >= options.maxSegments()) {
      throw new RailException(
          "cannot share memory with "
              + remote
              + ": this port has "
              + rails.size()
              + " segments already; raise the option segments= of \""
              + options.uri()
              + "\"");
    }
    Path peer = PortDirectory.socket(parsed.directory());
    LocalSocket socket;
    try {
      socket = sockets.connect(peer);
    } catch (IOException e) {
      String refused =
          "its socket cannot be connected ("
              + Reasons.of(e)
              + "): the process is gone, or about to come back under another address";
      reachability.refuse(remote, refused, clockNs);
      throw new RailException("cannot share memory with " + remote + ": " + refused, e);
    }
    try {
      Segment segment = segments.create(PortDirectory.takesDescriptors(parsed.directory()));
      ShmRail rail = ShmRail.offer(this, remote, rails.keyOf(remote), segment, socket, peer);
      rails.add(rail);
      connecting = true;
      return rail;
    } catch (RailException e) {
      if (socket != null) {
        socket.close();
      }
      throw e;
    }
  }

  @Override
  public Rail accept() throws RailException {
    ShmRail rail = handling();
    if (rail.state() == ShmRail.State.CLOSED) {
      throw new RailException("the rail was closed in this very call");
    }
    rail.onAccepted();
    return rail;
  }

  @Override
  public RailAddress sourceAddress() {
    return handling().remoteAddress();
  }

  private ShmRail handling() {
    ShmRail rail = current;
    if (rail == null || !handling) {
      throw new IllegalStateException("only inside PortHandler.onPacket");
    }
    return rail;
  }

  @Override
  public void reply(MemorySegment packet, long offset, int length) {
    ShmRail rail = handling();
    if (length < 1 || length > MAX_REPLY) {
      throw new IllegalArgumentException(
          "a reply has 1 to " + MAX_REPLY + " bytes, and not " + length);
    }
    if (!rail.reply(packet, offset, length)) {
      counters.increment(PortCounter.DROPPED_OUT);
    }
  }

  @Override
  public int poll(long nowNs, int limit) {
    if (closed) {
      return 0;
    }
    clockNs = nowNs;
    int handled = 0;
    try {
      boolean onlyLooks = onlyLooks(nowNs);
      if (onlyLooks && isEmpty(rails.get(0))) {
        return 0;
      }
      polling = true;
      if (onlyLooks) {
        handled = take(rails.get(0), limit);
      } else {
        handled = pollAll(nowNs, limit);
      }
      if (eventsPending) {
        reportEvents();
      }
    } catch (InternalError e) {
      // Compiled code may be told of a fault in a mapping only after it has left the place, and
      // even
      // the call. Whose mapping it was, the files tell.
      lookNow = true;
      nextSlowNs = nowNs;
    } finally {
      polling = false;
      if (releasePending) {
        releasePending = false;
        release();
      }
    }
    return handled;
  }

  @Override
  public void pause() {
    Thread.onSpinWait();
  }

  private int pollAll(long nowNs, int limit) {
    int handled = 0;
    if (lookNow || nowNs - nextHousekeepingNs >= 0) {
      if (mayRest(nowNs)) {
        nextHousekeepingNs = nowNs + HOUSEKEEPING_NS;
      } else {
        housekeep(nowNs);
      }
    }
    quiet = false;
    int n = rails.size();
    int i = firstRail < n ? firstRail : 0;
    firstRail = i + 1;
    for (int k = 0; k < n && handled < limit && !closed; k++) {
      ShmRail rail = rails.get(i);
      if (!isEmpty(rail)) {
        handled += take(rail, limit - handled);
      }
      i = i + 1 < n ? i + 1 : 0;
    }
    return handled;
  }

  /** Whether there is nothing to do but to look at one ring. */
  private boolean onlyLooks(long nowNs) {
    return !lookNow
        && !eventsPending
        && !quiet
        && nowNs - nextHousekeepingNs < 0
        && rails.size() == 1;
  }

  /**
   * Whether housekeeping would find nothing: the sockets were all waited for in vain, and what goes
   * by the clock is not due.
   */
  private boolean mayRest(long nowNs) {
    return quiet
        && !lookNow
        && !connecting
        && !unsent
        && !acceptor.waiting()
        && nowNs - nextSlowNs < 0;
  }

  /** The look that mostly finds nothing, and is all that there is to do then. */
  private boolean isEmpty(ShmRail rail) {
    try {
      return rail.state() == ShmRail.State.OPEN && !rail.packetWaits();
    } catch (InternalError e) {
      rails.mappingFault(rail);
      return true;
    }
  }

  @SuppressWarnings("ReferenceEquality") // this very rail
  private int take(ShmRail rail, int limit) {
    long packets = rail.packetsIn();
    long bytes = rail.bytesIn();
    if (current != rail) {
      current = rail;
    }
    handling = true;
    try {
      return rail.poll(limit);
    } catch (InternalError e) {
      rails.mappingFault(rail);
      return (int) (rail.packetsIn() - packets);
    } finally {
      handling = false;
      if (rail.packetsIn() != packets) {
        counters.add(PortCounter.PACKETS_IN, rail.packetsIn() - packets);
        counters.add(PortCounter.BYTES_IN, rail.bytesIn() - bytes);
      }
    }
  }

  @Override
  public boolean attach(Poller poller) {
    return sockets.attach(poller);
  }

  @Override
  public boolean prepareToBlock() {
    if (closed) {
      return true;
    }
    sleeping = true;
    rails.raiseSleeping();
    // our flags before the look at the rings; producers do it the other way round
    VarHandle.fullFence();
    boolean work = rails.packetWaits();
    if (work || eventsPending) {
      afterBlock();
      return false;
    }
    return true;
  }

  @Override
  public void afterBlock() {
    if (!sleeping) {
      return;
    }
    lower();
    lookNow |= sockets.isAnyFound(); // what woke us may be a socket
  }

  @Override
  public void afterTimeout() {
    if (sleeping) {
      lower();
      quiet = true;
    }
  }

  private void lower() {
    sleeping = false;
    rails.lowerSleeping();
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    for (int i = rails.size() - 1; i >= 0; i--) {
      rails.get(i).close();
    }
    sockets.close();
    directory.remove();
  }

  // ---- for rails and the acceptor ----

  /** Whether peers may hand over segments as descriptors. */
  boolean takesDescriptors() {
    return segments.takesDescriptors();
  }

  /** Whose loops the node uses, or null. */
  @Nullable Accelerator accelerator() {
    return accelerator;
  }

  /** A rail of sealed memory came, or is no more. */
  void sealedChanged(int by) {
    counters.add(PortCounter.SEALED_RAILS, by);
  }

  PortHandler handler() {
    return handler;
  }

  /** Whether peers' memory is read also where the ring is the quicker way. */
  boolean pullsAlways() {
    return options.pulls() == ShmOptions.Pulls.ALWAYS;
  }

  @Nullable PeerMemory peerMemory() {
    return peerMemory;
  }

  LocalSockets sockets() {
    return sockets;
  }

  /** Something has to be reported, or a rail is draining. */
  void eventsPending() {
    eventsPending = true;
  }

  /** A rail was closed. Its memory stays mapped while a handler may have it in hand. */
  void closed() {
    if (polling) {
      releasePending = true;
    } else {
      release();
    }
  }

  private void release() {
    current = null;
    rails.release();
  }

  /** See {@link RailTable#mappingFault}. */
  void mappingFault(ShmRail inHand) {
    rails.mappingFault(inHand);
  }

  /** Maps a segment that a peer offers, or refuses it. */
  void adopt(Offer offer, LocalSocket socket) {
    if (closed || rails.size() >= options.maxSegments()) {
      refuse(socket, "this port has all the segments it may have (option segments=)");
      return;
    }
    String why = reachability.why(offer.from(), clockNs);
    ShmAddress from = ShmAddress.parse(offer.from());
    if (why != null || from == null) {
      refuse(socket, String.valueOf(why));
      return;
    }
    try {
      Segment segment = segments.open(offer, from.directory(), socket.takeDescriptor());
      rails.add(ShmRail.accepted(this, offer.from(), rails.keyOf(offer.from()), segment, socket));
    } catch (IOException | RuntimeException e) {
      refuse(socket, Reasons.of(e));
    }
  }

  void refuse(LocalSocket socket, String why) {
    counters.increment(PortCounter.DROPPED_IN);
    byte[] text = ("." + why).getBytes(StandardCharsets.US_ASCII);
    text[0] = Offer.REFUSED;
    int unused = socket.write(text, 0, Math.min(text.length, scratch.length));
    socket.close();
  }

  byte[] scratch() {
    return scratch;
  }

  // ---- housekeeping ----

  private void housekeep(long nowNs) {
    if (!clockKnown) {
      clockKnown = true;
      nextSlowNs = nowNs + SLOW_NS;
    }
    lookNow = false;
    sockets.select();
    boolean slow = nowNs - nextSlowNs >= 0;
    if (slow) {
      nextSlowNs = nowNs + SLOW_NS;
    }
    if (!failed) {
      checkPort(nowNs, slow);
    }
    connecting = false;
    unsent = false;
    for (int i = 0; i < rails.size(); i++) {
      housekeep(rails.get(i), nowNs, slow);
    }
    if (slow) {
      boolean unused = rails.failTruncated();
    }
    nextHousekeepingNs = nowNs + (connecting || acceptor.waiting() ? HURRIED_NS : HOUSEKEEPING_NS);
  }

  private void checkPort(long nowNs, boolean slow) {
    try {
      if (slow) {
        acceptor.tick();
      }
      if (slow || sockets.listenerReady()) {
        acceptor.accept(nowNs);
      }
      acceptor.progress(nowNs);
    } catch (ClosedChannelException e) {
      failPort("its socket was closed");
      return;
    }
    if (slow && !sockets.listenerIntact()) {
      failPort("its socket was taken away");
    } else if (slow && !directory.intact()) {
      failPort("its folder " + directory.path() + " was moved or removed");
    }
  }

  private void failPort(String why) {
    failed = true;
    eventsPending = true;
    rails.drain("the port failed: " + why);
  }

  private void housekeep(ShmRail rail, long nowNs, boolean slow) {
    rail.send();
    unsent |= rail.hasUnsent();
    if (slow) {
      rail.checkSocket();
    }
    if (slow || rail.socketReady()) {
      rail.readSocket(scratch);
    }
    if (rail.state() == ShmRail.State.CONNECTING) {
      connecting = true;
      if (rail.idleNs(nowNs) > CONNECT_TIMEOUT_NS) {
        rail.fail("the peer did not answer the offer of a segment");
      }
    } else if (slow && rail.isUnclaimed(nowNs)) {
      rail.fail("the peer sent nothing over it");
    }
  }

  private void reportEvents() {
    eventsPending = false;
    for (int i = 0; i < rails.size() && !closed; i++) {
      ShmRail rail = rails.get(i);
      if (rail.state() == ShmRail.State.DRAINING) {
        eventsPending = true;
      } else if (rail.takeReport()) {
        counters.increment(PortCounter.LINK_EVENTS);
        if (rail.isAccepted()) {
          if (rail.event() != LinkEvent.CLOSED) {
            handler.onLinkEvent(this, rail, rail.event(), 0);
          }
          handler.onLinkEvent(this, rail, LinkEvent.CLOSED, 0);
        } else {
          rail.close(); // nobody else would
        }
      }
    }
    if (failed && !failureReported && !closed) {
      failureReported = true;
      counters.increment(PortCounter.LINK_EVENTS);
      handler.onLinkEvent(this, null, LinkEvent.CLOSED, 0);
    }
  }
}

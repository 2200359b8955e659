// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.thread;

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
import io.crosstie.transport.RailDriver;
import io.crosstie.transport.RailException;
import io.crosstie.transport.RailPort;
import io.crosstie.transport.RailUri;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import org.jctools.queues.varhandle.SpscVarHandleArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * A lossy port of some driver, used by a thread of its own behind two {@link PacketRing}s. To the
 * core it is a port like any other; every packet is copied once more each way.
 *
 * <p><b>The {@linkplain Watchdog watchdog}.</b> When the engine has looked {@value Watchdog#LOOKS}
 * times, {@value Watchdog#LOOK_MS} ms apart or more, and the thread has not taken a turn, the
 * driver hangs: the core is told {@link LinkEvent#HUNG} and closes this port. That severs the
 * driver's from the network, so that its address can be bound by the port that takes its place, and
 * leaves the thread where it is. If ever it comes back, it finds out, tells nobody, and ends. A
 * pause of the whole process stops the looks as it stops the thread.
 *
 * <p><b>Threads.</b> What the inner port and its rails are asked to do is done by the thread, or by
 * the engine while it holds the lock that the thread holds through each turn: only to connect,
 * which waits {@value #LOCK_MS} ms at most.
 */
final class OwnThreadPort implements RailPort, PortHandler, PortLoop {
  private static final System.Logger LOG = System.getLogger("io.crosstie.rails");
  private static final int OUT_BYTES = 1 << 20;
  private static final int IN_BYTES = 2 << 20;

  private static final int TURN_LIMIT = 256;

  /** Longest reply, in bytes. */
  private static final int MAX_REPLY = 1200;

  /** So many senders' addresses are kept as text. */
  private static final int SENDERS = 256;

  /** So many characters of a thread's name does the kernel show. */
  private static final int SHOWN = 15;

  private static final int MAX_EVENTS = 1024;

  /** What the thread's next step is. */
  private enum Phase {
    TURN,
    REST,
    /** A turn, after what ends a rest. */
    AWAKE
  }

  /** News of a link on its way to the engine. */
  private record News(@Nullable OwnThreadRail rail, LinkEvent event, int errno) {}

  private final String name;
  private final PortHandler handler;
  private final RailPort inner;
  private final PortRunner runner;
  private final Poller poller;
  private final ReentrantLock lock = new ReentrantLock(true);
  private final PacketRing out;
  private final PacketRing in;

  /** As much as comes up in one poll: a full vector of messages, each full of packets. */
  private final long pollRoom;

  private final Watchdog watchdog = new Watchdog();
  private final SpscVarHandleArrayQueue<News> news = new SpscVarHandleArrayQueue<>(MAX_EVENTS);

  // Under the lock.
  private final List<@Nullable OwnThreadRail> table = new ArrayList<>();
  private final BitSet taken = new BitSet();
  private final Map<Long, OwnThreadRail> byKey = new HashMap<>();

  // Written by the engine.
  private volatile boolean closed;
  private volatile boolean abandoned;
  private volatile int closings;
  private volatile @Nullable Poller enginePoller;
  private volatile boolean engineSleeps;
  private final PortClaim claim = new PortClaim();
  private boolean handling;
  private boolean toldEnd;

  // Written by the thread.
  private Phase phase = Phase.TURN;
  private volatile boolean sleeps;
  private volatile boolean ended;
  private volatile int endErrno;
  private int seenClosings;
  private boolean handedUp;
  private boolean blocked;
  private final List<OwnThreadRail> touched = new ArrayList<>();
  private final long[] senderKeys = new long[SENDERS];
  private final byte[] @Nullable [] senders = new byte[SENDERS][];
  private final @Nullable RailAddress[] senderDestinations = new @Nullable RailAddress[SENDERS];

  /** Opens the inner port and has its loop begun. */
  static OwnThreadPort open(
      RailDriver driver,
      RailUri uri,
      PortContext context,
      PortHandler handler,
      PortRunner.Factory runners)
      throws RailException {
    PortRunner runner = runners.create();
    OwnThreadPort port = null;
    boolean started = false;
    try {
      port = new OwnThreadPort(driver, uri, context, handler, runner);
      String text = port.localAddress().text();
      runner.start(text.substring(Math.max(0, text.length() - SHOWN)), port);
      started = true;
    } finally {
      if (!started) {
        if (port != null) {
          port.inner.close();
        }
        runner.discard();
      }
    }
    return port;
  }

  @SuppressWarnings("this-escape") // the inner port calls back only when it is polled
  private OwnThreadPort(
      RailDriver driver, RailUri uri, PortContext context, PortHandler handler, PortRunner runner)
      throws RailException {
    this.name = uri.toString();
    this.handler = handler;
    this.runner = runner;
    this.poller = runner.poller();
    this.out = runner.ring(OUT_BYTES);
    this.in = runner.ring(IN_BYTES);
    this.pollRoom = in.memory().byteSize() / 8 * 5;
    inner = driver.open(uri, context, this);
    if (inner.attributes().lossless() || !inner.attach(poller)) {
      inner.close();
      throw new RailException(
          "rail \""
              + uri
              + "\": thread=own is for lossy rails that can be waited for; leave it out");
    }
  }

  // ---- what the port is

  @Override
  public RailAttributes attributes() {
    RailAttributes a = inner.attributes();
    return new RailAttributes(
        a.kind() + "+thread",
        a.ordered(),
        a.lossless(),
        a.sharedMemory(),
        a.latencyHintNs(),
        a.bandwidthHint(),
        a.receiveBufferBytes());
  }

  @Override
  public RailAddress localAddress() {
    return inner.localAddress();
  }

  @Override
  public @Nullable String whyUnreachable(RailAddress remote) {
    return inner.whyUnreachable(remote);
  }

  @Override
  public Counters<PortCounter> counters() {
    return inner.counters();
  }

  boolean isOpen() {
    return !closed && !ended;
  }

  // ---- rails; the engine

  @Override
  public Rail connect(RailAddress remote) throws RailException {
    return open(remote, null);
  }

  private Rail open(RailAddress remote, @Nullable RailAddress local) throws RailException {
    checkOpen();
    if (!runner.tryLock(lock)) {
      throw new RailException("rail \"" + name + "\": its thread is busy; try again later");
    }
    try {
      checkOpen(); // the thread may have ended meanwhile
      Rail rail = connect(inner, remote, local);
      int index = taken.nextClearBit(0);
      try {
        OwnThreadRail own = new OwnThreadRail(this, rail, local, index);
        if (index == table.size()) {
          table.add(own);
        } else {
          table.set(index, own);
        }
        byKey.put(own.remoteKey(), own);
        taken.set(index);
        return own;
      } catch (Throwable t) {
        rail.close();
        throw t;
      }
    } finally {
      lock.unlock();
    }
  }

  private void checkOpen() throws RailException {
    if (!isOpen()) {
      throw new RailException("rail \"" + name + "\" is closed; open it again before connecting");
    }
  }

  @Override
  public Rail accept() throws RailException {
    return open(sourceAddress(), destinationAddress());
  }

  private static Rail connect(RailPort port, RailAddress remote, @Nullable RailAddress local)
      throws RailException {
    return local == null ? port.connect(remote) : port.connect(remote, local);
  }

  /** How many of its rails the engine has closed; any number after a wrap. */
  int closings() {
    return closings;
  }

  /** The thread closes it when everything that was committed before has left. */
  @SuppressWarnings("NonAtomicVolatileUpdate") // only the engine writes it
  void onRailClosed(OwnThreadRail rail) {
    abort(rail);
    closings++;
    wakeThread();
  }

  // ---- sending; the engine

  long claim(OwnThreadRail rail, int length) {
    claim.check(length, rail.maxPacketLength());
    if (!rail.isOpen()) {
      return Rail.CLOSED;
    }
    long at = out.claim(length);
    if (at < 0) {
      wakeThread();
      return Rail.WOULD_BLOCK;
    }
    claim.open(rail, length);
    return at;
  }

  MemorySegment txMemory() {
    return out.memory();
  }

  void commit(OwnThreadRail rail, int length) {
    if (claim.commit(rail, length)) {
      out.commit(length, rail.index, 0);
    }
  }

  void abort(OwnThreadRail rail) {
    claim.abort(rail);
  }

  /** There is something for it to do; rouses it if it sleeps. */
  void wakeThread() {
    VarHandle.fullFence(); // what was handed over is seen by it, or its sleep by us
    if (sleeps) {
      poller.wakeup();
    }
  }

  @Override
  public void reply(MemorySegment packet, long offset, int length) {
    byte[] address = text(sourceAddress(), destinationAddress());
    if (length < 1 || length > MAX_REPLY) {
      throw new IllegalArgumentException("a reply has 1 to " + MAX_REPLY + " bytes, not " + length);
    }
    long at = !claim.isOpen() ? out.claim(address.length + length) : -1;
    if (at < 0) {
      return; // replies may be dropped
    }
    MemorySegment memory = out.memory();
    MemorySegment.copy(address, 0, memory, ValueLayout.JAVA_BYTE, at, address.length);
    MemorySegment.copy(packet, offset, memory, at + address.length, length);
    out.commit(address.length + length, -address.length, in.key());
    wakeThread();
  }

  // ---- receiving; the engine

  @Override
  public int poll(long nowNs, int limit) {
    if (handling) {
      throw new IllegalStateException("poll was called from within the handler");
    }
    if (closed) {
      return 0;
    }
    int packets = 0;
    while (packets < limit && !closed && in.hasNext()) {
      handling = true;
      try {
        int skip = in.tag();
        handler.onPacket(this, in.memory(), in.offset() + skip, in.length() - skip, in.key());
      } finally {
        handling = false;
        in.release();
      }
      packets++;
    }
    for (News n = news.poll(); n != null && !closed; n = news.poll()) {
      handler.onLinkEvent(this, n.rail, n.event, n.errno);
    }
    watch(nowNs);
    return packets;
  }

  private void watch(long nowNs) {
    if (toldEnd || closed) {
      return;
    }
    if (ended) {
      toldEnd = true;
      handler.onLinkEvent(this, null, LinkEvent.CLOSED, endErrno);
    } else if (watchdog.hangs(nowNs)) {
      toldEnd = true;
      abandoned = true;
      handler.onLinkEvent(this, null, LinkEvent.HUNG, 0);
    }
  }

  @Override
  public RailAddress sourceAddress() {
    if (!handling) {
      throw new IllegalStateException("only inside onPacket");
    }
    return new RailAddress(addresses(in, in.tag())[0]);
  }

  @Override
  public @Nullable RailAddress destinationAddress() {
    return handling ? local(addresses(in, in.tag())) : null;
  }

  private static @Nullable RailAddress local(String[] addresses) {
    return addresses.length < 2 ? null : new RailAddress(addresses[1]);
  }

  /**
   * The addresses with which a record begins: the other end's, and where the port has several, its
   * own.
   */
  private static String[] addresses(PacketRing ring, int length) {
    byte[] text = new byte[length];
    MemorySegment.copy(ring.memory(), ValueLayout.JAVA_BYTE, ring.offset(), text, 0, length);
    return new String(text, StandardCharsets.US_ASCII).split(" ", 2);
  }

  private static byte[] text(RailAddress remote, @Nullable RailAddress local) {
    String text = local == null ? remote.text() : remote.text() + " " + local.text();
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  // ---- waiting; the engine

  @Override
  public boolean attach(Poller newPoller) {
    enginePoller = newPoller;
    return true;
  }

  @Override
  public boolean prepareToBlock() {
    wakeThread();
    engineSleeps = true;
    VarHandle.fullFence(); // our sleep is seen by the thread, or what it handed over by us
    return closed || !(in.hasNext() || !news.isEmpty() || (ended && !toldEnd));
  }

  @Override
  public void afterBlock() {
    engineSleeps = false;
  }

  private void wakeEngine() {
    VarHandle.fullFence();
    Poller p = enginePoller;
    if (engineSleeps && p != null) {
      p.wakeup();
    }
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    claim.drop();
    poller.wakeup();
    if (abandoned || !runner.awaitEnd()) {
      abandoned = true;
      inner.sever();
    }
  }

  @Override
  public String toString() {
    return localAddress().text();
  }

  // ---- the thread

  @Override
  public Next step(boolean timedOut) {
    switch (phase) {
      case REST -> {
        phase = Phase.TURN;
        return idle();
      }
      case AWAKE -> {
        phase = Phase.TURN;
        awake(timedOut);
      }
      case TURN -> {}
    }
    if (closed || ended) {
      if (!abandoned) {
        int unused = turn(); // what was committed before the port was closed still leaves
      }
      return Next.OVER;
    }
    if (turn() == 0) {
      phase = Phase.REST; // at once: every turn asks the kernel, and takes a processor from others
    }
    return Next.STEP;
  }

  @Override
  public void end(@Nullable Throwable failure) {
    ended = true;
    wakeEngine();
    try {
      if (failure != null) {
        LOG.log(System.Logger.Level.WARNING, "the thread of rail \"" + name + "\" failed", failure);
      }
    } finally {
      while (out.hasNext()) {
        out.release();
        inner.counters().increment(PortCounter.DROPPED_OUT);
      }
      lock.lock(); // the engine may be about to connect
      try {
        inner.close();
      } finally {
        lock.unlock();
      }
    }
  }

  private int turn() {
    watchdog.turn();
    lock.lock();
    try {
      int work = send();
      if (!closed) {
        sweep();
        if (in.room() >= pollRoom) {
          work += inner.poll(runner.nowNs(), TURN_LIMIT);
        }
      }
      return work;
    } finally {
      lock.unlock();
      if (handedUp) {
        handedUp = false;
        wakeEngine();
      }
    }
  }

  /** Nothing was to be done in the last turn. */
  private Next idle() {
    if (in.room() < pollRoom) {
      return Next.PAUSE; // the engine is behind: the kernel's buffer fills
    }
    sleeps = true;
    VarHandle.fullFence(); // our sleep is seen by the engine, or what it handed over by us
    boolean may = !closed && (blocked || !out.hasNext()) && closings == seenClosings;
    phase = Phase.AWAKE;
    lock.lock();
    try {
      may &= inner.prepareToBlock() && !handedUp;
    } finally {
      lock.unlock();
    }
    return may ? Next.WAIT : Next.STEP;
  }

  private void awake(boolean timedOut) {
    sleeps = false;
    lock.lock();
    try {
      if (timedOut) {
        inner.afterTimeout();
      } else {
        inner.afterBlock();
      }
    } finally {
      lock.unlock();
    }
  }

  private int send() {
    int packets = 0;
    blocked = false;
    while (packets < TURN_LIMIT && !blocked && out.hasNext()) {
      blocked = !sendNext();
      if (!blocked) {
        out.release();
        packets++;
      }
    }
    for (int i = 0; i < touched.size(); i++) { // every turn: no iterator
      OwnThreadRail rail = touched.get(i);
      rail.touched = false;
      rail.inner.flush();
    }
    touched.clear();
    return packets;
  }

  /** False if there is no room for it now. */
  private boolean sendNext() {
    int tag = out.tag();
    if (tag < 0) {
      sendReply(-tag);
      return true;
    }
    OwnThreadRail rail = table.get(tag);
    if (rail == null) {
      inner.counters().increment(PortCounter.DROPPED_OUT);
      return true;
    }
    long at = put(rail.inner, 0);
    if (at == Rail.WOULD_BLOCK) {
      return false;
    }
    if (at == Rail.CLOSED) {
      rail.dead = true;
      inner.counters().increment(PortCounter.DROPPED_OUT);
    } else if (!rail.touched) {
      rail.touched = true;
      touched.add(rail);
    }
    return true;
  }

  /** Puts the record's packet, which begins so far behind its start, on a rail. */
  private long put(Rail rail, int skip) {
    int length = out.length() - skip;
    long at = rail.claim(length);
    if (at >= 0) {
      try {
        MemorySegment.copy(out.memory(), out.offset() + skip, rail.txMemory(), at, length);
      } catch (Throwable t) {
        rail.abort();
        throw t;
      }
      rail.commit(length);
    }
    return at;
  }

  /** To whom no rail leads by one for this once: nothing is kept of those who only ask. */
  private void sendReply(int addressLength) {
    String[] addresses = addresses(out, addressLength);
    RailAddress local = local(addresses);
    OwnThreadRail known = byKey.get(out.key());
    if (known != null && !Objects.equals(known.local, local)) {
      known = null; // it leaves from another address than this was asked at
    }
    try {
      Rail rail =
          known == null ? connect(inner, new RailAddress(addresses[0]), local) : known.inner;
      try {
        long unused = put(rail, addressLength); // replies may be dropped
        rail.flush();
      } finally {
        if (known == null) {
          rail.close();
        }
      }
    } catch (RailException e) {
      inner.counters().increment(PortCounter.DROPPED_OUT);
    }
  }

  /** Closes rails that the engine closed, when everything before has left. */
  private void sweep() {
    int now = closings;
    if (now == seenClosings || out.hasNext()) {
      return;
    }
    seenClosings = now;
    for (int i = taken.nextSetBit(0); i >= 0; i = taken.nextSetBit(i + 1)) {
      OwnThreadRail rail = table.get(i);
      if (rail != null && rail.isClosedBy(now)) { // else something may have been committed since
        rail.inner.close();
        table.set(i, null);
        taken.clear(i);
        byKey.remove(rail.remoteKey(), rail);
      }
    }
  }

  // ---- what the driver hands up; the thread

  @Override
  public void onPacket(RailPort port, MemorySegment memory, long offset, int length, long source) {
    byte[] address = sender(port, source);
    long at = in.claim(address.length + length);
    if (at < 0) {
      inner.counters().increment(PortCounter.DROPPED_IN);
      return;
    }
    MemorySegment target = in.memory();
    MemorySegment.copy(address, 0, target, ValueLayout.JAVA_BYTE, at, address.length);
    MemorySegment.copy(memory, offset, target, at + address.length, length);
    in.commit(address.length + length, address.length, source);
    handedUp = true;
  }

  /** The addresses of the packet at hand, which are found again by its sender's key. */
  private byte[] sender(RailPort port, long key) {
    int place = (int) ((key * 0x9e37_79b9_7f4a_7c15L) >>> 56);
    byte[] text = senders[place];
    RailAddress local = port.destinationAddress();
    if (text == null
        || senderKeys[place] != key
        || !Objects.equals(senderDestinations[place], local)) {
      text = text(port.sourceAddress(), local);
      senders[place] = text;
      senderKeys[place] = key;
      senderDestinations[place] = local;
    }
    return text;
  }

  @Override
  public void onLinkEvent(RailPort port, @Nullable Rail rail, LinkEvent event, int errno) {
    if (rail == null && event == LinkEvent.CLOSED) {
      endErrno = errno;
      ended = true;
    } else if (rail != null) {
      OwnThreadRail own = byKey.get(rail.remoteKey());
      if (own != null) {
        boolean unused = news.offer(new News(own, event, errno)); // news is a hint, and bounded
      }
    }
    handedUp = true;
  }
}

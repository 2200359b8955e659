// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.crosstie.multirail.config.EndpointConfig;
import io.crosstie.multirail.connection.Connection;
import io.crosstie.multirail.connection.ConnectionHost;
import io.crosstie.multirail.connection.EndpointListener;
import io.crosstie.multirail.connection.NodeParts;
import io.crosstie.multirail.event.EndpointCounter;
import io.crosstie.multirail.event.NodeEvent;
import io.crosstie.multirail.handshake.HandshakeHost;
import io.crosstie.multirail.handshake.Handshaker;
import io.crosstie.multirail.handshake.SeedResolver;
import io.crosstie.multirail.memory.FormerChannels;
import io.crosstie.multirail.memory.GrantQueue;
import io.crosstie.multirail.memory.IdleMemory;
import io.crosstie.multirail.memory.MemoryRelief;
import io.crosstie.multirail.path.ProbeBudget;
import io.crosstie.multirail.port.NewPort;
import io.crosstie.multirail.port.PortInfo;
import io.crosstie.multirail.port.PortListener;
import io.crosstie.multirail.port.PortOpener;
import io.crosstie.multirail.port.PortTable;
import io.crosstie.multirail.region.RegionTable;
import io.crosstie.multirail.schedule.EstimatedCompletion;
import io.crosstie.multirail.schedule.GuardedScheduler;
import io.crosstie.multirail.schedule.PathScheduler;
import io.crosstie.reliability.channel.ChannelCore;
import io.crosstie.reliability.channel.RunQueue;
import io.crosstie.reliability.channel.Signal;
import io.crosstie.reliability.fault.PlantedFault;
import io.crosstie.reliability.memory.BufferPool;
import io.crosstie.reliability.memory.NodeMemory;
import io.crosstie.reliability.packet.PacketAssembler;
import io.crosstie.reliability.time.SlipClock;
import io.crosstie.reliability.wire.NodeName;
import io.crosstie.reliability.wire.PacketHeader;
import io.crosstie.reliability.wire.PacketValidator;
import io.crosstie.reliability.wire.Takes;
import io.crosstie.transport.Counters;
import io.crosstie.transport.LinkEvent;
import io.crosstie.transport.Poller;
import io.crosstie.transport.Rail;
import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailException;
import io.crosstie.transport.RailPort;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The core of a node, without I/O of its own: ports, handshakes, connections, timers.
 *
 * <p>Whoever owns it (a thread, the caller, a simulator) calls {@link #poll(LongSupplier,
 * boolean)}. One call is one duty cycle: first what the last one and the application left to be
 * sent is sent, then the ports are polled. In this order an answer leaves at once, and what arrived
 * is delivered before anything else is done about it. Afterwards {@link #nextDeadlineNs()} says
 * when to come back if nothing arrives. It never blocks, starts no thread and reads no clock apart
 * from the one given; randomness comes from the generator given.
 *
 * <p>Single writer: all calls come from one thread, apart from those marked otherwise.
 */
public final class Endpoint implements ConnectionHost, HandshakeHost, PortListener {
  private static final VarHandle SIGNALLED;

  static {
    try {
      SIGNALLED = MethodHandles.lookup().findVarHandle(Endpoint.class, "signalled", Signal.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** A connection whose packets were given back so often, one like the other, ends. */
  private static final int MAX_ERRORS_IN_A_ROW = 100;

  /** What could not be ended for lack of memory is tried again so much later. */
  private static final long AILING_RETRY_NS = 1_000_000L;

  private static final long SLIP_THRESHOLD_NS = 2_000_000L;
  private static final long SLIP_NOMINAL_NS = 500_000L;
  private static final long PAUSE_EVENT_NS = 100_000_000L;

  public final EndpointConfig config;
  private final RandomGenerator random;

  /** For what need not be secret and is drawn for every packet; seeded by the other. */
  private final RandomGenerator jitter;

  private final EndpointListener listener;
  private final BufferPool pool;
  private final PacketAssembler assembler = new PacketAssembler();
  private final NodeMemory memory;
  private final RegionTable regions;
  private final MemoryRelief relief;
  private final GrantQueue grants;
  private final FormerChannels formers;
  private final IdleMemory idle;
  private final Handshaker handshaker;
  private final Supplier<PathScheduler> schedulers;
  private final PacketValidator validator = new PacketValidator(Takes.IMPLEMENTED);
  private final SlipClock clock;
  private final Counters<EndpointCounter> counters = new Counters<>(EndpointCounter.class);

  /**
   * As much as nearly every header takes, and a small packet as a whole; a longer header is copied
   * in two steps.
   */
  private static final int USUAL_HEADER_LENGTH = 256;

  private final byte[] header = new byte[PacketHeader.MAX_HEADER_LENGTH];

  /** How many bytes of the packet at hand are in it. */
  private int copied;

  private final PortTable ports;
  private final ConnectionRegistry connections;

  /** The one whose packet came last. */
  private @Nullable Connection lastFound;

  /** Those that are served in this duty cycle, or the next. */
  private final RunQueue<Connection> active = new RunQueue<>(0);

  private final DeadlineSchedule schedule = new DeadlineSchedule();
  private final ProbeBudget probes = new ProbeBudget();

  private @Nullable Signal signalled; // through SIGNALLED, unless there is one thread only

  private long nowNs;
  private boolean started;

  /** Some connection could not be ended as it has to be, and is to be ended then. */
  private boolean ailing;

  private long ailingNs;

  /** Much may have arrived since ports were polled last, and nobody is to be judged before. */
  private boolean late;

  /** The last duty cycle left nothing to be done, so that what came next was a wait. */
  private boolean wasIdle;

  /** Whose short message left ahead of the duty cycle and is to be noted. */
  private @Nullable Connection sentInline;

  private boolean reinjection;
  private PlantedFault planted = PlantedFault.NONE;
  private boolean singleThreaded;

  /**
   * An endpoint without ports.
   *
   * @param random used for ids, tokens, cookies and jitter; the caller seeds it
   * @param rawClock the clock whose samples are handed to every call; asked by itself only for what
   *     a sample as old as a duty cycle would spoil
   * @param schedulers makes one path scheduler per connection
   */
  public Endpoint(
      EndpointConfig config,
      RandomGenerator random,
      LongSupplier rawClock,
      Supplier<PathScheduler> schedulers,
      EndpointListener listener) {
    this(config, random, rawClock, schedulers, listener, new BufferPool(config.largePoolBytes()));
  }

  /**
   * The same with a pool of the owner's own.
   *
   * @param pool of memory for large messages; closed with this endpoint
   */
  public Endpoint(
      EndpointConfig config,
      RandomGenerator random,
      LongSupplier rawClock,
      Supplier<PathScheduler> schedulers,
      EndpointListener listener,
      BufferPool pool) {
    NodeName.require(config.name()); // which no peer would take otherwise
    this.config = config;
    this.random = random;
    this.clock = new SlipClock(SLIP_THRESHOLD_NS, SLIP_NOMINAL_NS, rawClock);
    this.jitter = new Jitter(random.nextLong());
    this.schedulers = schedulers;
    this.listener = listener;
    this.ports = new PortTable(this, listener, this::onError, counters);
    this.reinjection = config.reinjection();
    this.connections = new ConnectionRegistry(random, counters);
    this.pool = pool;
    this.memory = new NodeMemory(config.memoryBytes(), pool);
    this.regions = new RegionTable(random, memory.share().received);
    this.formers = new FormerChannels(config.maxConnections(), counters);
    this.idle = new IdleMemory(memory.chunks());
    this.relief = new MemoryRelief(memory, formers, this::nowNs);
    this.grants = new GrantQueue(pool, relief, formers, this::nowNs);
    this.handshaker = new Handshaker(this, ports, config, clock, random, counters, listener);
  }

  // ---- ports ----

  /**
   * Opens a port; may be called while messages flow.
   *
   * @return its index
   * @throws RailException if it cannot be opened now; later failures are met by opening it again
   */
  public int addPort(PortOpener opener, long rawNowNs) throws RailException {
    return addPort(ports.open(opener), rawNowNs);
  }

  /** Opens one that is to be added; any thread. */
  public NewPort openPort(PortOpener opener) throws RailException {
    return ports.open(opener);
  }

  /**
   * Adds one that is open; may be called while messages flow.
   *
   * @return its index, see {@link PortTable#add}
   */
  public int addPort(NewPort opened, long rawNowNs) {
    tick(rawNowNs);
    return ports.add(opened, nowNs);
  }

  /** Removes a port and every rail that leaves from it, after moving its traffic to others. */
  public void removePort(int index, long rawNowNs) {
    tick(rawNowNs);
    ports.remove(index);
  }

  @Override
  public void onPortRemoved(int index) {
    ofEach(c -> c.railSet().onPortRemoved(index, nowNs));
  }

  @Override
  public void onPortLost(int index, String why) {
    ofEach(c -> c.railSet().onPortLost(index, why, nowNs));
  }

  @Override
  public void onAddressesChanged() {
    ofEach(c -> c.onAddressesChanged(nowNs));
  }

  @Override
  public void onLinkEvent(int index, Rail rail, LinkEvent event) {
    ofEach(c -> c.onLinkEvent(index, rail, event, nowNs));
  }

  /** Whatever a connection throws is its own fault, and the others get to know as well. */
  private void ofEach(Consumer<Connection> news) {
    for (Connection c : connections) {
      try {
        news.accept(c);
      } catch (RuntimeException | Error e) {
        onError(c, e);
      }
    }
  }

  public PortTable portTable() {
    return ports;
  }

  /** Ports by index, without those that were removed; any thread. */
  public List<PortInfo> ports() {
    return ports.infos();
  }

  /** The regions that this node exports. */
  public RegionTable regions() {
    return regions;
  }

  // ---- connections ----

  /**
   * Begins a connection to a named peer. Seeds are tried together, with back-off, for ever. A
   * connection to that peer which exists already, or is made by the peer meanwhile, is returned.
   *
   * @param peerName a {@link io.crosstie.reliability.wire.NodeName}
   * @throws IllegalArgumentException if it is none
   */
  public Connection connect(String peerName, List<RailAddress> seeds, long rawNowNs) {
    tick(rawNowNs);
    return handshaker.connect(peerName, seeds, nowNs);
  }

  /**
   * This node is about to close: nobody is let in any more, and whoever asks is told why. Its
   * connections go on until they are closed.
   */
  public void refuseNew() {
    handshaker.refuseNew();
  }

  @Override
  public Connection newConnection(String name, boolean initiator) {
    long id = connections.freshId();
    Connection c = new Connection(parts(), this, listener, name, initiator, id, scheduler(), nowNs);
    int all = connections.size() + 1;
    active.reserve(all); // from now on nothing that lists it needs memory
    schedule.reserve(all);
    boolean known = false;
    try {
      connections.add(c);
      listener.onConnection(c);
      known = true;
    } finally {
      if (!known) {
        c.discard(nowNs);
        ailing = true;
        ailingNs = nowNs;
      }
    }
    return c;
  }

  private NodeParts parts() {
    return new NodeParts(
        config,
        clock,
        this::nowNs,
        random,
        jitter,
        ports,
        memory,
        grants,
        relief,
        formers,
        idle,
        probes,
        assembler,
        regions,
        counters,
        () -> reinjection,
        singleThreaded,
        planted);
  }

  private PathScheduler scheduler() {
    try {
      PathScheduler made = schedulers.get();
      return made.getClass().getModule() == Endpoint.class.getModule()
              && made.getClass().getPackage() == PathScheduler.class.getPackage()
          ? made
          : new GuardedScheduler(made, this::onError);
    } catch (RuntimeException | Error e) {
      onError(null, e);
      return new EstimatedCompletion();
    }
  }

  @Override
  public void renumber(Connection c) {
    connections.renumber(c);
    lastFound = null;
  }

  @Override
  public void forget(Connection c) {
    schedule.remove(c);
    active.forget(c);
    connections.remove(c);
    lastFound = null;
    if (!schedule.isForgotten(c)) { // what throws before is tried again
      handshaker.onGone(c, nowNs);
      schedule.forget(c);
    }
  }

  /** See {@link Handshaker#reconnect}. */
  @Override
  public void reconnect(Connection c) {
    handshaker.reconnect(c, nowNs);
  }

  /** Puts the connection on the list of this duty cycle. */
  @Override
  public void enlist(Connection c) {
    boolean unused = active.add(c);
  }

  /** Pairs local ports with the peer's addresses; the initiator numbers the rails. */
  @Override
  public void pairRails(Connection c, long atNs) {
    handshaker.pairing().pair(c, atNs);
  }

  @Override
  public void seekRails(Connection c, long atNs) {
    handshaker.pairing().pairSeeds(c, atNs);
  }

  /**
   * Any thread: a channel has new offers, a closed sender, or consumed messages, or datagrams were
   * offered; the next duty cycle will look at it.
   *
   * @return whether the engine has to be woken if it sleeps; if not, whoever signalled before does
   */
  public boolean signal(Connection connection, Signal of) {
    if (!of.markSignalled()) {
      return false;
    }
    of.setSignalOwner(connection);
    if (singleThreaded) {
      of.setNextSignalled(signalled);
      signalled = of;
      return true;
    }
    Signal head;
    do {
      head = (Signal) SIGNALLED.getAcquire(this);
      of.setNextSignalled(head);
    } while (!SIGNALLED.compareAndSet(this, head, of));
    return true;
  }

  /**
   * Any thread: a message was offered on a channel. If all calls come from one thread, and nothing
   * else is to be sent or said, it leaves here and now; else the next duty cycle sends it. Either
   * way that has to come: what has left is noted there, and a peer that sleeps is woken.
   *
   * @return as {@link #signal}
   */
  public boolean offered(Connection connection, ChannelCore channel) {
    if (singleThreaded && sentInline == null && sendInline(connection, channel)) {
      return false;
    }
    return signal(connection, channel);
  }

  /**
   * As {@link #offered}, by the thread that runs duty cycles at this moment, where others may offer
   * at the same time. A peer that sleeps is woken here.
   *
   * @return whether it has left; if not, the channel is to be signalled
   */
  public boolean offeredHere(Connection connection, ChannelCore channel) {
    if (sentInline != null || !sendInline(connection, channel)) {
      return false;
    }
    try {
      connection.flushInline();
    } catch (RuntimeException | Error e) {
      onError(connection, e);
    }
    return true;
  }

  private int takeSignals() {
    Signal first = (Signal) SIGNALLED.getAcquire(this);
    if (first == null) {
      return 0;
    }
    if (singleThreaded) {
      signalled = null;
    } else {
      first = (Signal) SIGNALLED.getAndSet(this, (Signal) null);
    }
    int n = 0;
    while (first != null) {
      Signal next = first.nextSignalled();
      first.setNextSignalled(null);
      if (first.signalOwner() instanceof Connection c) {
        try {
          c.onSignal(first);
        } catch (RuntimeException | Error e) {
          onError(c, e);
        }
      }
      first = next;
      n++;
    }
    return n;
  }

  // ---- the duty cycle ----

  private void tick(long rawNowNs) {
    long before = clock.slips();
    if (clock.isLate(rawNowNs) && wasIdle) {
      clock.onWait(timersDeadlineNs()); // it is of use now only
    }
    nowNs = clock.onTick(rawNowNs);
    late |= clock.wasLate();
    started = true;
    if (clock.slips() != before) {
      counters.increment(EndpointCounter.SELF_PAUSES);
      counters.set(EndpointCounter.SELF_PAUSED_NS, clock.totalSlipNs());
      if (clock.lastSlipNs() >= PAUSE_EVENT_NS) {
        listener.onEvent(new NodeEvent.SelfPaused("", clock.lastSlipNs()));
      }
    }
    Connection c = sentInline;
    if (c != null) {
      sentInline = null;
      try {
        c.noteInline(nowNs);
      } catch (RuntimeException | Error e) {
        onError(c, e);
      }
      if (!c.state().isOver()) {
        enlist(c);
      }
    }
  }

  public long nowNs() {
    return nowNs;
  }

  @Override
  public boolean hasWork() {
    return !active.isEmpty() || SIGNALLED.getOpaque(this) != null;
  }

  /** Any thread: whether some channel was signalled and is not looked at yet. */
  public boolean isSignalled() {
    return SIGNALLED.getVolatile(this) != null;
  }

  /**
   * Least patience before a rail is suspected: the configured floor plus what the machine's own
   * jitter explains (R7).
   */
  public long suspectFloorNs() {
    return config.suspectFloorNs() + clock.jitterNs();
  }

  /** One duty cycle at that time, which must not go backwards. */
  public int poll(long rawNowNs) {
    return poll(() -> rawNowNs, true);
  }

  /**
   * One duty cycle, in this order:
   *
   * <ol>
   *   <li>if a single message was offered from another thread, it leaves before the clock is asked;
   *   <li>the time is asked for, once, and a message that left before is noted with it;
   *   <li>channels that the application signalled are looked at, and their connections enlisted;
   *   <li>ports that failed are closed, or opened again;
   *   <li>if it is much later than expected, what arrived meanwhile is taken in before anybody is
   *       judged by it (R19);
   *   <li>handshakes, grants and the relief of memory have their timers;
   *   <li>connections whose deadline has come are woken;
   *   <li>each that was enlisted or woken, here or in the cycle before, looks at its timers and
   *       sends what it may;
   *   <li>the ports are polled: packets are judged, delivered, and their connections enlisted for
   *       the next cycle.
   * </ol>
   *
   * @param sample gives the time, which must not go backwards; called once
   * @param awake whether memory that others write is looked at more than once before it returns
   *     with nothing
   * @return work done; 0 if there was nothing to do
   */
  public int poll(LongSupplier sample, boolean awake) {
    sendSignalledInline(); // 1
    boolean alone = sentInline != null;
    tick(sample.getAsLong()); // 2
    counters.increment(EndpointCounter.CYCLES);
    int work = takeSignals(); // 3
    ports.reopenFailed(nowNs); // 4
    if (late) {
      late = false;
      work += ports.drain(nowNs); // 5
    }
    runTimers(); // 6
    wakeDue(); // 7
    work += serve(); // 8
    work += ports.poll(alone, work == 0, awake, nowNs); // 9
    counters.set(EndpointCounter.POOL_BYTES, pool.usedBytes());
    counters.set(EndpointCounter.MEMORY_BYTES, memory.usedBytes());
    wasIdle = active.isEmpty();
    return work;
  }

  private void runTimers() {
    if (ailing && nowNs >= ailingNs) {
      endAiling();
    }
    handshaker.onTimers(nowNs);
    try {
      if (pool.takeReleased()) {
        grants.retry();
      }
      grants.onTimer(nowNs);
      idle.onCycle(nowNs);
      if (relief.isDue(nowNs)) {
        relief.look(idle, nowNs);
        counters.set(EndpointCounter.MEMORY_REFUSALS, memory.refusals());
      }
    } catch (RuntimeException | Error e) {
      onError(e); // nothing is half granted; it is tried again
    }
  }

  private void wakeDue() {
    for (Connection c = schedule.takeDue(nowNs); c != null; c = schedule.takeDue(nowNs)) {
      c.activate();
    }
  }

  /**
   * One channel was signalled, and perhaps because of one short message: that leaves at once. The
   * signal stays.
   */
  private void sendSignalledInline() {
    if (singleThreaded) {
      return; // it has left inside the call that offered it
    }
    if ((Signal) SIGNALLED.getAcquire(this) instanceof ChannelCore channel
        && channel.nextSignalled() == null
        && channel.signalOwner() instanceof Connection c) {
      boolean unused = sendInline(c, channel);
    }
  }

  /** Whether a message has left, which is noted with the next {@link #tick}. */
  private boolean sendInline(Connection c, ChannelCore channel) {
    boolean left;
    try {
      left = c.sendInline(channel);
    } catch (RuntimeException | Error e) {
      left = outlives(c, e) && c.hasSentInline();
    }
    if (left) {
      sentInline = c;
    }
    return left;
  }

  private int serve() {
    int work = 0;
    for (int left = active.size(); left > 0; left--) { // who comes in meanwhile, in the next cycle
      Connection c = active.removeFirst();
      try {
        work += c.service(nowNs);
      } catch (RuntimeException | Error e) {
        boolean unused = outlives(c, e);
      }
      schedule.onServed(c, nowNs);
    }
    return work;
  }

  /**
   * Something was thrown while a connection sent.
   *
   * @return whether the connection goes on: where a packet gave back what it had taken, and where a
   *     mapping is gone, whose rail finds out by itself; the safety net sends again what is missing
   */
  private boolean outlives(Connection c, Throwable e) {
    boolean whole = c.tookBack(e) && c.errorsInARow() < MAX_ERRORS_IN_A_ROW;
    if (!whole && !(e instanceof InternalError)) {
      onError(c, e);
      return false;
    }
    counters.increment(EndpointCounter.INTERNAL_ERRORS);
    c.runTimers();
    c.activate();
    return true;
  }

  /**
   * Raw time of the next deadline, Long.MAX_VALUE if there is none; in the past if there is work
   * now.
   */
  public long nextDeadlineNs() {
    if (!started || !active.isEmpty()) {
      return Long.MIN_VALUE;
    }
    long timers = timersDeadlineNs();
    long cold = ports.coldPollNs();
    return cold == Long.MAX_VALUE ? timers : Math.min(timers, clock.toRaw(cold));
  }

  private long timersDeadlineNs() {
    long deadline =
        Math.min(
            Math.min(schedule.earliestNs(), handshaker.deadlineNs()),
            Math.min(grants.deadlineNs(), Math.min(relief.deadlineNs(), idle.deadlineNs())));
    if (ailing) {
      deadline = Math.min(deadline, ailingNs);
    }
    deadline = Math.min(deadline, ports.deadlineNs(nowNs));
    return deadline == Long.MAX_VALUE ? deadline : clock.toRaw(deadline);
  }

  /**
   * Whether the engine may block: nothing is to be done, and every port has raised its sleeping
   * flag.
   */
  public boolean prepareToBlock() {
    return active.isEmpty() && ports.prepareToBlock() && SIGNALLED.getVolatile(this) == null;
  }

  /** See {@link PortTable#afterBlock}. */
  public void afterBlock() {
    ports.afterBlock();
  }

  /** See {@link PortTable#afterTimeout}. */
  public void afterTimeout() {
    ports.afterTimeout();
  }

  /** Gives each present and future port to the poller. */
  public void attach(Poller poller) {
    ports.attach(poller);
  }

  /** Whether some port cannot be waited for, so that waits must be at most a millisecond. */
  public boolean hasUnwatchedPort() {
    return ports.hasUnwatched();
  }

  // ---- errors ----

  /**
   * Something threw that should not have, an exception or an error. Whoever it was about pays for
   * it, since its state may be half changed: that connection ends with an event that says why.
   * Everybody else goes on.
   *
   * @param c the connection at hand, or null if there was none
   */
  @Override
  public void onError(@Nullable Connection c, Throwable error) {
    counters.increment(EndpointCounter.INTERNAL_ERRORS);
    if (c != null && !schedule.isForgotten(c)) {
      c.fail(error); // needs no memory, and nothing touches it any more
      end(c);
    }
    try {
      listener.onInternalError(error);
    } catch (RuntimeException | Error e) {
      // it is counted, and perhaps there is no memory to say more
    }
  }

  /** The same with no connection at hand. */
  @Override
  public void onError(Throwable error) {
    onError(null, error);
  }

  /** Ends a connection that has failed, with its event; later, if that throws, too. */
  private void end(Connection c) {
    try {
      if (c.isEnding()) {
        c.end(nowNs);
        c.activate(); // to be forgotten
        return;
      }
    } catch (RuntimeException | Error e) {
      counters.increment(EndpointCounter.INTERNAL_ERRORS);
    }
    ailing = true;
    ailingNs = nowNs + AILING_RETRY_NS;
  }

  private void endAiling() {
    ailing = false;
    for (int i = 0; i < connections.size(); i++) { // an iterator would need memory
      Connection c = connections.at(i);
      if (c.isEnding()) {
        end(c);
      } else if (c.state().isOver()) {
        c.activate();
      }
    }
  }

  // ---- what arrives ----

  /** Whatever is wrong with it or with what it leads to ends here. */
  @Override
  public void onPacket(
      int portIndex, RailPort port, MemorySegment memory, long offset, int length, long source) {
    Connection c = lastFound;
    try {
      if (c != null && c.takePredicted(memory, offset, length, source)) {
        return;
      }
      c = null;
      c = receive(portIndex, port, memory, offset, length, source);
      if (c != null) {
        c.onPacket(port, portIndex, header, copied, memory, offset, length, source, nowNs);
      }
    } catch (InternalError e) {
      throw e; // a fault in the port's mapping, most likely, and the port finds out
    } catch (RuntimeException | Error e) {
      onError(c, e);
    }
  }

  /**
   * Judges a packet.
   *
   * @return the connection that it is for, if there is one; its header is in {@link #header} then,
   *     with more of the packet behind it, {@link #copied} bytes in all
   */
  private @Nullable Connection receive(
      int portIndex, RailPort port, MemorySegment memory, long offset, int length, long source) {
    counters.increment(EndpointCounter.PACKETS_IN);
    byte[] h = header;
    copied = copyHeader(memory, offset, length);
    int headerLength = validator.validate(h, 0, copied, length, config.maxMessageBytes());
    if (headerLength < 0) {
      counters.increment(
          headerLength == PacketValidator.NOT_TAKEN
              ? EndpointCounter.NOT_TAKEN
              : EndpointCounter.INVALID_PACKETS);
      return null;
    }
    int kind = PacketHeader.kind(h, 0);
    if (kind != PacketHeader.DATA) {
      handshaker.onHandshake(kind, port, portIndex, h, length, source, nowNs);
      return null;
    }
    Connection c = byId(PacketHeader.connectionId(h, 0));
    if (c == null) {
      counters.increment(EndpointCounter.UNKNOWN_CONNECTION);
      handshaker.onUnknown(port, h, length, source, nowNs);
    }
    return c;
  }

  /**
   * Copies what may be header out of the rail's memory, which in shared memory the peer can change
   * at any time: only the private copy is judged and used (R25).
   *
   * @return how many bytes of the packet were copied
   */
  private int copyHeader(MemorySegment memory, long offset, int length) {
    int first = Math.min(length, USUAL_HEADER_LENGTH);
    MemorySegment.copy(memory, JAVA_BYTE, offset, header, 0, first);
    if (first < USUAL_HEADER_LENGTH) {
      return first;
    }
    int all = Math.min(PacketHeader.headerLength(header, 0), Math.min(length, header.length));
    if (all <= first) {
      return first;
    }
    MemorySegment.copy(memory, JAVA_BYTE, offset + first, header, first, all - first);
    return all;
  }

  /** Most packets are for the same connection as the one before. */
  private @Nullable Connection byId(long id) {
    Connection last = lastFound;
    if (last != null && last.id() == id) {
      return last;
    }
    Connection found = connections.get(id);
    if (found != null) {
      lastFound = found;
    }
    return found;
  }

  @Override
  public @Nullable Connection connectionById(long id) {
    return connections.get(id);
  }

  // ---- for everybody ----

  /**
   * Before anything else: all calls will come from one thread, also those that are open to any.
   * What is handed over then needs neither locks nor fences.
   */
  public void setSingleThreaded() {
    singleThreaded = true;
  }

  /** Before anything else: who looks up seeds that name hosts; without it they are as written. */
  public void setSeedResolver(SeedResolver resolver) {
    handshaker.setSeedResolver(resolver);
  }

  /** Changes re-injection while running; off is a negative control. */
  public void setReinjection(boolean on) {
    reinjection = on;
  }

  /** Puts a fault in, as a negative control; before anything else. */
  public void plant(PlantedFault fault) {
    planted = fault;
    regions.plant(fault);
  }

  /** What messages take, and its bounds. */
  public NodeMemory memory() {
    return memory;
  }

  /** All connections; any thread. */
  @Override
  public List<Connection> connections() {
    return connections.all();
  }

  /** Any thread. */
  public Counters<EndpointCounter> counters() {
    return counters;
  }

  /** Whether some connection is over, and the event about it waits for an offer under way. */
  public boolean isEnding() {
    for (Connection c : connections) {
      if (c.isEnding()) {
        return true;
      }
    }
    return false;
  }

  /**
   * Closes all ports and forgets all connections at once, naming what is not known to be accepted;
   * to drain, close the connections first and go on polling.
   */
  public void close() {
    for (Connection c : connections) {
      try {
        c.onNodeClosed(nowNs);
      } catch (RuntimeException | Error e) {
        onError(null, e); // the ports are closed all the same
      }
    }
    ports.close();
    pool.close();
  }
}

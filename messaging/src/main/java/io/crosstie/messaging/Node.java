// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import io.crosstie.multirail.Endpoint;
import io.crosstie.multirail.connection.Connection;
import io.crosstie.multirail.handshake.SeedResolver;
import io.crosstie.multirail.port.NewPort;
import io.crosstie.multirail.region.ExportedRegion;
import io.crosstie.multirail.region.RegionTable;
import io.crosstie.reliability.channel.ChannelCore;
import io.crosstie.reliability.memory.BufferPool;
import io.crosstie.transport.Poller;
import io.crosstie.transport.Pollers;
import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailException;
import io.crosstie.transport.linux.Libc;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One process's runtime: its rails, its peers, and the engine that moves messages between them.
 *
 * <p>Threads: with {@link Progress#thread()} any thread may call any method. With {@link
 * Progress#caller()} the first thread that makes the node work is the only one that may.
 * Application code runs only inside {@link Channel#poll} and {@link #pollEvents}.
 *
 * <p>Interrupts: one rule for node, peers, channels and claims. An interrupt makes no method fail,
 * end or do less, and each leaves the thread's interrupt flag as it was, set if it was set or an
 * interrupt came meanwhile; nothing spins because it is set. All waits are bounded by the time that
 * the caller gave. Who wants to react to interrupts waits in a loop of his own with {@link #idle()}
 * and asks {@link Thread#isInterrupted()}. An interrupt of the node's own thread is ignored.
 *
 * <p>Virtual threads may call every method. One that waits beside a node's own thread parks. One
 * that is the caller of {@link Progress#caller()} never blocks in the kernel, where it would keep
 * its carrier from others: it parks for 0.1 to 4 milliseconds at a time, the longer the longer
 * nothing has come, which is how late it may see what comes. A platform thread is the quicker one.
 *
 * <p>Errors on the engine's thread, also {@link OutOfMemoryError}, cost the one rail, connection,
 * event tap or scheduler that they are about, with an event or a line in the log, and are counted
 * by {@link EndpointCounter#INTERNAL_ERRORS} and {@link NodeCounter#FAILED_CYCLES}; the engine goes
 * on. Should its thread end all the same, every call throws an {@link IllegalStateException};
 * nothing hangs.
 */
public final class Node implements AutoCloseable {

  /** How much longer than asked a drained connection may take to say good-bye. */
  private static final Duration GOODBYE = Duration.ofMillis(250);

  /** Caller mode: so often is looked whether a rail that another thread opens is open. */
  private static final long OPENING_POLL_NS = 1_000_000L;

  /** So many names are listed to a person. */
  private static final int SOME = 8;

  /** Any thread but the one at hand. */
  private static final Thread NO_THREAD = new Thread(() -> {}, "crosstie-none");

  private static final Duration STOP_PATIENCE = Duration.ofSeconds(5);
  private static final Duration EXIT_PATIENCE = Duration.ofSeconds(1);

  private final NodeConfig config;
  private final long incarnation;
  private final SecureBits random = new SecureBits();
  private final io.crosstie.transport.Counters<NodeCounter> engineCounters =
      new io.crosstie.transport.Counters<>(NodeCounter.class);
  private final EventQueue events;
  private final Map<String, Peer> peers = new ConcurrentHashMap<>();
  private final AtomicBoolean closing = new AtomicBoolean();
  private final Endpoint endpoint;
  private final NodeRails rails;
  private final NameResolver names;
  private final Engine engine;
  private final PollWatch pollWatch;
  private volatile boolean open = true;
  private final NodeListener listener;
  private final ReadyChannels ready;
  private final RegionNews regionNews;
  private final PutPool puts;
  private final DatagramNews datagramNews;
  private final Consumer<ReadyChannels> allChannels = this::lookAtAll;

  /** {@link #poll} is running. */
  private boolean polling;

  private boolean oddPoll;

  private @Nullable Thread hook;

  private Node(NodeConfig config, LongSupplier clock) throws RailException {
    this.config = config;
    this.pollWatch = new PollWatch(this);
    this.ready = new ReadyChannels(this, config.progress().isCaller());
    this.regionNews = new RegionNews(this, config.progress().isCaller());
    this.puts = new PutPool(config.progress().isCaller());
    this.datagramNews = new DatagramNews(this, config.progress().isCaller());
    this.events = new EventQueue(engineCounters, config.name(), config.eventTaps());
    this.listener = new NodeListener(this, events);
    this.incarnation = drawIncarnation();
    this.endpoint =
        new Endpoint(
            config.core(incarnation),
            random,
            clock,
            config.schedulers(),
            listener,
            new BufferPool(
                config.core(incarnation).largePoolBytes(),
                Libc.whyUnavailable() == null ? new PagedMemory() : new ClearedMemory()));
    if (config.progress().isCaller()) {
      endpoint.setSingleThreaded();
    }
    AppWait appWait = new AppWait(CpuBudget.ofThisProcess(), clock);
    this.names = new NameResolver(config.name(), config.drivers());
    endpoint.setSeedResolver(names);
    Poller poller = Pollers.create();
    boolean complete = false;
    try {
      this.engine =
          new Engine(
              config.name(),
              new EndpointDriver(endpoint, listener),
              poller,
              clock,
              config.progress(),
              appWait,
              engineCounters);
      if (!config.cycleHooks().isEmpty()) {
        engine.setHooks(new CycleHooks(config.name(), config.cycleHooks(), clock, engineCounters));
      }
      this.rails = new NodeRails(config, incarnation, endpoint, random, events, engine::nowNs);
      endpoint.attach(poller);
      complete = true;
    } finally {
      if (!complete) {
        poller.close();
      }
    }
  }

  private long drawIncarnation() {
    long drawn;
    do {
      drawn = random.nextLong();
    } while (drawn == 0); // which stands for "not known yet"
    return drawn;
  }

  // ------------------------------------------------------------------ start

  /**
   * Opens the rails, begins to connect to the peers that have seeds, and starts the engine. Does
   * not wait for any peer, nor for the name of one to be looked up; a name that a rail is to be
   * bound to is waited for.
   *
   * <p>An interrupt does not end it.
   *
   * @throws CrosstieException if a rail cannot be opened or no thread can be started; nothing is
   *     left open then
   */
  public static Node start(NodeConfig config) {
    return start(config, System::nanoTime);
  }

  static Node start(NodeConfig config, LongSupplier clock) {
    Node node;
    try {
      node = new Node(config, clock);
    } catch (RailException e) {
      throw new CrosstieException("node " + config.name() + " cannot start: " + e.getMessage(), e);
    }
    boolean started = false;
    try {
      node.rails.openConfigured();
      node.connectPeers();
      node.addHook();
      node.engine.start(config.progress().threads());
      started = true;
      if (config.statistics()) {
        CounterPublisher.ofProcess().add(node);
      }
      return node;
    } finally {
      if (!started) {
        node.abandon();
      }
    }
  }

  private void connectPeers() {
    config
        .seeds()
        .forEach(
            (peerName, seeds) -> {
              Peer peer = new Peer(this, peerName, seeds, true);
              peers.put(peerName, peer);
              if (!seeds.isEmpty()) {
                peer.bind(endpoint.connect(peerName, seeds, engine.nowNs()));
              }
            });
  }

  private void addHook() {
    if (!config.shutdownHook()) {
      return;
    }
    Thread thread = new Thread(this::closeAtExit, "crosstie-exit-" + name());
    try {
      Runtime.getRuntime().addShutdownHook(thread);
      hook = thread;
    } catch (IllegalStateException e) {
      throw new CrosstieException("node " + name() + " cannot start while the JVM ends", e);
    }
  }

  // ------------------------------------------------------------------ for the others in this
  // package

  Engine engine() {
    return engine;
  }

  /** Whether it was not closed yet, so that messages may still be offered. Any thread. */
  public boolean isOpen() {
    return open;
  }

  /** A message was offered. */
  void offered(Connection connection, ChannelCore channel) {
    if (!engine.isCallerMode() && engine.isInHook()) { // by the thread that runs duty cycles
      if (!endpoint.offeredHere(connection, channel) && endpoint.signal(connection, channel)) {
        engine.wake();
      }
    } else if (engine.tryEnterToSend()) {
      boolean more = false;
      try {
        more = !endpoint.offeredHere(connection, channel) && endpoint.signal(connection, channel);
      } finally {
        engine.leaveAfterSend(more);
      }
    } else if (endpoint.offered(connection, channel)) {
      engine.wake();
    }
  }

  /** A datagram was offered. */
  void offeredDatagram(Connection connection) {
    if (engine.tryEnterToSend()) {
      boolean more = false;
      try {
        more = endpoint.signal(connection, connection.datagrams().signal());
      } finally {
        engine.leaveAfterSend(more);
      }
    } else if (endpoint.signal(connection, connection.datagrams().signal())) {
      engine.wake();
    }
  }

  /** A peer is to be asked for something that somebody may be waiting for. */
  void asked(Connection connection, ChannelCore channel) {
    if (endpoint.signal(connection, channel)) {
      engine.wake();
    }
  }

  void signal(Connection connection, ChannelCore channel) {
    if (endpoint.signal(connection, channel)) {
      engine.wakeConsumed();
    }
  }

  /** The engine's thread. */
  void publish(NodeEvent event) {
    events.add(event);
    engine.noteProgress();
  }

  boolean knows(String peer) {
    return peers.containsKey(peer);
  }

  /** The engine's thread. */
  boolean isConfigured(String peerName) {
    return config.seeds().containsKey(peerName);
  }

  /** The engine's thread: a node asks to connect. */
  boolean mayConnect(String peerName) {
    boolean may = config.acceptUnknownPeers() || peers.containsKey(peerName);
    if (!may) {
      engineCounters.increment(NodeCounter.PEERS_REFUSED);
    }
    return may;
  }

  /** The engine's thread: a connection came into being. */
  void onConnection(Connection connection) {
    String peerName = connection.peerName();
    Peer peer = peers.get(peerName);
    if (peer == null) {
      if (peers.size() >= config.core(incarnation).maxConnections()) {
        peers.values().removeIf(Peer::isSpent); // R24
      }
      peer = new Peer(this, peerName, List.of(), false);
      peers.put(peerName, peer);
    }
    peer.bind(connection);
  }

  /** The engine's thread. */
  void onRejected(NodeEvent.Rejected rejected) {
    Peer peer = peers.get(rejected.peer());
    if (peer != null && peer.onRejected(rejected)) {
      EngineLog.log(
          System.Logger.Level.WARNING,
          "node "
              + name()
              + " is rejected by "
              + rejected.address()
              + ", where it looks for \""
              + rejected.peer()
              + "\" ("
              + rejected.reason()
              + "): "
              + rejected.why(),
          null);
    }
  }

  PollWatch pollWatch() {
    return pollWatch;
  }

  private void listAll() {
    listener.list(ready);
    ready.begin(allChannels);
  }

  ReadyChannels ready() {
    return ready;
  }

  /** The engine's thread, once in a duty cycle. */
  void listReady() {
    ready.onCycle(allChannels);
  }

  /** The engine's thread. */
  private void lookAtAll(ReadyChannels of) {
    peers.values().forEach(peer -> peer.lookAtAll(of));
  }

  @Nullable Peer peerOrNull(String peerName) {
    return peers.get(peerName);
  }

  /** What a seed of a peer leads to, as far as is known. */
  SeedResolver.@Nullable Answer found(RailAddress seed) {
    return names.found(seed);
  }

  /** See {@link NameResolver#recheck}. */
  Map<RailAddress, SeedResolver.Answer> recheckNames(List<RailAddress> seeds) {
    return names.recheck(seeds);
  }

  /** Who is connected and was not configured, for a person. */
  List<String> unexpectedPeers() {
    return peers.values().stream()
        .filter(peer -> peer.isUp() && !isConfigured(peer.name()))
        .map(Peer::name)
        .sorted()
        .limit(SOME)
        .toList();
  }

  /** The engine's thread: a channel is over, and its number is free. */
  void onChannelFreed(Connection connection, ChannelCore channel) {
    Peer peer = peers.get(connection.peerName());
    if (peer != null) {
      peer.forget(channel);
    }
  }

  /** Waits, driving the protocol in caller mode, until a condition holds. */
  void await(Duration timeout, BooleanSupplier condition, Supplier<String> whatFailed) {
    long beginNs = engine.nowNs();
    long timeoutNs = nanos(timeout);
    while (!condition.getAsBoolean()) {
      if (!open) {
        throw new CrosstieException("node " + name() + " was closed during the wait");
      }
      long leftNs = timeoutNs - (engine.nowNs() - beginNs);
      if (leftNs <= 0) {
        throw new CrosstieTimeoutException(whatFailed.get());
      }
      engine.idle(0, leftNs);
    }
  }

  private static long nanos(Duration duration) {
    return duration.compareTo(Duration.ofDays(365)) > 0
        ? Duration.ofDays(365).toNanos()
        : Math.max(0, duration.toNanos());
  }

  String describeRails() {
    return rails.describe();
  }

  // ------------------------------------------------------------------ identity and peers

  /** This node's name. */
  public String name() {
    return config.name();
  }

  /** What it was started with. */
  public NodeConfig config() {
    return config;
  }

  /** The random number that this node drew at its start; never 0. */
  public long incarnation() {
    return incarnation;
  }

  /**
   * The peer of that name: a configured one, or one that has connected.
   *
   * @throws CrosstieException if there is none
   */
  public Peer peer(String name) {
    Peer peer = peers.get(Objects.requireNonNull(name, "name"));
    if (peer == null) {
      throw new CrosstieException(
          "no peer \""
              + name
              + "\"; known are "
              + peers.keySet()
              + ". Configure it with peer(\""
              + name
              + "\", seed), or without a seed if it will connect to this node, or wait for its"
              + " PeerUp event");
    }
    return peer;
  }

  /**
   * The peer of that rank, which is known once it has connected ({@link Peer#rank()}); of several
   * the one that is up.
   *
   * @throws CrosstieException if there is none
   */
  public Peer peer(int rank) {
    Peer found = null;
    for (Peer peer : peers.values()) {
      if (rank >= 0 && peer.rank() == rank && (found == null || peer.isUp())) {
        found = peer;
      }
    }
    if (found == null) {
      throw new CrosstieException(
          "no peer of rank "
              + rank
              + " has connected to node "
              + name()
              + " yet; wait for its PeerUp event, and see that it is started with rank("
              + rank
              + ")");
    }
    return found;
  }

  /**
   * Adds a peer while the node runs, and begins to connect to it, as to a configured one. If it is
   * connected already, or connects meanwhile, that connection is kept. Where it is known already
   * nothing else happens.
   *
   * @param name as for {@link NodeConfigBuilder#peer}
   * @param seeds at least one address
   * @return the peer
   * @throws CrosstieException if the name or a seed cannot be one
   */
  public Peer addPeer(String name, String... seeds) {
    List<RailAddress> addresses = config.seedsOf(name, List.of(seeds));
    if (addresses.isEmpty()) {
      throw new CrosstieException(
          "peer \"" + name + "\" is added without a seed; one that connects by itself need not be");
    }
    return onEngine(
        () -> {
          Peer peer = peers.get(name);
          if (peer == null) {
            peer = new Peer(this, name, addresses, true);
            peers.put(name, peer);
            peer.bind(endpoint.connect(name, addresses, engine.nowNs()));
          }
          return peer;
        });
  }

  /** All peers: the configured ones, and those that have connected. */
  public Collection<Peer> peers() {
    return Collections.unmodifiableCollection(peers.values());
  }

  // ------------------------------------------------------------------ receiving

  /**
   * Hands messages of all channels to the handler, in order on each, and tells completions of
   * {@link Channel#send}: also on channels that only the peer has opened, and on those of former
   * connections ({@link Peer#formerChannels}). It looks at channels with something to poll only,
   * each in its turn, so what it costs does not grow with their number. In caller mode it first
   * drives the protocol, once. What the handler throws is thrown here; that message counts as
   * consumed. After {@link #close()} it hands out no messages any more, but still tells
   * completions. Datagrams take at most half of the limit.
   *
   * <p>One thread at a time polls. A channel may also be polled by itself, but not meanwhile.
   *
   * @param handler called on this thread only, and only inside this call
   * @param limit most messages and completions, at least 1
   * @return how many there were; less than the limit does not mean that nothing is left
   */
  public int poll(ChannelHandler handler, int limit) {
    engine.check();
    Objects.requireNonNull(handler, "handler");
    if (limit < 1) {
      throw new IllegalArgumentException("limit must be at least 1: " + limit);
    }
    if (polling) {
      throw new IllegalStateException(
          "node "
              + name()
              + " is being polled already, by another thread or by the handler that is running;"
              + " poll it from one place");
    }
    polling = true;
    try {
      if (engine.callersDrive()) {
        int unused = engine.drive();
      }
      if (ready.isOff()) {
        begin();
      }
      int told = regionNews.poll(handler, limit);
      oddPoll = !oddPoll;
      int half = (limit - told + (oddPoll ? 1 : 0)) / 2; // so that neither holds up the other
      told += datagramNews.poll(handler, half);
      return told < limit ? told + ready.poll(handler, limit - told) : told;
    } finally {
      polling = false;
    }
  }

  /**
   * The same for regions alone: tells notifications and what became of puts and flushes, to whoever
   * polls channels one by one.
   *
   * @param limit most notifications and completions, at least 1
   * @return how many there were
   */
  public int pollRegions(NotificationHandler handler, int limit) {
    return pollAlone(regionNews, handler, limit);
  }

  /**
   * The same for datagrams alone, to whoever polls channels one by one.
   *
   * @param limit most datagrams, at least 1
   * @return how many there were
   */
  public int pollDatagrams(DatagramHandler handler, int limit) {
    return pollAlone(datagramNews, handler, limit);
  }

  private <H> int pollAlone(ConnectionNews<H> news, H handler, int limit) {
    engine.check();
    Objects.requireNonNull(handler, "handler");
    if (polling) {
      throw new IllegalStateException(
          "node " + name() + " is being polled already; poll it from one place");
    }
    polling = true;
    try {
      if (engine.callersDrive()) {
        int unused = engine.drive();
      }
      return news.poll(handler, limit);
    } finally {
      polling = false;
    }
  }

  // ------------------------------------------------------------------ regions

  /** {@link #export(MemorySegment, Set, Peer)} for all peers. */
  public Region export(MemorySegment segment, Set<Region.Right> rights) {
    return new Region(this, usable(segment, rights), bits(rights), null);
  }

  /**
   * Exports memory: peers that know the region's key may use it from now on, without a poll here.
   *
   * @param segment native memory that can be written unless it is only got from, mapped or not, of
   *     a shared, automatic or global arena; if the caller makes progress, also of an arena
   *     confined to that thread. With {@link Region.Right#ATOMIC} it is not mapped, and its address
   *     a multiple of 8. It must stay until {@link Region#close()} has returned; if it does not,
   *     the region is closed by that, and nothing else happens
   * @param rights what peers may do
   * @param who the only peer that may
   * @throws CrosstieException if there are as many regions as there may be
   */
  public Region export(MemorySegment segment, Set<Region.Right> rights, Peer who) {
    return new Region(this, usable(segment, rights), bits(rights), who.name());
  }

  private static int bits(Set<Region.Right> rights) {
    if (rights.isEmpty()) {
      throw new IllegalArgumentException("a region without a right is of no use; name one");
    }
    int bits = 0;
    for (Region.Right right : rights) {
      bits |= right.bit;
    }
    return bits;
  }

  private MemorySegment usable(MemorySegment segment, Set<Region.Right> rights) {
    boolean isWritten = !rights.equals(Set.of(Region.Right.GET));
    if (!segment.isNative() || (isWritten && segment.isReadOnly())) {
      throw new IllegalArgumentException(
          "peers write to a region, and this segment is "
              + (segment.isNative() ? "read-only" : "on the heap")
              + "; take native memory from Arena.ofShared()");
    }
    boolean isAligned = segment.address() % Long.BYTES == 0 && !segment.isMapped();
    if (rights.contains(Region.Right.ATOMIC) && !isAligned) {
      throw new IllegalArgumentException(
          "atomic operations need memory that begins at a multiple of 8, and is no file; take it"
              + " from Arena.ofShared(), with an alignment of 8");
    }
    checkShared(segment, isWritten ? "writes to it" : "reads it");
    return segment;
  }

  /** Refuses memory that belongs to one thread where others may use it. */
  void checkShared(MemorySegment segment, String what) {
    if (!segment.isAccessibleBy(engine.isCallerMode() ? Thread.currentThread() : NO_THREAD)) {
      throw new IllegalArgumentException(
          "the segment belongs to one thread, and another one "
              + what
              + "; take memory of Arena.ofShared()");
    }
  }

  long openRegion(Region region, MemorySegment memory, int rights, @Nullable String who) {
    long key =
        onEngine(
            () -> {
              ExportedRegion made = endpoint.regions().export(memory, rights, who, region);
              return made == null ? 0L : made.key();
            });
    if (key == 0) {
      throw new CrosstieException(
          "node "
              + name()
              + " exports "
              + RegionTable.MOST
              + " regions, or its memory for messages is used up; close some, or raise"
              + " memoryBytes");
    }
    return key;
  }

  void closeRegion(long key) {
    try {
      if (!engine.isStopped() && !engine.hasFailed()) {
        int unused =
            onEngine(
                () -> {
                  endpoint.regions().close(key);
                  return 0;
                });
        return;
      }
    } catch (CrosstieException e) {
      if (!engine.isStopped()) {
        throw e;
      }
    }
    if (engine.isEndingHere()) {
      endpoint.regions().close(key);
    } else if (!engine.awaitEnd(
        STOP_PATIENCE)) { // what arrives as it ends is put where it belongs, too
      throw new CrosstieException(
          "node "
              + name()
              + " is being closed, and has not ended after "
              + ConfigRules.text(STOP_PATIENCE)
              + "; peers may still use the region; close it again later, before its memory goes");
    }
  }

  DatagramNews datagramNews() {
    return datagramNews;
  }

  PutPool puts() {
    return puts;
  }

  RegionNews regionNews() {
    return regionNews;
  }

  private void begin() {
    if (engine.isStopped()) {
      if (engine.awaitEnd(STOP_PATIENCE)) {
        listAll(); // there is no other thread any more
      }
    } else {
      int unused =
          onEngine(
              () -> {
                listAll();
                return 0;
              });
    }
  }

  // ------------------------------------------------------------------ progress

  /** {@link #idle(int)} after a look that found nothing. */
  public void idle() {
    engine.idle(0);
  }

  /**
   * Passes a little time when there was no work, and returns early when there may be some: ten
   * milliseconds at most. In caller mode it drives the protocol and, if it may block, waits for
   * packets: for up to 25 milliseconds, and once nothing has happened for a while for up to 100, a
   * quarter of that while; on a virtual thread for four. An interrupt that comes meanwhile may end
   * it early, one that is pending does not. Who has more to look after than this node says so by
   * the work count, or uses {@link #doWork()}.
   *
   * @param workCount what the application's loop found to do; above 0 it returns at once
   */
  public void idle(int workCount) {
    engine.idle(workCount);
  }

  /**
   * {@link #idle()} for somebody who waits for nothing but what this node does or tells: a message,
   * an event, what a {@link CycleHook} does. It passes up to that much time, and so costs a thread
   * that waits for long hardly anything; what other threads do is not seen meanwhile.
   *
   * @param longest above zero
   */
  public void idle(Duration longest) {
    engine.idleUntilNews(nanos(longest));
  }

  /**
   * One duty cycle on this thread, unless progress is by a thread of the node's own; where it is
   * shared and another thread is at it, none. Does not wait, and takes no notice of interrupts.
   *
   * @return work done, 0 for none
   */
  public int doWork() {
    if (!engine.callersDrive()) {
      throw new IllegalStateException(
          "node "
              + name()
              + " has a thread of its own that does the work; leave out doWork(), or configure"
              + " progress(Progress.caller())");
    }
    engine.check();
    return engine.drive();
  }

  /**
   * Has the {@link CycleHook} called soon, at the end of a duty cycle or by itself, though there be
   * nothing else to do; for layers above that have given something to it. Where progress is shared
   * that is inside of this call, unless another thread is at it, which then does it; in caller mode
   * the next call runs it. Any thread.
   */
  public void wakeUp() {
    engine.wakeUp();
  }

  /**
   * Hands out the events that are waiting. What the handler throws is thrown here, and that event
   * counts as delivered. Does not wait, and takes no notice of interrupts.
   *
   * @return how many there were
   */
  public int pollEvents(EventHandler handler) {
    engine.check();
    int limit = events.size();
    int count = 0;
    while (count < limit) {
      NodeEvent event = events.poll();
      if (event == null) {
        break;
      }
      count++;
      handler.onEvent(event);
    }
    return count;
  }

  // ------------------------------------------------------------------ rails

  /**
   * Opens one more rail while messages flow. Returns when it is open; that may take as long as a
   * name server if a host is named. An interrupt does not end the wait.
   *
   * @param uri as for {@link NodeConfigBuilder#rail}
   * @return its index in {@link #ports()}
   * @throws CrosstieException if it cannot be opened
   */
  public int addRail(String uri) {
    RailSpec rail = RailSpec.parse(uri);
    ConfiguredRail opener = onEngine(() -> rails.opener(rail));
    NewPort opened = engine.isCallerMode() ? openDriving(rail, opener) : rails.open(rail, opener);
    boolean added = false;
    try {
      int index = onEngine(() -> rails.add(opened));
      added = true;
      return index;
    } finally {
      if (!added) {
        opened.close();
      }
    }
  }

  /** Another thread opens it, and this one, which is the engine's too, goes on meanwhile. */
  private NewPort openDriving(RailSpec rail, ConfiguredRail opener) {
    FutureTask<NewPort> opening = new FutureTask<>(() -> rails.open(rail, opener));
    try {
      opener.run(opening);
    } catch (OutOfMemoryError e) {
      throw new CrosstieException(
          "node "
              + name()
              + " cannot open rail \""
              + rail
              + "\": the thread for it could not be started ("
              + e.getMessage()
              + "); raise the limit on threads (ulimit -u, or pids.max of the control group), or"
              + " name the rail before the node starts",
          e);
    }
    try {
      while (!opening.isDone()) {
        engine.idle(0, OPENING_POLL_NS);
      }
    } finally {
      if (!opening.isDone()) { // this engine has failed meanwhile
        opener.run(() -> closeQuietly(opening));
      }
    }
    if (opening.state() == Future.State.SUCCESS) {
      return opening.resultNow();
    }
    if (opening.exceptionNow() instanceof RuntimeException told) {
      throw told;
    }
    throw new CrosstieException(
        "node " + name() + " cannot open rail \"" + rail + "\"", opening.exceptionNow());
  }

  private static void closeQuietly(Future<NewPort> opening) {
    try {
      opening.get().close();
    } catch (InterruptedException | ExecutionException e) {
      // there is nothing to close
    }
  }

  /**
   * Closes a rail while messages flow, which go on by the others; to the peers it is gone, not
   * broken. An interrupt does not end the wait for the engine.
   */
  public void removeRail(int index) {
    int unused =
        onEngine(
            () -> {
              rails.checkExists(index);
              rails.remove(index);
              return index;
            });
  }

  /** The same by the text with which it was configured or added. */
  public void removeRail(String uri) {
    int unused =
        onEngine(
            () -> {
              int index = rails.indexOf(uri);
              rails.remove(index);
              return index;
            });
  }

  private <T> T onEngine(Callable<T> action) {
    try {
      return engine.call(action);
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new CrosstieException("node " + name() + ": " + e.getMessage(), e);
    }
  }

  /**
   * Switches re-injection while running: the negative control, see {@link
   * NodeConfigBuilder#reinjection}. An interrupt does not end the wait for the engine.
   */
  public void setReinjection(boolean on) {
    int unused =
        onEngine(
            () -> {
              endpoint.setReinjection(on);
              return 0;
            });
  }

  /** The local ends of rails, with name, address and counters; a snapshot. */
  public List<PortInfo> ports() {
    return rails.ports();
  }

  /** Where peers can find this node: seeds for their configuration. */
  public List<NodeAddress> localAddresses() {
    return ports().stream()
        .filter(PortInfo::open)
        .map(port -> new NodeAddress(port.address()))
        .toList();
  }

  /** Counters of the protocol. */
  public Counters<EndpointCounter> counters() {
    return new CoreCounters<>(EndpointCounter.class, endpoint.counters());
  }

  /** Counters of the progress engine. */
  public Counters<NodeCounter> engineCounters() {
    return new CoreCounters<>(NodeCounter.class, engineCounters);
  }

  // ------------------------------------------------------------------ the end

  /** Closes with the configured linger; an interrupt does not shorten it. */
  @Override
  public void close() {
    close(config.closeLinger());
  }

  /**
   * Refuses new messages, waits until what was offered is accepted, tells the peers, and releases
   * threads, ports and files. Idempotent; never throws because a peer is gone. An interrupt does
   * not shorten it. Where another thread closes the node already, this one waits for it.
   *
   * @param linger how long to wait at most
   * @throws IllegalStateException if a {@link CycleHook} calls it
   */
  public void close(Duration linger) {
    if (engine.isInHook()) {
      throw new IllegalStateException(
          "node "
              + name()
              + " cannot be closed by a cycle hook, which runs inside its duty cycle; note it"
              + " there, and close the node elsewhere");
    }
    if (engine.isCallerMode() && !engine.hasFailed()) {
      engine.check();
    }
    shutDown(linger, STOP_PATIENCE);
    removeHook();
  }

  private void shutDown(Duration linger, Duration patience) {
    if (!closing.compareAndSet(false, true)) {
      boolean unused =
          engine.awaitEnd(Duration.ofNanos(nanos(linger)).plus(GOODBYE).plus(patience));
      return;
    }
    open = false;
    try {
      if (!engine.hasFailed() && !engine.isStopped()) {
        int unused =
            onEngine(
                () -> {
                  endpoint.refuseNew();
                  return 0;
                });
        close(endpoint::connections, linger);
      }
    } catch (RuntimeException e) {
      log()
          .log(
              System.Logger.Level.WARNING,
              "node " + name() + " could not take leave of its peers",
              e);
    } finally {
      names.close();
      engine.stop(patience);
      if (config.statistics()) {
        CounterPublisher.ofProcess().remove(this);
      }
    }
  }

  /**
   * Closes connections and waits until they are over, for linger and a little.
   *
   * @param which on the engine's thread, where it is certain which ones are current
   */
  void close(Supplier<List<Connection>> which, Duration linger) {
    long lingerNs = nanos(linger);
    List<Connection> connections =
        onEngine(
            () -> {
              List<Connection> found = List.copyOf(which.get());
              found.forEach(connection -> connection.close(lingerNs, engine.nowNs()));
              return found;
            });
    long endNs = engine.nowNs() + lingerNs + GOODBYE.toNanos();
    for (long leftNs = endNs - engine.nowNs();
        leftNs > 0
            && !engine.isStopped()
            && !connections.stream().allMatch(connection -> connection.state().isOver());
        leftNs = endNs - engine.nowNs()) {
      engine.idle(0, leftNs);
    }
  }

  private void closeAtExit() {
    if (engine.isCallerMode()) {
      engine.stopAtExit(EXIT_PATIENCE);
    } else {
      shutDown(Duration.ZERO, EXIT_PATIENCE);
    }
  }

  private void removeHook() {
    Thread thread = hook;
    if (thread != null) {
      try {
        boolean unused = Runtime.getRuntime().removeShutdownHook(thread);
      } catch (IllegalStateException e) {
        // the JVM ends, and the hook finds nothing left to do
      }
    }
  }

  /** The start failed. */
  private void abandon() {
    closing.set(true);
    open = false;
    names.close();
    engine.stop(STOP_PATIENCE);
    removeHook();
  }

  @Override
  public String toString() {
    return "node " + name() + " " + localAddresses();
  }

  /** Asked for when there is something to log: to find the system's loggers takes a while. */
  private static System.Logger log() {
    return System.getLogger("io.crosstie");
  }
}

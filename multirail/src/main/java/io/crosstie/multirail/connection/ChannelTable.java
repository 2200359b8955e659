// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.connection;

import io.crosstie.multirail.config.EndpointConfig;
import io.crosstie.multirail.event.EventSink;
import io.crosstie.multirail.event.NodeEvent;
import io.crosstie.multirail.memory.MemoryUser;
import io.crosstie.multirail.memory.PeerMemory;
import io.crosstie.multirail.path.Paths;
import io.crosstie.reliability.channel.ChannelCore;
import io.crosstie.reliability.channel.ChannelEngine;
import io.crosstie.reliability.channel.ChannelLimits;
import io.crosstie.reliability.channel.ChannelSender;
import io.crosstie.reliability.channel.PlacementChannels;
import io.crosstie.reliability.channel.Priority;
import io.crosstie.reliability.channel.RunQueue;
import io.crosstie.reliability.channel.Status;
import io.crosstie.reliability.fault.PlantedFault;
import io.crosstie.reliability.memory.NodeMemory;
import io.crosstie.reliability.memory.PathBytes;
import io.crosstie.reliability.wire.Introduction;
import io.crosstie.reliability.wire.Takes;
import io.crosstie.transport.Counters;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The channels of a connection by their numbers, from the first use of a number until both sides
 * have closed its channel; and whose turn it is to send, to have its state told, or to have
 * something else said.
 *
 * <p>Channels are made by any thread; the engine's knows one from its first news on, and all else
 * is done by that thread.
 */
final class ChannelTable implements MemoryUser {
  /** {@link #find} found none: the channel was over before; the peer knows, or asks by its FIN. */
  static final long FORMER = -1;

  /** {@link #find} found none: there is no room now, and there will be; to be sent again. */
  static final long LATER = -2;

  /** {@link #find} found none, and there will be none. */
  static final long NEVER = -3;

  /** Copies of large messages that one channel holds; what fits the last cache goes quickest. */
  private static final long LARGE_SEND_BYTES = 16L << 20;

  /** Who is sent more on such channels meanwhile tells of them when they come again. */
  private static final int MAX_REFUSALS = 64;

  private final EndpointConfig config;
  private final long maxAckDelayNs;
  private final PeerMemory memory;
  private final Counters<ConnectionCounter> counters;
  private final LongSupplier clock;
  private final PlantedFault planted;
  private final boolean singleThreaded;
  private final Paths paths;
  private final EventSink events;
  private final ChannelListener listener;

  private final ConcurrentHashMap<Integer, ChannelCore> channels = new ConcurrentHashMap<>();

  /** Of them, counted before they are made. */
  private final AtomicInteger count = new AtomicInteger();

  // what the connection is
  private volatile boolean connected;
  private volatile long status;
  private volatile boolean over;
  private long peerCredit;
  private boolean peerTakesHeaders;
  private long peerMaxMessageBytes; // published by connected
  private boolean peerTakesPlaced; // the same
  private boolean peerTakesRequests; // the same
  private String peerName = "";
  private long peerIncarnation;

  // the engine's side
  private final ArrayList<ChannelEngine> engines = new ArrayList<>();
  private @Nullable ChannelEngine last;
  private final ChannelUses uses;

  /** Channels that the peer has ended and that are not over. */
  private int endedByPeer;

  /** Channels on which the peer has to be told that nothing is taken. */
  private final ArrayDeque<Integer> refusals = new ArrayDeque<>();

  /** Something may be due that packets have to take along, and nobody has looked since. */
  private boolean news;

  /** Some channel could not send, and nobody was told of it. */
  private boolean stalled;

  /** Channels that may have something new to send, by priority. */
  private final RunQueue<ChannelEngine> highReady = new RunQueue<>(0);

  private final RunQueue<ChannelEngine> normalReady = new RunQueue<>(0);

  /** Channels whose state the peer does not know. */
  private final RunQueue<ChannelEngine> dirty = new RunQueue<>(1);

  /** Those among them that are urgent: who is before one is told at once, too; none overtakes. */
  private final RunQueue.Mark urgent = new RunQueue.Mark(7);

  /** How many these are. */
  private int urgents;

  /** Channels with an RTS, CTS, abort or end to send. */
  private final RunQueue<ChannelEngine> attention = new RunQueue<>(2);

  /** Channels of which messages may have been consumed, whose memory comes back. */
  private final RunQueue<ChannelEngine> consumed = new RunQueue<>(3);

  /** On channels that the engine knows. */
  private final RunQueue.Mark adopted = new RunQueue.Mark(4);

  /** On channels that the peer opened, and was charged for. */
  private final RunQueue.Mark openedByPeer = new RunQueue.Mark(5);

  /**
   * An empty one.
   *
   * @param paths whose round trips matter
   * @param holds what they hold
   */
  ChannelTable(
      NodeParts node,
      Counters<ConnectionCounter> counters,
      Paths paths,
      PathBytes holds,
      EventSink events,
      ChannelListener listener) {
    this.config = node.config();
    this.maxAckDelayNs = config.maxAckDelayNs();
    this.memory =
        new PeerMemory(
            node.memory().share(holds),
            node.grants(),
            node.relief(),
            node.formers(),
            node.idle(),
            this);
    this.counters = counters;
    this.clock = node.nowNs();
    this.planted = node.planted();
    this.singleThreaded = node.singleThreaded();
    this.paths = paths;
    this.events = events;
    this.listener = listener;
    this.uses = new ChannelUses(config.maxChannels());
  }

  // ---- any thread ----

  /**
   * Opens or finds a channel. The first call decides the priority, also of one that the peer has
   * opened. One that is over is not found any more: its number gives a new one.
   *
   * @param priority null if it does not matter
   * @return null if the bound on channels is reached
   */
  @Nullable ChannelCore channel(int number, @Nullable Priority priority) {
    if (number < 0) {
      throw new IllegalArgumentException("channel " + number + " must be 0 or more");
    }
    ChannelCore made = channels.get(number);
    while (made == null || made.isFreed()) {
      if (made != null) {
        takeOut(made); // the engine is about to
      }
      made = channels.computeIfAbsent(number, n -> newChannel(n, priority));
      if (made == null) {
        return null;
      }
    }
    if (priority != null) {
      boolean unused = made.choosePriority(priority); // the first time counts
    }
    if (over) {
      made.terminate(status); // end() may have missed it
    }
    return made;
  }

  private void takeOut(ChannelCore core) {
    if (channels.remove(core.number(), core)) {
      count.decrementAndGet();
    }
  }

  /** Those of the application that there are, in no order; a snapshot. */
  List<ChannelCore> channels() {
    return channels.values().stream().filter(core -> !core.isPlacement()).toList();
  }

  /** Whether placed messages can be sent; 0, or why not. Any thread. */
  long placedStatus() {
    if (status != 0) {
      return status;
    }
    if (!connected) {
      return Status.CONNECTING;
    }
    return peerTakesPlaced ? 0 : Status.UNSUPPORTED;
  }

  /** The same of requests. */
  long requestStatus() {
    long why = placedStatus();
    return why == 0 && !peerTakesRequests ? Status.UNSUPPORTED : why;
  }

  /** What the peer may take of the node's memory. */
  NodeMemory.Share share() {
    return memory.share();
  }

  /** A message was placed, or given up, which counts as consumed. */
  void onPlaced(ChannelEngine engine) {
    boolean unused = consumed.add(engine);
  }

  /** The channel if it exists. */
  @Nullable ChannelCore existing(int number) {
    return channels.get(number);
  }

  /** Null if there is no room for another. */
  private @Nullable ChannelCore newChannel(int number, @Nullable Priority priority) {
    boolean made = false;
    try {
      boolean room =
          count.incrementAndGet() <= config.maxChannels() + PlacementChannels.COUNT
              && (PlacementChannels.exists(number) || hasRoom());
      ChannelCore core = room ? makeChannel(number, priority) : null;
      made = room;
      return core;
    } finally {
      if (!made) {
        count.decrementAndGet();
      }
    }
  }

  /** For one of the application's, apart from placement channels, which are not counted. */
  private boolean hasRoom() {
    int placement = 0;
    for (int i = 0; i < PlacementChannels.COUNT; i++) {
      placement += channels.containsKey(PlacementChannels.FIRST + i) ? 1 : 0;
    }
    return count.get() - placement <= config.maxChannels();
  }

  private ChannelCore makeChannel(int number, @Nullable Priority priority) {
    // An application that saw the connection up is refused what the peer does not take from the
    // first offer on, before the engine has looked at the channel.
    long peerTakes = connected ? peerMaxMessageBytes : Long.MAX_VALUE;
    ChannelLimits limits =
        new ChannelLimits(
            Math.min(config.maxMessageBytes(), peerTakes),
            config.eagerLimitBytes(),
            config.initialWindowBytes(),
            config.channelWindowBytes(),
            config.sendLogBytes(),
            Math.max(config.sendLogBytes(), LARGE_SEND_BYTES));
    ChannelCore core = new ChannelCore(number, priority, limits, memory.share());
    core.engine().plant(planted);
    if (singleThreaded) {
      core.setSingleThreaded();
    }
    long ended = status;
    if (ended != 0) {
      core.engine().terminate(ended);
    }
    return core;
  }

  // ---- what becomes of the connection ----

  /** The handshake is done: the credit and the bound on messages that the peer begins with. */
  void connect(Introduction peer) {
    peerName = peer.name();
    peerIncarnation = peer.incarnation();
    peerCredit = peer.limits().channelCredit();
    peerMaxMessageBytes = peer.limits().maxMessageLength();
    peerTakesHeaders = (peer.takes() & Takes.HEADERS) != 0;
    peerTakesPlaced = (peer.takes() & Takes.PLACED_MESSAGES) != 0;
    peerTakesRequests = peerTakesPlaced && (peer.takes() & Takes.REGION_REQUESTS) != 0;
    connected = true;
    for (ChannelCore core : channels.values()) {
      if (adopted.isOn(core.engine())) {
        connect(core.engine());
      } else {
        adopt(core);
      }
    }
  }

  /** What was offered before the connection was up can leave now. */
  void lookAtAll() {
    for (int i = 0; i < engines.size(); i++) {
      engines.get(i).sender().announceNext();
      look(engines.get(i));
    }
  }

  /** The connection is to be closed: nothing more is offered. */
  void closeSending() {
    status = Status.CLOSED;
    for (ChannelCore core : channels.values()) {
      core.closeSending();
      look(core.engine());
    }
  }

  /** Whether nothing is under way that was offered. */
  boolean areDrained() {
    boolean drained = true;
    for (int i = 0; i < engines.size(); i++) {
      drained &= engines.get(i).sender().isDrained();
    }
    return drained;
  }

  /**
   * The connection is over: channels that are made from now on answer that status, nothing is sent
   * any more, and {@link #end} has to follow. Needs no memory.
   */
  void setOver(long terminalStatus) {
    status = terminalStatus;
    over = true;
  }

  /** After {@link #setOver}: every channel is told. May be done again if it throws. */
  void end() {
    boolean unused = takeBackConsumed();
    consumed.clear();
    highReady.clear();
    normalReady.clear();
    attention.clear();
    dirty.clear();
    urgents = 0;
    for (ChannelCore core : channels.values()) {
      boolean unusedSealed = core.engine().terminate(status);
      listener.onChannel(core);
    }
  }

  /** After {@link #end}, and once no rail is open: gives back what nobody needs any more. */
  void closeMemory(long nowNs) {
    memory.close(engines, nowNs);
  }

  /**
   * After {@link #end}: whether what was offered is final everywhere, and no application thread in
   * the middle of an offer.
   */
  boolean seal() {
    boolean sealed = true;
    for (ChannelCore core : channels.values()) {
      sealed &= core.engine().terminate(status);
    }
    return sealed;
  }

  /** Messages offered and not known to be accepted. */
  List<NodeEvent.Unknown> unknown() {
    List<NodeEvent.Unknown> list = new ArrayList<>();
    for (ChannelCore core : channels.values()) {
      long offered = core.offeredSequence();
      long first = core.engine().sender().firstUndecided();
      if (first <= offered && !core.isPlacement()) { // whose completions tell
        list.add(new NodeEvent.Unknown(core.number(), first, offered));
      }
    }
    return List.copyOf(list);
  }

  // ---- which channel ----

  /** Those that the engine knows, in the order in which it came to know them; not to be changed. */
  List<ChannelEngine> engines() {
    return engines;
  }

  /** A channel, made known to the engine if it is new to it; null if there is none. */
  @Nullable ChannelEngine of(int number) {
    ChannelEngine before = last; // most frames are about the same channel as the one before
    if (before != null && before.number() == number) {
      return before;
    }
    ChannelCore core = channels.get(number);
    if (core == null || core.isFreed()) {
      return null;
    }
    if (!adopted.isOn(core.engine())) {
      adopt(core);
    }
    last = core.engine();
    return last;
  }

  /** The channel that {@link #find} has found. */
  ChannelEngine found(int number) {
    ChannelEngine channel = of(number);
    if (channel == null) {
      throw new IllegalStateException("there is no channel " + number);
    }
    return channel;
  }

  /**
   * Finds the channel that a message of the peer belongs to, and opens it if it is new. What no
   * peer sends that keeps to the protocol is counted; whom there is no room for is told.
   *
   * @param onWire the message's number as the frame tells it, which says what use of the channel's
   *     number it is of
   * @return the message's number within that use, 0 or more: its channel is {@link #found}; else
   *     {@link #FORMER}, {@link #LATER} or {@link #NEVER}
   */
  long find(int number, long onWire) {
    ChannelEngine engine = of(number);
    if (engine != null) {
      long message = onWire - engine.receiver().inBase();
      if (message >>> ChannelUses.USE_SHIFT == 0 || (message > 0 && engine.isLongUse())) {
        return message;
      }
    }
    long message = onWire - ChannelUses.base(onWire);
    if (uses.isSeen(number, onWire)) {
      counters.increment(ConnectionCounter.FORMER_USE_IN);
      boolean taken = planted == PlantedFault.FORMER_USE_TAKEN;
      return taken && engine != null && engine.receiver().hasPeerUse() ? message : FORMER;
    }
    if (!uses.canSee()) {
      return LATER;
    }
    if (uses.isRefused(number)) {
      return refuse(number);
    }
    if (engine != null && !engine.receiver().hasPeerUse()) {
      begins(engine, onWire);
      return message;
    }
    if (engine != null) {
      // The peer has used the number anew: it has seen all of this one, and its last word is late.
      if (!engine.mayBeOver()) {
        counters.increment(ConnectionCounter.PROTOCOL_ERRORS);
        return NEVER;
      }
      counters.add(
          ConnectionCounter.MESSAGES_ACCEPTED,
          engine.sent().tail() - engine.core().acceptedSequence());
      engine.sender().concede();
      free(engine);
      if (!engine.core().isFreed()) {
        return LATER;
      }
    }
    long refusal = open(number, onWire);
    return refusal == 0 ? message : refusal;
  }

  private void begins(ChannelEngine engine, long onWire) {
    uses.see(engine.number(), onWire);
    engine.receiver().setPeerUse(ChannelUses.base(onWire));
  }

  /** The peer opens a channel; 0, or why it is not opened. */
  private long open(int number, long onWire) {
    if (PlacementChannels.isReserved(number) && !PlacementChannels.exists(number)) {
      counters.increment(ConnectionCounter.PROTOCOL_ERRORS);
      return NEVER;
    }
    if (!memory.share().tryOpen()) {
      return LATER;
    }
    ChannelCore core = channels.computeIfAbsent(number, n -> newChannel(n, null));
    if (core == null) {
      memory.share().closeOne();
      return isAnyEnding() || !uses.refuse(number) ? LATER : refuse(number);
    }
    adopt(core);
    ChannelEngine engine = core.engine();
    begins(engine, onWire);
    openedByPeer.put(engine);
    engine.sender().setUse(uses.give(number)); // an answer need not wait for a duty cycle
    last = engine;
    if (!core.isPlacement()) {
      events.onEvent(new NodeEvent.ChannelOpenedByPeer(peerName, number, peerIncarnation));
    }
    listener.onChannel(core);
    return 0;
  }

  /** The peer sends on a channel for which there is no room. */
  private long refuse(int number) {
    counters.increment(ConnectionCounter.CHANNELS_REFUSED);
    tellRefusal(number);
    return NEVER;
  }

  /** The peer has to be told that nothing is taken on a channel. */
  void tellRefusal(int number) {
    if (refusals.size() < MAX_REFUSALS && !refusals.contains(number)) {
      refusals.addLast(number);
    }
    news = true;
  }

  /** Whether the peer has to be told of a channel on which nothing is taken. */
  boolean isRefusalDue() {
    return !refusals.isEmpty();
  }

  /** The one that it is told of now. */
  int takeRefusal() {
    return refusals.removeFirst();
  }

  /** Whether a channel that counts against the bound may be over as the peer sees it. */
  private boolean isAnyEnding() {
    for (int i = 0; endedByPeer > 0 && i < engines.size(); i++) {
      if (engines.get(i).mayBeOver()) {
        return true;
      }
    }
    return false;
  }

  private void adopt(ChannelCore core) {
    ChannelEngine engine = core.engine();
    int all = engines.size() + 1;
    highReady.reserve(all); // from now on nothing that lists it needs memory
    normalReady.reserve(all);
    attention.reserve(all);
    dirty.reserve(all);
    consumed.reserve(all);
    memory.reserve();
    engines.add(engine);
    adopted.put(engine);
    if (connected) {
      connect(engine);
    }
  }

  private void connect(ChannelEngine engine) {
    engine.connect(peerCredit, peerMaxMessageBytes);
    if (!peerTakesHeaders) {
      engine.refuseHeaders();
    }
  }

  // ---- what happens to channels ----

  /** News from the application about a channel: offers, consumed messages, an end. */
  void onSignal(ChannelCore core) {
    core.clearSignal();
    if (core.isFreed()) {
      return;
    }
    ChannelEngine engine = core.engine();
    if (!adopted.isOn(engine)) {
      adopt(core);
    }
    boolean unused = consumed.add(engine);
    if (over) {
      boolean unusedNews = takeBackConsumed();
      memory.polled(engine);
      if (core.hasUnpolled()) {
        listener.onChannel(core); // it was sent just as this ended, and the end may be told
      }
      return;
    }
    if (engine.sender().isRefused()) {
      giveUp(engine); // it was offered while the refusal came
      return;
    }
    engine.sender().announceNext();
    look(engine);
  }

  /** The peer has ended its sending on a channel. */
  void onFin(ChannelEngine engine, long lastSequence) {
    boolean isNews = !engine.received().isPeerFinal();
    if (!engine.receiver().onFin(lastSequence)) {
      counters.increment(ConnectionCounter.PROTOCOL_ERRORS);
      return;
    }
    endedByPeer += isNews ? 1 : 0;
    lookAtState(engine);
    listener.onChannel(engine.core());
    trimFinished(engine);
  }

  /** The peer takes nothing on a channel. */
  void onPeerRefused(int number) {
    ChannelEngine engine = of(number);
    if (engine == null
        || engine.core().acceptedSequence() > 0
        || engine.received().accepted() > 0) {
      counters.increment(ConnectionCounter.PROTOCOL_ERRORS); // it did take it
      return;
    }
    giveUp(engine);
  }

  /** Names what was offered on a channel that is refused, unless that was done already. */
  private void giveUp(ChannelEngine engine) {
    boolean known = engine.sender().isRefused();
    long first = engine.refuse();
    if (first > 0 || !known) {
      long last = first > 0 ? engine.sent().tail() : 0;
      events.onEvent(new NodeEvent.ChannelRefused(peerName, engine.number(), first, last));
      listener.onChannel(engine.core());
    }
  }

  /**
   * Both sides may have closed it: then it keeps no memory for messages, and if the peer knows
   * that, its number is free.
   */
  void trimFinished(ChannelEngine engine) {
    if (engine.isFinished()) {
      engine.trim();
      memory.trimmed();
      if (engine.isOver() && !engine.receiver().isStateDirty()) {
        free(engine);
      }
    }
  }

  /** It is over: nothing is kept of it but what the peer has to be told for the last time. */
  private void free(ChannelEngine engine) {
    if (engine.core().isFreed() || over || !uses.canGive() || !engine.free()) {
      return;
    }
    lookAtState(engine); // the last that the peer hears of it
    ChannelCore core = engine.core();
    takeOut(core);
    boolean unused = engines.remove(engine);
    endedByPeer--;
    if (last == engine) {
      last = null;
    }
    memory.forget(engine);
    if (openedByPeer.isOn(engine)) {
      memory.share().closeOne();
    }
    counters.increment(ConnectionCounter.CHANNELS_FREED);
    listener.onFreed(core);
  }

  /**
   * Gives back the memory of what was consumed.
   *
   * @return whether the peer has to be told of that at once
   */
  boolean takeBackConsumed() {
    boolean urgent = false;
    while (!consumed.isEmpty()) {
      ChannelEngine engine = consumed.removeFirst();
      if (engine.received().isWide()) {
        tune(engine);
      }
      if (engine.received().release()) {
        memory.released(engine);
        if (!over) {
          lookAtState(engine);
          urgent |= engine.receiver().isStateUrgent();
        }
      }
      trimFinished(engine);
    }
    return urgent;
  }

  /** The application is told that something is new on a channel. */
  void tell(ChannelEngine engine) {
    listener.onChannel(engine.core());
  }

  // ---- what is told of the node's memory ----

  @Override
  public void onGranted(ChannelEngine engine) {
    look(engine);
    listener.activate();
  }

  @Override
  public void onRevoked(ChannelEngine engine) {
    counters.increment(ConnectionCounter.GRANTS_REVOKED);
    onGranted(engine);
  }

  @Override
  public void onTriedAgain(ChannelEngine engine) {
    lookAtState(engine);
    listener.activate();
  }

  @Override
  public void onDropped(ChannelEngine engine, long first, long last) {
    events.onEvent(
        new NodeEvent.MessagesDropped(peerName, peerIncarnation, engine.number(), first, last));
  }

  @Override
  public long longestRttNs() {
    return paths.longestRttNs();
  }

  // ---- what it takes of the node's memory ----

  /** The peer waits for credit on a channel, with that message. */
  void onSenderWaits(ChannelEngine engine, long seq) {
    tune(engine);
    engine.received().onSenderWaits(seq);
    queueIfRefused(engine);
  }

  private void tune(ChannelEngine engine) {
    engine.received().tune(clock.getAsLong(), paths.networkRttNs());
  }

  /** If a channel was refused memory just now it waits for it. */
  void queueIfRefused(ChannelEngine engine) {
    memory.queueIfRefused(engine);
  }

  /** The peer announced a large message; false if it cannot be one. */
  boolean requestGrant(ChannelEngine engine, long seq, long length, int behind, int round) {
    return memory.request(engine, seq, length, behind, round);
  }

  /** Takes a rail that the peer begins into account; false if there is no memory for it now. */
  boolean tryBeginRail() {
    return memory.share().tryBeginRail();
  }

  // ---- whose turn it is ----

  /** Whether something may be due that packets have to take along, since {@link #newsTold}. */
  boolean hasNews() {
    return news;
  }

  /** All that is due was looked for, and nothing was. */
  void newsTold() {
    news = false;
  }

  /** Puts a channel into the queues it belongs to. */
  void look(ChannelEngine engine) {
    if (!connected || over) {
      return;
    }
    if (engine.sender().needsUse()) {
      engine.sender().setUse(uses.give(engine.number()));
    }
    if (!highReady.contains(engine)) { // nor in the other
      int sending = engine.sender().sendState();
      if (sending == ChannelSender.READY) {
        boolean unused = ready(engine.takePriority()).add(engine);
      } else if (sending == ChannelSender.NEEDS_CREDIT) {
        onCreditStall(engine); // the first message, too, may wait for it
        stalled = true;
      }
    }
    for (long failed = engine.sender().takeFailure();
        failed != 0;
        failed = engine.sender().takeFailure()) {
      String why = String.valueOf(engine.sent().error(failed));
      events.onEvent(new NodeEvent.MessageFailed(peerName, engine.number(), failed, why));
    }
    if (!attention.contains(engine) && engine.needsAttention()) {
      boolean unused = attention.add(engine);
      news = true;
    }
    lookAtState(engine);
  }

  private void onCreditStall(ChannelEngine engine) {
    if (engine.sender().onCreditStall()) {
      counters.increment(ConnectionCounter.CREDIT_STALLS);
    }
  }

  /** The same where nothing but what it has received can have changed. */
  void lookAtState(ChannelEngine engine) {
    memory.used(engine);
    if (!dirty.contains(engine)) {
      if (!engine.receiver().isStateDirty()) {
        return;
      }
      boolean unused = dirty.add(engine);
      engine.receiver().stateDirtySinceNs(clock.getAsLong());
      news = true;
    }
    if (engine.receiver().isStateUrgent()) {
      if (!urgent.isOn(engine)) {
        urgent.put(engine);
        urgents++;
      }
      news = true;
    }
  }

  private RunQueue<ChannelEngine> ready(Priority priority) {
    return priority == Priority.HIGH ? highReady : normalReady;
  }

  /** The channel of that priority that may send next, or null. */
  @Nullable ChannelEngine nextReady(Priority priority) {
    RunQueue<ChannelEngine> queue = ready(priority);
    ChannelEngine channel = queue.peekFirst();
    while (channel != null) {
      int state = channel.sender().sendState();
      if (state == ChannelSender.READY) {
        return channel;
      }
      stalled = true;
      if (state == ChannelSender.NEEDS_CREDIT) {
        onCreditStall(channel);
      } else if (state == ChannelSender.NEEDS_GRANT) {
        counters.increment(ConnectionCounter.GRANT_WAITS);
      }
      ChannelEngine unused = queue.removeFirst();
      if (state != ChannelSender.IDLE
          || channel.sender().isAbortDue()
          || channel.sender().isAskDue()
          || channel.sender().isFinDue()) {
        look(channel); // else it has nothing to say but what is known
      }
      channel = queue.peekFirst();
    }
    return null;
  }

  /** Whether a channel waits for its turn to send. */
  boolean isAnyReady() {
    return !highReady.isEmpty() || !normalReady.isEmpty();
  }

  /** A channel has had its turn. */
  void sent(ChannelEngine channel) {
    RunQueue<ChannelEngine> queue = ready(channel.priority());
    if (queue.size() > 1 && queue.peekFirst() == channel) {
      queue.rotate();
    }
  }

  /** Whether, since it was asked last, some channel could not send what it has. */
  boolean takeStalled() {
    boolean any = stalled;
    stalled = false;
    return any;
  }

  /** How many channels have something to say besides messages and their state. */
  int attentions() {
    return attention.size();
  }

  /** The one whose turn that is; it has to be looked at again once it has said it. */
  ChannelEngine takeAttention() {
    return attention.removeFirst();
  }

  /** Whether some channel's state may have to be told, now or later. */
  boolean isAnyDirty() {
    return !dirty.isEmpty();
  }

  /** When the state that has waited longest has to be told; Long.MAX_VALUE if none waits. */
  long stateDeadlineNs() {
    ChannelEngine channel = dirty.peekFirst();
    return channel == null
        ? Long.MAX_VALUE
        : channel.receiver().stateDirtySinceNs() + maxAckDelayNs;
  }

  /** Whether that of the channel whose turn it is has to be told now. */
  boolean isStateDue(long nowNs) {
    ChannelEngine channel = dirty.peekFirst();
    while (channel != null && !channel.receiver().isStateDirty()) {
      removeFirstDirty();
      channel = dirty.peekFirst();
    }
    return channel != null
        && (urgents > 0
            || channel.receiver().isStateUrgent()
            || nowNs - channel.receiver().stateDirtySinceNs() >= maxAckDelayNs);
  }

  /**
   * The channel whose state is told now, or null. {@link #stateTold} has to follow.
   *
   * @param patienceNs so long it waits for company
   */
  @Nullable ChannelEngine takeDirty(long patienceNs, long nowNs) {
    ChannelEngine channel = dirty.peekFirst();
    if (channel == null
        || (urgents == 0
            && !channel.receiver().isStateUrgent()
            && nowNs - channel.receiver().stateDirtySinceNs() < patienceNs)) {
      return null;
    }
    removeFirstDirty();
    return channel.receiver().isStateDirty() ? channel : null;
  }

  private void removeFirstDirty() {
    ChannelEngine first = dirty.removeFirst();
    if (urgent.isOn(first)) {
      urgent.remove(first);
      urgents--;
    }
  }

  /** What a channel's peer was told just now may have been the last that there was to say. */
  void stateTold(ChannelEngine engine) {
    if (engine.isFinished() && !engine.core().isFreed()) {
      boolean unused = consumed.add(engine);
    }
  }
}

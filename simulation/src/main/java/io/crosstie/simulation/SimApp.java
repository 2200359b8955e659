// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.simulation;

import io.crosstie.multirail.Endpoint;
import io.crosstie.multirail.connection.Connection;
import io.crosstie.multirail.connection.EndpointListener;
import io.crosstie.multirail.event.NodeEvent;
import io.crosstie.reliability.channel.ChannelCore;
import io.crosstie.reliability.channel.MessageHandler;
import io.crosstie.reliability.channel.Pieces;
import io.crosstie.reliability.channel.ReceiveQueue;
import io.crosstie.reliability.channel.Status;
import io.crosstie.simulation.Scenario.Flow;
import io.crosstie.simulation.Scenario.Kind;
import io.crosstie.simulation.Scenario.StreamSpec;
import io.crosstie.transport.RailAddress;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * A tiny application: it offers what its streams say, takes what arrives, and tells the ledger
 * about both. Sometimes it answers RETRY_LATER, or does not poll for a while.
 */
final class SimApp implements EndpointListener {
  private static final long BLOCKED_RETRY_NS = 200_000;
  private static final long CLOSED_RETRY_NS = 20_000_000;
  private static final int POLL_LIMIT = 64;
  private static final int OFFERS_PER_STEP = 64;

  /** As long as a message may be where neighbours want the pool. */
  static final int LARGEST = 2 << 20;

  /** So much more is a message's hash for each byte of its header. */
  private static final long HEADER_HASH = 0x9e3779b97f4a7c15L;

  private final Pieces pieces = new Pieces();

  /** Where messages are written before they are offered; too large to be made for each run. */
  private static final ThreadLocal<MemorySegment> BUFFER =
      ThreadLocal.withInitial(() -> MemorySegment.ofArray(new byte[(2 << 20) + 16]));

  /** A peer's connection and the channels of it that this side knows. */
  private static final class Session {
    final Connection connection;
    final Map<Integer, ChannelCore> channels = new LinkedHashMap<>();
    final Map<Integer, LedgerEntry> in = new LinkedHashMap<>();

    /** How many channels of each number are over. */
    final Map<Integer, Integer> freed = new HashMap<>();

    /** Some that are over, and have completions to be told. */
    final List<ChannelCore> over = new ArrayList<>();

    Session(Connection connection) {
      this.connection = connection;
    }

    int use(int channel) {
      return freed.getOrDefault(channel, 0);
    }
  }

  /** A stream under way. */
  private static final class Out {
    final StreamSpec spec;
    final String peer;
    int left;

    /** Of the channel that is used. */
    int number;

    long nextNs;
    boolean blocked;
    long retryNs;
    @Nullable Session session;
    @Nullable LedgerEntry entry;

    Out(StreamSpec spec, int left, long nextNs) {
      this.spec = spec;
      this.peer = Scenario.name(spec.to());
      this.number = spec.channel();
      this.left = left;
      this.nextNs = nextNs;
    }
  }

  private final Simulation simulation;
  private final SimProcess process;
  private final SplittableRandom random;
  private final List<Out> outs = new ArrayList<>();
  private final List<Session> sessions = new ArrayList<>();
  private final ArrayDeque<MemorySegment> spare = new ArrayDeque<>();
  private final MemorySegment buffer = BUFFER.get();
  private @Nullable Arena lentArena;
  private final boolean reuses;
  private final @Nullable SimPlacer placer;
  private final @Nullable SimDatagrams datagrams;
  private final @Nullable SimRanks ranks;
  private boolean acted;

  SimApp(
      Simulation simulation, SimProcess process, SplittableRandom random, @Nullable SimApp before) {
    this.simulation = simulation;
    this.process = process;
    this.random = random;
    this.reuses = simulation.scenario().kind() == Kind.REUSE;
    this.placer = SimPlacer.isIn(simulation.scenario()) ? new SimPlacer(simulation, process) : null;
    this.datagrams =
        SimDatagrams.isIn(simulation.scenario())
            ? new SimDatagrams(simulation, process, simulation.datagrams())
            : null;
    RankBook book = simulation.ranks();
    this.ranks = book == null ? null : new SimRanks(simulation, process, book, before != null);
    for (StreamSpec spec : simulation.scenario().streams()) {
      if (spec.from() == process.index) {
        int left = spec.messages();
        if (before != null) {
          for (Out out : before.outs) {
            if (out.spec.equals(spec)) {
              left = out.left;
            }
          }
        }
        long first = spec.gapNs() == 0 ? 0 : random.nextLong(spec.gapNs());
        outs.add(new Out(spec, left, simulation.clock().nowNs() + first));
      }
    }
  }

  /** What it puts into regions; null if it does not. */
  @Nullable SimPlacer placer() {
    return placer;
  }

  /** After every step. */
  void check() {
    if (placer != null) {
      placer.check();
    }
    if (datagrams != null) {
      datagrams.check(connections());
    }
  }

  /** What beside streams is not complete, or null. */
  @Nullable String whatIsMissing() {
    if (ranks != null) {
      return ranks.whatIsMissing();
    }
    String missing = placer == null ? null : placer.whatIsMissing();
    return missing != null || datagrams == null
        ? missing
        : SimDatagrams.whatIsMissing(connections());
  }

  private List<Connection> connections() {
    List<Connection> list = new ArrayList<>();
    for (Session session : sessions) {
      list.add(session.connection);
    }
    return list;
  }

  /** For which channels what was received is charged. */
  String whatIsCharged() {
    StringBuilder text = new StringBuilder();
    for (Session session : sessions) {
      for (ChannelCore channel : session.channels.values()) {
        ReceiveQueue queue = channel.engine().received();
        if (queue.chargedBytes() > 0) {
          text.append("; channel ").append(channel.number());
          text.append(" of ").append(session.connection.peerName());
          text.append(", ").append(session.connection.state());
          text.append(": ").append(queue.chargedBytes());
          text.append(", ").append(queue.unpolled()).append(" not polled");
        }
      }
    }
    return text.toString();
  }

  /** What it does as a rank; null if it is none. */
  @Nullable SimRanks ranks() {
    return ranks;
  }

  /** Opens the connections that this side opens. */
  void start(Endpoint endpoint) {
    if (placer != null) {
      placer.start(endpoint);
    }
    Scenario scenario = simulation.scenario();
    for (int other = 0; other < scenario.nodes(); other++) {
      boolean pair = other != process.index && (other == 0 || process.index == 0 || ranks != null);
      if (pair && (process.index > other || scenario.bothDial())) {
        List<RailAddress> seeds = simulation.addressesOf(other);
        Connection unused = endpoint.connect(Scenario.name(other), seeds, process.rawNowNs());
      }
    }
  }

  // ---- what the endpoint tells

  @Override
  public boolean mayConnect(String peerName) {
    return !peerName.equals(Intruder.STRANGER);
  }

  @Override
  public void onConnection(Connection connection) {
    sessions.add(new Session(connection));
  }

  @Override
  public void onChannel(Connection connection, ChannelCore channel) {
    Session session = sessionOf(connection);
    if (session != null && !channel.isPlacement()) {
      session.channels.putIfAbsent(channel.number(), channel);
    }
  }

  @Override
  public void onChannelFreed(Connection connection, ChannelCore channel) {
    Session session = sessionOf(connection);
    if (session != null && !channel.isPlacement()) {
      int number = channel.number();
      session.channels.remove(number);
      session.in.remove(number);
      session.freed.merge(number, 1, Integer::sum);
      for (Out out : outs) {
        if (out.entry != null && out.entry.core == channel) {
          out.retryNs = 0;
          session.over.add(channel);
        }
      }
    }
  }

  @Override
  public void onEvent(NodeEvent event) {
    simulation
        .trace()
        .note(
            simulation.clock().nowNs(),
            event.getClass().getSimpleName().hashCode(),
            process.index,
            () -> process.name + " hears " + event);
    if (event instanceof NodeEvent.PeerUp up) {
      for (Session session : sessions) {
        Connection c = session.connection;
        if (c.peerName().equals(up.peer()) && c.peerIncarnation() == up.incarnation()) {
          simulation.ledger().bind(c, up.incarnation(), simulation.clock().nowNs());
          simulation.noteUp(c);
        }
      }
    }
    simulation.invariants().onEvent(process, event, this::connectionsTo);
  }

  @Override
  public void onInternalError(Throwable error) {
    simulation.network().failed(error);
  }

  private List<Connection> connectionsTo(String peer) {
    List<Connection> list = new ArrayList<>();
    for (Session session : sessions) {
      if (session.connection.peerName().equals(peer)) {
        list.add(session.connection);
      }
    }
    return list;
  }

  private @Nullable Session sessionOf(Connection connection) {
    for (Session session : sessions) {
      if (session.connection == connection) {
        return session;
      }
    }
    return null;
  }

  /**
   * The receiving end of an entry's channel, if this application has it, its connection alive or
   * over.
   */
  @Nullable ChannelCore receiving(LedgerEntry entry) {
    for (Session session : sessions) {
      if (session.connection.peerId() == entry.connection.id()
          && session.use(entry.channel) == entry.use) {
        return session.connection.existingChannel(entry.channel);
      }
    }
    return null;
  }

  // ---- what it does

  /** Whether the stream may offer now, whatever the clock says: it is its turn. */
  private boolean hasTurn(Out out) {
    return switch (out.spec.flow()) {
      case FREE -> out.left > 0;
      case ASKS -> out.left > 0 && offered(out) <= received(out);
      case ANSWERS, ANSWERS_AT_ONCE -> offered(out) < received(out);
    };
  }

  /** Messages that this side offered in the present session. */
  private long offered(Out out) {
    LedgerEntry entry = out.entry;
    return entry == null || out.session != current(out.peer) ? 0 : entry.offered;
  }

  /** Messages of the same channel that came in it. */
  private long received(Out out) {
    Session session = current(out.peer);
    LedgerEntry in = session == null ? null : session.in.get(out.spec.channel());
    return in == null ? 0 : in.delivered;
  }

  /** When it wants to run. */
  long nextNs() {
    if (ranks != null) {
      return Math.max(ranks.nextNs(), process.lazyUntilNs);
    }
    long next = Long.MAX_VALUE;
    for (Out out : outs) {
      if (hasTurn(out)) {
        next = Math.min(next, out.blocked ? out.retryNs : out.nextNs);
      }
    }
    if (placer != null) {
      next = Math.min(next, Math.max(placer.nextNs(), process.lazyUntilNs));
    }
    if (datagrams != null) {
      next = Math.min(next, Math.max(datagrams.nextNs(), process.lazyUntilNs));
    }
    if (process.lazyUntilNs > simulation.clock().nowNs()) {
      next = Math.min(next, process.lazyUntilNs);
    }
    return next;
  }

  /** Whether everything was offered. */
  boolean isDone() {
    if (ranks != null) {
      return ranks.isDone();
    }
    for (Out out : outs) {
      boolean answers = out.spec.flow() != Flow.FREE && out.spec.flow() != Flow.ASKS;
      if (answers ? hasTurn(out) : out.left > 0) {
        return false;
      }
    }
    return (placer == null || placer.isDone()) && (datagrams == null || datagrams.isDone());
  }

  /** Polls and offers; true if anything was done. */
  boolean step(Endpoint endpoint) {
    acted = false;
    long nowNs = simulation.clock().nowNs();
    if (ranks != null) {
      return nowNs >= process.lazyUntilNs && ranks.step(endpoint, connections());
    }
    if (nowNs >= process.lazyUntilNs) {
      for (Session session : sessions) {
        for (ChannelCore channel : List.copyOf(session.channels.values())) {
          if (channel.number() == process.unpolled) {
            continue;
          }
          process.mayStop();
          poll(endpoint, session, channel);
        }
        while (!session.over.isEmpty()) {
          acted |= session.over.getLast().reportCompletions(POLL_LIMIT) > 0;
          session.over.removeLast();
        }
      }
    }
    SimPlacer places = placer;
    if (places != null && nowNs >= process.lazyUntilNs) {
      for (Session session : sessions) {
        acted |= places.poll(session.connection);
      }
      process.mayStop();
      acted |= places.step(endpoint, connections());
    }
    SimDatagrams sends = datagrams;
    if (sends != null && nowNs >= process.lazyUntilNs) {
      for (Session session : sessions) {
        acted |= sends.poll(session.connection);
      }
      process.mayStop();
      acted |= sends.step(endpoint, connections());
    }
    for (Out out : outs) {
      offer(endpoint, out, nowNs);
    }
    if (reuses && nowNs >= process.lazyUntilNs) {
      endWhatThePeerHasEnded(endpoint);
    }
    return acted;
  }

  /** Where channels are closed and opened again: some time after the peer this side closes, too. */
  private void endWhatThePeerHasEnded(Endpoint endpoint) {
    for (Session session : sessions) {
      for (ChannelCore channel : List.copyOf(session.channels.values())) {
        if (channel.isPeerFinished() && !channel.isSendingClosed()) {
          acted = true; // it is looked at again
          if (random.nextInt(3) == 0) {
            channel.closeSending();
            boolean unused = endpoint.signal(session.connection, channel);
          }
        }
      }
    }
  }

  /** A channel that both sides have closed, and that is not over. */
  @Nullable String notFreed() {
    for (Session session : sessions) {
      for (ChannelCore channel : session.channels.values()) {
        if (!session.connection.state().isOver()
            && channel.isSendingClosed()
            && channel.isPeerFinished()
            && channel.terminalStatus() == 0) {
          return process.name + ": both sides closed channel " + channel.number() + ", it is used";
        }
      }
    }
    return null;
  }

  private void poll(Endpoint endpoint, Session session, ChannelCore channel) {
    long before = channel.consumedSequence();
    int n =
        channel.poll(
            new MessageHandler() {
              @Override
              public Action onMessage(MemorySegment m, long off, long len, long seq) {
                return onMessage(m, off, len, seq, 0);
              }

              @Override
              public Action onMessage(MemorySegment m, long off, long len, long seq, int header) {
                long all = len + header;
                return take(endpoint, session, channel, m, off - header, all, seq, header);
              }
            },
            POLL_LIMIT);
    if (n > 0 || channel.consumedSequence() != before) {
      acted = true;
      boolean unused = endpoint.signal(session.connection, channel);
    }
  }

  private MessageHandler.Action take(
      Endpoint endpoint,
      Session session,
      ChannelCore channel,
      MemorySegment m,
      long offset,
      long length,
      long sequence,
      int header) {
    if (random.nextInt(400) == 0) {
      acted = true; // it comes again in the next step
      return MessageHandler.Action.RETRY_LATER;
    }
    LedgerEntry entry = session.in.get(channel.number());
    if (entry == null) {
      Connection c = session.connection;
      entry =
          simulation
              .ledger()
              .find(process.name, process.incarnation(), c, channel, session.use(channel.number()));
      session.in.put(channel.number(), entry);
    }
    if (!answers(endpoint, session, channel)) {
      acted = true;
      return MessageHandler.Action.RETRY_LATER; // as soon as the answer can be offered
    }
    process.mayStop();
    long hash = Bytes.hash(m, offset, length) + header * HEADER_HASH;
    entry.deliver(sequence, length, hash);
    simulation.delivered(length);
    LedgerEntry into = entry;
    simulation
        .trace()
        .note(
            simulation.clock().nowNs(),
            sequence,
            hash,
            () -> process.name + " takes " + sequence + " (" + length + " B) of " + into);
    process.mayStop();
    return MessageHandler.Action.CONTINUE;
  }

  /** Answers a message in its handler, if that is how it is answered; false if that was refused. */
  private boolean answers(Endpoint endpoint, Session session, ChannelCore channel) {
    for (Out out : outs) {
      if (out.spec.flow() == Flow.ANSWERS_AT_ONCE
          && out.spec.channel() == channel.number()
          && session.connection.peerName().equals(out.peer)) {
        Session used = out.session;
        if (used == null || used != session) {
          open(out, session);
        }
        LedgerEntry entry = out.entry;
        if (entry == null || offerOne(out, entry) <= 0) {
          return session.connection.state().isOver();
        }
        acted = true;
        process.mayStop();
        boolean unused = endpoint.offered(session.connection, entry.core);
      }
    }
    return true;
  }

  /** Whether the bound on channels leaves room for the stream's, or it is there already. */
  private boolean mayOpen(Session session, Out out) {
    out.number = out.spec.channel() + (reuses ? 100 * random.nextInt(3) : 0);
    try {
      ChannelCore unused = session.connection.channel(out.number, out.spec.priority());
      return true;
    } catch (IllegalStateException e) {
      return false; // it says so
    }
  }

  /** Uses that session from now on. */
  private void open(Out out, Session session) {
    out.session = session;
    ChannelCore channel = session.connection.channel(out.number, out.spec.priority());
    session.channels.putIfAbsent(channel.number(), channel);
    out.entry =
        simulation
            .ledger()
            .open(
                process.name,
                process.incarnation(),
                out.peer,
                session.connection,
                channel,
                session.use(channel.number()),
                simulation.clock().nowNs());
  }

  private void offer(Endpoint endpoint, Out out, long nowNs) {
    if (!hasTurn(out) || nowNs < (out.blocked ? out.retryNs : out.nextNs)) {
      return;
    }
    out.blocked = false;
    out.retryNs = nowNs + BLOCKED_RETRY_NS;
    Session session = out.session;
    LedgerEntry before = out.entry;
    boolean isOver = before != null && before.core.isFreed();
    if (session == null || isOver || session.connection.state().isOver()) {
      session = current(out.peer);
      if (session == null) {
        out.blocked = true;
        return;
      }
      if (!mayOpen(session, out)) {
        out.blocked = reuses; // by channels whose end the peer has not seen
        out.left = reuses ? out.left : 0;
        return;
      }
      open(out, session);
    }
    LedgerEntry entry = out.entry;
    if (entry == null) {
      return;
    }
    if (reuses && entry.core.isSendingClosed()) {
      out.blocked = true;
      out.retryNs = nowNs + CLOSED_RETRY_NS;
      return;
    }
    boolean any = false;
    for (int i = 0; i < OFFERS_PER_STEP && hasTurn(out) && nowNs >= out.nextNs; i++) {
      long status = offerOne(out, entry);
      if (status <= 0) {
        refused(out, status);
        break;
      }
      any = true;
      out.left--;
      process.mayStop();
      if (reuses && random.nextInt(6) == 0) {
        entry.core.closeSending();
        break;
      }
      if (out.spec.flow() == Flow.FREE) {
        out.nextNs = out.spec.gapNs() == 0 ? nowNs : out.nextNs + out.spec.gapNs();
      } else {
        out.nextNs = nowNs + out.spec.gapNs();
      }
    }
    if (any) {
      acted = true;
      boolean unused =
          entry.core.isSendingClosed()
              ? endpoint.signal(session.connection, entry.core)
              : endpoint.offered(session.connection, entry.core);
      process.mayStop();
    }
  }

  private static void refused(Out out, long status) {
    out.blocked = true;
    if (status == Status.TOO_LARGE) {
      throw new Violation("1 conservation", "offer answered TOO_LARGE for a message within bounds");
    }
    if (status == Status.CHANNEL_REFUSED) {
      out.left = 0; // there is none to be had
    } else if (status != Status.BACK_PRESSURED && status != Status.CONNECTING) {
      out.session = null; // over: a new one will be used
    }
  }

  private @Nullable Session current(String peer) {
    for (int i = sessions.size() - 1; i >= 0; i--) {
      Connection c = sessions.get(i).connection;
      if (!c.state().isOver() && (c.peerName().equals(peer) || c.wantedName().equals(peer))) {
        return sessions.get(i);
      }
    }
    return null;
  }

  private long offerOne(Out out, LedgerEntry entry) {
    ChannelCore channel = entry.core;
    long length = length(out.spec.sizes());
    long seed = random.nextLong();
    boolean lend = random.nextInt(100) < out.spec.lentPercent();
    if (lend) {
      return lend(entry, channel, length, seed);
    }
    if (length <= 4096 && random.nextInt(8) == 0) {
      long sequence = channel.claim((int) length);
      if (sequence > 0) {
        Bytes.fill(channel.claimSegment(), channel.claimOffset(), length, seed);
        if (random.nextInt(4) == 0) {
          channel.abortClaim();
          return Status.BACK_PRESSURED;
        }
        offered(
            entry,
            sequence,
            length,
            Bytes.hash(channel.claimSegment(), channel.claimOffset(), length));
        channel.commitClaim();
      }
      return sequence;
    }
    long at = random.nextInt(8);
    Bytes.fill(buffer, at, length, seed);
    int header = (seed & 3) == 0 ? (int) Math.min(length, (seed >>> 8) % 33) : 0;
    long hash = Bytes.hash(buffer, at, length) + header * HEADER_HASH;
    long sequence =
        (seed & 1) == 0
            ? channel.offer(inPieces(at, length, header))
            : channel.offer(buffer, at, length);
    if (sequence > 0) {
      offered(entry, sequence, length, hash);
    }
    Bytes.fill(buffer, at, Math.min(length, 256), ~seed); // it was copied, or it was not taken
    return sequence;
  }

  /** A message in two pieces, of which the first may be its header. */
  private Pieces inPieces(long at, long length, int header) {
    long first = header > 0 ? header : length / 2;
    pieces.clear();
    pieces.add(buffer, at, first);
    pieces.headerLength(header);
    pieces.add(buffer, at + first, length - first);
    return pieces;
  }

  private long lend(LedgerEntry entry, ChannelCore channel, long length, long seed) {
    MemorySegment memory = spare.pollFirst();
    if (memory == null || memory.byteSize() < length) {
      Arena arena = lentArena;
      if (arena == null) {
        arena = Arena.ofShared();
        lentArena = arena;
      }
      memory = arena.allocate(Math.max(1 << 16, Long.highestOneBit(length) * 2));
    }
    MemorySegment lent = memory;
    Bytes.fill(lent, 0, length, seed);
    long hash = Bytes.hash(lent, 0, length);
    long sequence =
        channel.send(
            lent,
            0,
            length,
            (seq, error) -> {
              entry.complete(seq, error);
              if (error == null) {
                Bytes.fill(lent, 0, length, ~seed); // free again: nobody may read it any more
                spare.addLast(lent);
              }
            });
    if (sequence > 0) {
      entry.lent++;
      offered(entry, sequence, length, hash);
    } else {
      spare.addLast(lent);
    }
    return sequence;
  }

  private void offered(LedgerEntry entry, long sequence, long length, long hash) {
    entry.offer(sequence, length, hash);
    simulation
        .trace()
        .note(
            simulation.clock().nowNs(),
            sequence,
            hash,
            () -> process.name + " offers " + sequence + " (" + length + " B) on " + entry);
  }

  private long length(int mixture) {
    int dice = random.nextInt(100);
    return switch (mixture) {
      case 0 -> dice < 10 ? 0 : random.nextInt(200);
      case 1 -> dice < 5 ? 0 : dice < 70 ? random.nextInt(2_000) : random.nextInt(16_000);
      case 2 -> dice < 90 ? random.nextInt(8_000) : random.nextInt(65_537);
      case 5 -> dice < 5 ? 0 : random.nextInt(65);
      case 7 -> LARGEST;
      case 8 -> 100_000 + random.nextInt(400_000);
      case 6 -> dice < 90 ? random.nextInt(65) : dice < 98 ? random.nextInt(4_000) : 80_000;
      case 3 -> dice < 40 ? random.nextInt(1_000) : dice < 98 ? random.nextInt(200_000) : 1 << 20;
      default -> 60_000 + random.nextInt(140_000);
    };
  }

  /** Ends every channel's sending. */
  void closeSending(Endpoint endpoint) {
    if (placer != null) {
      placer.close(endpoint);
    }
    if (datagrams != null) {
      datagrams.close();
    }
    for (Out out : outs) {
      Session session = out.session;
      LedgerEntry entry = out.entry;
      if (session != null && entry != null) {
        entry.core.closeSending();
        boolean unused = endpoint.signal(session.connection, entry.core);
      }
    }
  }

  /** The process is gone. */
  void dispose() {
    if (placer != null) {
      placer.dispose();
    }
    if (ranks != null) {
      ranks.dispose();
    }
    Arena arena = lentArena;
    if (arena != null) {
      simulation.closeLater(arena);
      lentArena = null;
    }
  }
}

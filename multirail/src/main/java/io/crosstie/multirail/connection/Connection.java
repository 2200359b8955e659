// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.connection;

import io.crosstie.checksum.Checksum;
import io.crosstie.checksum.ChecksumKind;
import io.crosstie.multirail.config.EndpointConfig;
import io.crosstie.multirail.event.ErrorSink;
import io.crosstie.multirail.event.NodeEvent;
import io.crosstie.multirail.event.RailState;
import io.crosstie.multirail.memory.MemoryUser;
import io.crosstie.multirail.memory.PeerMemory;
import io.crosstie.multirail.path.PathListener;
import io.crosstie.multirail.path.Paths;
import io.crosstie.multirail.path.RailCounter;
import io.crosstie.multirail.path.RailHealth;
import io.crosstie.multirail.path.RailLink;
import io.crosstie.multirail.path.RailPath;
import io.crosstie.multirail.path.Recovery;
import io.crosstie.multirail.port.PortTable;
import io.crosstie.multirail.schedule.PathScheduler;
import io.crosstie.reliability.channel.ChannelCore;
import io.crosstie.reliability.channel.ChannelEngine;
import io.crosstie.reliability.channel.ChannelSender;
import io.crosstie.reliability.channel.Priority;
import io.crosstie.reliability.channel.RunQueue;
import io.crosstie.reliability.channel.Status;
import io.crosstie.reliability.congestion.RateController;
import io.crosstie.reliability.fault.PlantedFault;
import io.crosstie.reliability.loss.RetransmitQueue;
import io.crosstie.reliability.time.DeadlineHeap;
import io.crosstie.reliability.time.StallTimer;
import io.crosstie.reliability.wire.Introduction;
import io.crosstie.transport.Counters;
import io.crosstie.transport.Rail;
import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailPort;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The state machine between two nodes: rails, channels, and what is to be sent.
 *
 * <p>It never reads a clock and never does I/O of its own accord. Its endpoint calls, in this order
 * within a duty cycle: {@link #onSignal} for each channel with news, then once {@link #service},
 * which judges timers and sends, then {@link PacketReceiver#onPacket} for each packet that arrived;
 * {@link #deadlineNs} says when to come back at the latest.
 */
public final class Connection extends RunQueue.Member
    implements ChannelListener, MemoryUser, FrameHandler, PathListener, PathOwner, SendHandler {
  /** Life of a connection. */
  public enum State {
    /** Handshake under way. */
    CONNECTING,
    /** Usable. */
    UP,
    /** Closed here, draining. */
    CLOSING,
    /** Over: closed in good order by either side. */
    CLOSED,
    /** Over: peer time-out. */
    LOST,
    /** Over: the peer has a new incarnation. */
    RESTARTED,
    /**
     * Over: a newer process has this node's own name at the peer, since this one gave no sign of
     * life when it was asked. It is not connected anew.
     */
    SUPERSEDED;

    /** Whether nothing will be sent or accepted any more. */
    public boolean isOver() {
      return this == CLOSED || this == LOST || this == RESTARTED || this == SUPERSEDED;
    }
  }

  /**
   * A rail as others may see it.
   *
   * @param name local and remote address
   * @param kind the driver's word for itself
   */
  public record RailInfo(
      int id,
      String name,
      String kind,
      RailState state,
      String local,
      String remote,
      Counters<RailCounter> counters) {}

  /** What is overdue after it was tried, as when no rail is open, is tried again so much later. */
  private static final long OVERDUE_RETRY_NS = 200_000L;

  /** The timers of a busy connection are looked at that often, not in every duty cycle. */
  private static final long TIMERS_INTERVAL_NS = 500_000L;

  /** An offer that is under way when the connection ends is looked at again so much later. */
  private static final long SEAL_RETRY_NS = 200_000L;

  private static final long TOMBSTONE_NS = 3_000_000_000L;

  /** A peer that closed is asked again so much later, if it is to be. */
  private static final long RECONNECT_NS = 1_000_000_000L;

  /** What a rail is taken to carry before anything was measured, in bytes per second. */
  private static final long INITIAL_RATE = 125_000_000L;

  private static final int CLOSE_TRIES = 10;

  /** A closed connection answers what still comes no more often than that. */
  private static final long CLOSE_ANSWER_NS = 5_000_000L;

  private final NodeParts node;
  private final ConnectionHost host;
  private final EndpointListener listener;
  public final EndpointConfig config;

  /** Changes only while the connection is being opened. */
  public volatile long localId;

  public boolean initiator;
  final PathScheduler scheduler;

  /** What messages to and from this peer may take. */
  final PeerMemory memory;

  public final Counters<ConnectionCounter> counters = new Counters<>(ConnectionCounter.class);
  public final RetransmitQueue retransmit = new RetransmitQueue();
  public final Paths paths;
  public final PacketReceiver receiver;
  public final ControlContent control;
  public final PacketSender sender;
  public final SendShortcut inline;
  public final ReceiveShortcut predicted;
  public final Recovery recovery;
  public final RailHealth health;

  final ChannelTable channels;

  final Checksum sendChecksum;
  Checksum receiveChecksum;

  public long remoteId;
  public List<RailAddress> peerAddresses = List.of();

  private int peerAddressGeneration;

  private long upNs;

  private final String wantedName;
  private volatile String peerName;
  private volatile int peerRank = -1;
  private volatile long peerIncarnation;
  private volatile State state = State.CONNECTING;
  private volatile String problem = "";
  private volatile List<RailInfo> railInfos = List.of();

  long closeDeadlineNs = Long.MAX_VALUE;
  private long nextCloseNs;
  private int closesSent;
  private boolean closeAckDue;
  long overSinceNs;

  /** Over, or about to be, and the event about it is not told yet. */
  private boolean ending;

  /** All of {@link #over} is done. */
  private boolean ended;

  /** Makes the event about its end, null if that is an error. */
  private @Nullable Farewell farewell;

  /** What it ends of, if that is an error. */
  private @Nullable Throwable error;

  private int errorsInARow;
  private long sentAtError;

  private boolean closedHere;

  /** Another connection takes the place of this one, which is over, or may. */
  private boolean reconnected;

  private long stallNs = Long.MAX_VALUE;

  /** When timers have to be looked at; at the latest a little after they were last. */
  private long timersNs = Long.MIN_VALUE;

  private long timersRanNs;
  private long servedNs;
  private long stallLooks;

  private long nextGaugesNs;

  // ---- the endpoint's book-keeping ----
  public boolean forgotten;
  public final DeadlineHeap.Entry<Connection> deadline = new DeadlineHeap.Entry<>(this);

  public Connection(
      NodeParts node,
      ConnectionHost host,
      EndpointListener listener,
      String name,
      boolean initiator,
      long localId,
      PathScheduler scheduler,
      long nowNs) {
    this.node = node;
    this.host = host;
    this.listener = listener;
    this.config = node.config();
    this.wantedName = name;
    this.peerName = name;
    this.initiator = initiator;
    this.localId = localId;
    this.scheduler = scheduler;
    this.paths = new Paths(nowNs);
    this.memory =
        new PeerMemory(node.memory().share(), node.grants(), node.relief(), node.formers(), this);
    this.channels =
        new ChannelTable(
            config, memory, counters, node.nowNs(), node.planted(), node.singleThreaded(), this);
    this.sendChecksum = Checksum.of(config.checksum(), config.accelerator());
    this.receiveChecksum = sendChecksum;
    PortTable ports = node.ports();
    this.recovery =
        new Recovery(
            paths,
            retransmit,
            config,
            node.clock(),
            node.jitter(),
            node.planted(),
            node.reinjection(),
            this);
    this.health = new RailHealth(paths, recovery, node.probes(), ports, config, node.clock(), this);
    this.control =
        new ControlContent(
            paths, channels, ports, node.assembler(), node.random(), config.maxAckDelayNs());
    this.sender =
        new PacketSender(
            paths,
            channels,
            retransmit,
            scheduler,
            node.assembler(),
            control,
            recovery,
            health,
            sendChecksum,
            counters,
            this::peerId,
            node.planted(),
            this);
    this.inline = config.shortcuts() ? inlineSender() : SendShortcut.NONE;
    this.predicted =
        config.shortcuts()
            ? new HeaderPrediction(
                channels,
                counters,
                node.counters(),
                node.nowNs(),
                this::id,
                Math.min(config.maxMessageBytes(), config.eagerLimitBytes()),
                this)
            : ReceiveShortcut.NONE;
    this.receiver =
        new PacketReceiver(
            paths,
            new PathLookup(paths, ports, health, control, this),
            channels,
            memory,
            control,
            recovery,
            health,
            predicted,
            counters,
            listener,
            this::peerName,
            config.eagerLimitBytes(),
            node.planted(),
            this,
            this);
  }

  private InlineSender inlineSender() {
    PlantedFault forgetting =
        node.singleThreaded()
            ? PlantedFault.INLINE_IN_OFFER_NOT_NOTED
            : PlantedFault.INLINE_IN_CYCLE_NOT_NOTED;
    ChecksumKind kind = sendChecksum.kind();
    return node.planted() == forgetting
        ? new ForgetfulInlineSender(paths, scheduler, sender, kind, this::peerId, this::isUp)
        : new InlineSender(paths, scheduler, sender, kind, this::peerId, this::isUp);
  }

  // ---- what anyone may ask ----

  /** Any thread. */
  public State state() {
    return state;
  }

  /** Any thread. */
  public String peerName() {
    return peerName;
  }

  /** The name that was asked for; any thread. */
  public String wantedName() {
    return wantedName;
  }

  /** Any thread; -1 if none or not known yet. */
  public int peerRank() {
    return peerRank;
  }

  /** The id under which the peer addresses this connection; any thread. */
  public long id() {
    return localId;
  }

  /** The id under which this side addresses the peer; 0 if not known yet. Engine thread. */
  public long peerId() {
    return remoteId;
  }

  /** Any thread; 0 if not known yet. */
  public long peerIncarnation() {
    return peerIncarnation;
  }

  /** Any thread. */
  public Counters<ConnectionCounter> counters() {
    return counters;
  }

  /** Snapshot of the rails; any thread. */
  public List<RailInfo> rails() {
    return railInfos;
  }

  /** Why the connection is not up, for a person; empty if nothing is known. Any thread. */
  public String problem() {
    return problem;
  }

  /**
   * Opens or finds a channel; any thread. The first call decides the priority, also of one that the
   * peer has opened. The engine takes notice of a new one with the first {@code Endpoint.signal}.
   * One that is over is not found any more: its number gives a new one.
   *
   * @param priority null if it does not matter
   * @throws IllegalStateException if the bound on channels is reached
   */
  public ChannelCore channel(int number, @Nullable Priority priority) {
    ChannelCore made = channels.channel(number, priority);
    if (made == null) {
      throw new IllegalStateException(
          "channel "
              + number
              + " is one too many: this node has its bound of "
              + config.maxChannels()
              + " channels with \""
              + peerName
              + "\", those included that the peer has opened; raise maxChannels or use fewer");
    }
    return made;
  }

  /** Those that there are, in no order; a snapshot; any thread. */
  public List<ChannelCore> channels() {
    return channels.channels();
  }

  /** The channel if it exists; any thread. */
  public @Nullable ChannelCore existingChannel(int number) {
    return channels.existing(number);
  }

  // ---- what its packets ask ----

  @Override
  public boolean isUp() {
    return state == State.UP;
  }

  @Override
  public boolean isOver() {
    return state.isOver();
  }

  @Override
  public boolean isInitiator() {
    return initiator;
  }

  @Override
  public Checksum receiveChecksum() {
    return receiveChecksum;
  }

  @Override
  public void enlist() {
    host.enlist(this);
  }

  @Override
  public void activate() {
    host.activate(this);
  }

  @Override
  public void pairRails(long nowNs) {
    host.pairRails(this, nowNs);
  }

  @Override
  public void onDriverError(RailPath path, Throwable driverError) {
    host.onRailError(this, path, driverError);
  }

  private void sendClose(long nowNs) {
    boolean acknowledges = closeAckDue;
    closeAckDue = false;
    sender.sendClose(acknowledges, nowNs);
  }

  // ---- what its channels tell ----

  @Override
  public void onChannel(ChannelCore channel) {
    listener.onChannel(this, channel);
  }

  @Override
  public void onOpened(ChannelCore channel) {
    listener.onEvent(
        new NodeEvent.ChannelOpenedByPeer(peerName, channel.number(), peerIncarnation));
  }

  @Override
  public void onFreed(ChannelCore channel) {
    predicted.forget(channel.engine());
    inline.forget(channel.engine());
    listener.onChannel(this, channel);
    listener.onChannelFreed(this, channel);
  }

  @Override
  public void onFailed(ChannelCore channel, long sequence) {
    listener.onEvent(
        new NodeEvent.MessageFailed(
            peerName,
            channel.number(),
            sequence,
            String.valueOf(channel.engine().sent().error(sequence))));
  }

  @Override
  public void onGivenUp(ChannelCore channel, long first, long last) {
    listener.onEvent(new NodeEvent.ChannelRefused(peerName, channel.number(), first, last));
  }

  @Override
  public void onRefused(int number) {
    control.channelRefused(number);
  }

  @Override
  public void onNews() {
    control.news();
  }

  // ---- what is told of the node's memory ----

  @Override
  public void onGranted(ChannelEngine channel) {
    channels.look(channel);
    host.activate(this);
  }

  @Override
  public void onRevoked(ChannelEngine channel) {
    counters.increment(ConnectionCounter.GRANTS_REVOKED);
    onGranted(channel);
  }

  @Override
  public void onTriedAgain(ChannelEngine channel) {
    channels.lookAtState(channel);
    host.activate(this);
  }

  @Override
  public void onDropped(ChannelEngine channel, long first, long last) {
    listener.onEvent(
        new NodeEvent.MessagesDropped(peerName, peerIncarnation, channel.number(), first, last));
  }

  @Override
  public long longestRttNs() {
    long rttNs = 0;
    for (int i = 0; i < paths.count(); i++) {
      RailPath path = paths.get(i);
      if (path != null && path.state() == RailState.ACTIVE && path.rtt().isMeasured()) {
        rttNs = Math.max(rttNs, path.rtt().smoothedNs());
      }
    }
    return rttNs;
  }

  /** See {@link ChannelTable#onSignal}. */
  public void onSignal(ChannelCore channel) {
    channels.onSignal(channel);
  }

  /** The node is short of memory: takes back what channels keep in which nothing lies. */
  public void trimIdle() {
    channels.trimIdle();
  }

  /** See {@link ChannelTable#look}. */
  public void look(ChannelEngine channel) {
    channels.look(channel);
  }

  // ---- what the handshake may ask ----

  /**
   * Since when a peer whose handshake was accepted has sent nothing; Long.MAX_VALUE if that is not
   * so. Whoever is there confirms the connection within a round trip.
   */
  public long unconfirmedSinceNs() {
    return state == State.UP && !initiator && paths.heardNs() == upNs ? upNs : Long.MAX_VALUE;
  }

  /** Whether this side began to close it. */
  public boolean closedHere() {
    return closedHere;
  }

  /** Whether the peer was connected again, or would have been, since this one is over. */
  public boolean reconnected() {
    return reconnected;
  }

  // ---- the handshake ----

  /** Gets another id, which the peer was not told yet. */
  public void renumber(long id) {
    localId = id;
  }

  /** This side began the connection, and accepts now that the peer has begun it as well. */
  public void becomeResponder() {
    initiator = false;
  }

  /**
   * This side's addresses were told in a handshake.
   *
   * @param all whether there was room for all of them; else they are told once more when it is up
   */
  public void onAddressesTold(boolean all) {
    if (!all || state == State.CONNECTING) {
      control.addressesDue(!all);
    }
  }

  /** Whether that was thrown where nothing is half done, so that it can be tried again. */
  public boolean tookBack(Throwable thrown) {
    return sender.tookBack(thrown);
  }

  // ---- its life cycle ----

  /** When it came up, on the endpoint's clock; 0 if it never did. */
  public long upNs() {
    return upNs;
  }

  /** The handshake brought the peer's introduction. */
  public void onUp(Introduction peer, long nowNs) {
    peerName = peer.name();
    peerRank = peer.rank();
    peerIncarnation = peer.incarnation();
    remoteId = peer.connectionId();
    paths.onPeerAckDelay(peer.limits().maxAckDelayMicros() * 1000L);
    ChecksumKind kind = ChecksumKind.fromWireCode((byte) peer.limits().checksumCode());
    receiveChecksum =
        kind == config.checksum() ? sendChecksum : Checksum.of(kind, config.accelerator());
    peerAddresses = peer.addresses();
    heard(nowNs);
    upNs = nowNs;
    problem = "";
    channels.connect(peer.limits().channelCredit(), peer.limits().maxMessageLength());
    state = State.UP;
    listener.onEvent(new NodeEvent.PeerUp(peerName, peerRank, peerIncarnation));
    channels.lookAtAll();
  }

  /**
   * The peer told where it can be reached; a list that was overtaken by a newer one says nothing.
   */
  @Override
  public void onAddresses(int generation, List<RailAddress> addresses, long nowNs) {
    if (generation - peerAddressGeneration >= 0) {
      peerAddressGeneration = generation;
      peerAddresses = addresses;
      host.pairRails(this, nowNs);
    }
  }

  @Override
  public void problem(String text) {
    problem = text;
  }

  /** Something valid arrived on any rail. */
  @Override
  public void heard(long nowNs) {
    paths.onHeard(nowNs);
  }

  /**
   * Refuses new messages, drains for up to that long, tells the peer, and is over. Engine thread.
   *
   * @param lingerNs 0 closes at once
   * @param rawNowNs the time, as {@code Endpoint.poll} takes it
   */
  public void close(long lingerNs, long rawNowNs) {
    long nowNs = node.clock().toEffective(rawNowNs);
    closedHere = true;
    if (state == State.CONNECTING) {
      endHere("before the peer had answered", nowNs);
      return;
    }
    if (state == State.CLOSING) {
      closeDeadlineNs = Math.min(closeDeadlineNs, nowNs + lingerNs);
      host.activate(this);
    }
    if (state != State.UP) {
      return;
    }
    state = State.CLOSING;
    closeDeadlineNs = nowNs + lingerNs;
    channels.closeSending();
    host.activate(this);
  }

  /** The peer closed in good order. */
  @Override
  public void onPeerClose(boolean acknowledges, long nowNs) {
    if (state.isOver()) {
      closeAckDue = !acknowledges;
      return;
    }
    if (!acknowledges) {
      closeAckDue = true;
      sendClose(nowNs);
    }
    if (state == State.UP) {
      String why = "the peer closed before it had accepted everything";
      end(
          State.CLOSED,
          unknown ->
              unknown.isEmpty()
                  ? new NodeEvent.PeerClosed(peerName)
                  : new NodeEvent.PeerLost(peerName, why, unknown),
          nowNs);
    } else {
      endHere("before the peer had accepted everything", nowNs);
    }
  }

  /** Closed by this side, which is told nothing but what is unknown. */
  private void endHere(String before, long nowNs) {
    end(
        State.CLOSED,
        unknown ->
            unknown.isEmpty()
                ? null
                : new NodeEvent.PeerLost(
                    peerName, "this node closed the connection " + before, unknown),
        nowNs);
  }

  /** This node ends, and with it whatever is not over yet. */
  public void onNodeClosed(long nowNs) {
    if (!state.isOver()) {
      endHere("and ended before the peer had accepted everything", nowNs);
    }
    if (ending) {
      tellEnd(); // there is no later
    }
  }

  /** Something came although it is over: the peer does not know yet, and is told now and then. */
  public void onLatePacket(long nowNs) {
    if (state == State.CLOSED && nowNs >= nextCloseNs) {
      nextCloseNs = nowNs + CLOSE_ANSWER_NS;
      closeAckDue = true;
      host.activate(this);
    }
  }

  /** The peer has gone. */
  public void onLost(String why, long nowNs) {
    if (!state.isOver()) {
      end(State.LOST, unknown -> new NodeEvent.PeerLost(peerName, why, unknown), nowNs);
    }
  }

  /**
   * Something threw that should not have, so that its state may be half changed: it is over, and
   * {@link #end} has to follow. Needs no memory.
   */
  public void fail(Throwable cause) {
    if (!state.isOver()) {
      state = State.LOST;
      channels.setOver(Status.PEER_LOST);
      ending = true;
    }
    if (ending && error == null) {
      error = cause;
    }
  }

  /** Packets that gave back what they had taken, and did not leave, since the last one that did. */
  public int errorsInARow() {
    long sent = 0;
    for (int i = 0; i < paths.count(); i++) {
      RailPath path = paths.get(i);
      sent += path == null ? 0 : path.sent().nextNumber();
    }
    errorsInARow = sent == sentAtError ? errorsInARow + 1 : 1;
    sentAtError = sent;
    return errorsInARow;
  }

  /** Whether {@link #end} has to follow. */
  public boolean isEnding() {
    return ending;
  }

  /** Ends what failed, with an event that says why; if that throws, once more. */
  public void end(long nowNs) {
    over(state, nowNs);
    tellEndOnceSealed();
  }

  /** What is told of an end. */
  private interface Farewell {
    @Nullable NodeEvent event(List<NodeEvent.Unknown> unknown);
  }

  private void end(State how, Farewell event, long nowNs) {
    farewell = event;
    over(how, nowNs);
    tellEndOnceSealed();
  }

  /**
   * Tells how it ended, unless an application thread is in the middle of an offer: that message is
   * named with the others, or was not offered. So {@link #service} tries again.
   */
  private void tellEndOnceSealed() {
    if (channels.seal()) {
      tellEnd();
    }
  }

  private void tellEnd() {
    Farewell event = farewell;
    NodeEvent told =
        event == null ? internalError(channels.unknown()) : event.event(channels.unknown());
    if (told != null) {
      listener.onEvent(told);
    }
    ending = false;
    error = null;
    farewell = null;
  }

  private NodeEvent internalError(List<NodeEvent.Unknown> unknown) {
    Throwable cause = error;
    String why = cause == null ? "internal error" : ErrorSink.describe("internal error: ", cause);
    return new NodeEvent.PeerLost(peerName, why, unknown);
  }

  /** Nobody came to know it. */
  public void discard(long nowNs) {
    state = State.LOST;
    channels.setOver(Status.PEER_LOST);
    overSinceNs = nowNs;
  }

  /** The peer's name answers with another incarnation. */
  public void onRestarted(long newIncarnation, long nowNs) {
    if (!state.isOver()) {
      long old = peerIncarnation;
      end(
          State.RESTARTED,
          unknown -> new NodeEvent.PeerRestarted(peerName, old, newIncarnation, unknown),
          nowNs);
    }
  }

  /** The peer has let a newer process have this node's name. */
  public void onSuperseded(String why, long nowNs) {
    if (!state.isOver()) {
      problem = why;
      end(State.SUPERSEDED, unknown -> new NodeEvent.Superseded(peerName, why, unknown), nowNs);
    }
  }

  private static long status(State over) {
    return switch (over) {
      case LOST -> Status.PEER_LOST;
      case RESTARTED -> Status.PEER_RESTARTED;
      case SUPERSEDED -> Status.SUPERSEDED;
      default -> Status.CLOSED;
    };
  }

  /** May be done again if it throws. */
  void over(State how, long nowNs) {
    ending = true;
    state = how;
    overSinceNs = nowNs;
    channels.setOver(status(how));
    retransmit.clear();
    channels.end();
    if (how != State.CLOSED) {
      dropRails(nowNs);
    }
    memory.close(channels.engines(), nowNs);
    refreshRails();
    host.activate(this);
    ended = true;
  }

  private void dropRails(long nowNs) {
    for (int i = 0; i < paths.count(); i++) {
      RailPath path = paths.get(i);
      if (path == null) {
        continue;
      }
      path.probing().giveBack();
      Rail rail = path.link().detach();
      if (rail != null) {
        path.health().account(nowNs);
        node.ports().close(rail);
      }
    }
    predicted.forgetRails();
  }

  // ---- rails ----

  /** A rail that the peer begins; null if there is no memory for it now. */
  @Override
  public @Nullable RailPath addPathOfPeer(int id, int portIndex, long nowNs) {
    return memory.share().tryBeginRail() ? addPath(id, portIndex, nowNs) : null;
  }

  public RailPath addPath(int id, int portIndex, long nowNs) {
    RailPort port = node.ports().port(portIndex);
    String local = port == null ? "port " + portIndex : port.localAddress().text();
    RailPath path =
        new RailPath(
            id,
            new RailLink(portIndex, local, node.ports().weight(portIndex)),
            new RateController(INITIAL_RATE, RailPath.BASE_PACKET),
            node.clock(),
            config.maxAckDelayNs(),
            node.planted(),
            nowNs);
    paths.add(path);
    refreshRails();
    return path;
  }

  /** A rail that was removed begins anew; its numbers go on (R1). */
  @Override
  public void reopenPath(RailPath path, int portIndex, long nowNs) {
    RailPort port = node.ports().port(portIndex);
    String local = port == null ? "port " + portIndex : port.localAddress().text();
    path.link().begin(portIndex, local, node.ports().weight(portIndex));
    control.railIsThere(path.id());
    health.reopen(path, nowNs);
  }

  @Override
  public void onItemLost(
      byte kind, @Nullable ChannelEngine channel, long first, long offset, int length) {
    control.again(kind, channel, first, offset, length);
  }

  @Override
  public void onRailChanged(RailPath path, RailState from, RailState to, String cause, long gapNs) {
    host.activate(this);
    refreshRails();
    listener.onEvent(
        new NodeEvent.RailChanged(peerName, path.id(), path.link().name(), from, to, cause, gapNs));
  }

  @Override
  public void refreshRails() {
    List<RailInfo> list = new ArrayList<>();
    for (int i = 0; i < paths.count(); i++) {
      RailPath path = paths.get(i);
      if (path != null) {
        RailPort port = node.ports().port(path.link().portIndex());
        if (port != null && path.state() != RailState.REMOVED) { // else it may be another's by now
          path.link().isOfKind(port.attributes().kind());
        }
        RailAddress remote = path.link().remote();
        list.add(
            new RailInfo(
                path.id(),
                path.link().name(),
                path.link().kind(),
                path.state(),
                path.link().name(),
                remote == null ? "" : remote.text(),
                path.counters()));
      }
    }
    railInfos = List.copyOf(list);
  }

  // ---- the duty cycle ----

  /** Timers, then sending. */
  public int service(long nowNs) {
    servedNs = nowNs;
    predicted.settle(nowNs);
    if (state == State.CONNECTING) {
      return 0;
    }
    if (state.isOver()) {
      if (ending && !ended) {
        return 0; // first it has to be
      }
      if (closeAckDue && state == State.CLOSED) {
        sendClose(nowNs);
      }
      if (ending) {
        tellEndOnceSealed();
      }
      if (ending) {
        return 0;
      }
      if (state == State.CLOSED && !reconnected && nowNs - overSinceNs >= RECONNECT_NS) {
        reconnected = true;
        host.reconnect(this);
      }
      if (state != State.CLOSED || remoteId == 0) { // no peer knows of one that was never up
        host.forget(this);
      } else if (nowNs - overSinceNs >= TOMBSTONE_NS) {
        dropRails(nowNs);
        host.forget(this);
      }
      return 0;
    }
    boolean timersDue =
        nowNs >= timersNs || nowNs - timersRanNs >= TIMERS_INTERVAL_NS || state == State.CLOSING;
    if (timersDue) {
      health.pollConsumed(true, nowNs);
      timersRanNs = nowNs;
      timersNs = Long.MAX_VALUE; // until the deadlines are noted
      control.news();
      RailHealth.Finding finding = health.onTimers(initiator, nowNs);
      if (finding == RailHealth.Finding.PEER_LOST) {
        onLost(silence(nowNs), nowNs);
      }
      if (state.isOver()) {
        return 1;
      }
      if (finding == RailHealth.Finding.NO_RAIL) {
        host.seekRails(this, nowNs);
      }
      stall(nowNs);
      closing(nowNs);
    }
    int work = sender.send(nowNs);
    if (state == State.UP && sender.isIdle(nowNs)) {
      inline.ready(nowNs);
    } else {
      inline.notReady();
    }
    afterwards(nowNs);
    if (nowNs >= nextGaugesNs) {
      nextGaugesNs = nowNs + 20_000_000L;
      for (int i = 0; i < paths.count(); i++) {
        RailPath path = paths.get(i);
        if (path != null) {
          path.gauges(nowNs);
        }
      }
      counters.set(ConnectionCounter.RETRANSMIT_QUEUE, retransmit.size());
    }
    return work;
  }

  private String silence(long nowNs) {
    long silentMs = (nowNs - paths.heardNs()) / 1_000_000;
    return "nothing heard for " + silentMs + " ms on any of " + railInfos.size() + " rails";
  }

  /** What nothing that was to be sent has to wait for. */
  private void afterwards(long nowNs) {
    health.pollConsumed(false, nowNs);
    if (channels.takeBackConsumed()) {
      host.enlist(this);
    }
  }

  /** The next duty cycle looks at all timers. */
  public void runTimers() {
    timersNs = Long.MIN_VALUE;
  }

  private void closing(long nowNs) {
    if (state != State.CLOSING || nowNs < nextCloseNs) {
      return;
    }
    boolean drained = retransmit.isEmpty();
    for (ChannelEngine engine : channels.engines()) {
      drained &= engine.sender().isDrained();
    }
    if (!drained && nowNs < closeDeadlineNs) {
      return;
    }
    if (closesSent++ >= CLOSE_TRIES) {
      endHere("and the peer did not answer", nowNs);
      return;
    }
    sendClose(nowNs);
    nextCloseNs = nowNs + 20_000_000L;
  }

  /**
   * The safety net below all loss detection (R12): a channel's data is missing at the peer, or its
   * credit here, and nothing of it is under way that would bring news. Then its oldest message is
   * sent again, or its window probed, with back-off, for ever. Each channel by itself: a peer that
   * was short of memory has refused what a lossless rail has delivered, and others get on
   * meanwhile.
   */
  private void stall(long nowNs) {
    if (stallNs != Long.MAX_VALUE && nowNs < stallNs) {
      return;
    }
    boolean anyOverdue = false;
    long nextNs = Long.MAX_VALUE;
    for (int i = 0; i < channels.engines().size(); i++) {
      ChannelEngine engine = channels.engines().get(i);
      if (waits(engine)) {
        anyOverdue |= isOverdue(engine, nowNs);
        nextNs = Math.min(nextNs, engine.stallTimer().dueNs());
      }
    }
    stallNs = nextNs == Long.MAX_VALUE ? nextNs : Math.max(nextNs, nowNs + StallTimer.FLOOR_NS);
    if (anyOverdue) {
      probeOverdue(nowNs);
    }
  }

  private static boolean isOverdue(ChannelEngine engine, long nowNs) {
    long progress = engine.sender().firstUnaccepted() + engine.sender().creditLimit();
    return engine.stallTimer().isOverdue(progress, nowNs);
  }

  /** Whoever is overdue, and has nothing under way. */
  private void probeOverdue(long nowNs) {
    stallLooks++;
    noteUnderWay();
    boolean any = false;
    for (int i = 0; i < channels.engines().size(); i++) {
      ChannelEngine engine = channels.engines().get(i);
      if (waits(engine)
          && isOverdue(engine, nowNs)
          && engine.stallTimer().isDue(stallLooks, nowNs)) {
        any = true;
        probe(engine);
      }
    }
    if (any) {
      counters.increment(ConnectionCounter.STALL_PROBES);
    }
  }

  private static boolean waits(ChannelEngine engine) {
    return engine.sender().hasUnaccepted()
        || engine.sender().sendState() >= ChannelSender.NEEDS_CREDIT
        || engine.sender().isFinUnconfirmed();
  }

  /** Marks the channels that loss detection is at work for. */
  private void noteUnderWay() {
    boolean anyActive = paths.anyUsable();
    for (int i = 0; i < paths.count(); i++) {
      RailPath path = paths.get(i);
      // What is outstanding on a dead rail beside a live one are probes, without end.
      if (path != null && (path.state() == RailState.ACTIVE || !anyActive)) {
        path.sent().noteOutstanding(stallLooks);
      }
    }
    retransmit.noteQueued(stallLooks);
  }

  private void probe(ChannelEngine engine) {
    boolean mayLeave =
        engine.sender().hasUnaccepted()
            && !engine.sender().isUngranted(engine.sender().firstUnaccepted());
    if (mayLeave && recovery.reinjects() && !node.planted().isWithoutNet()) {
      if (!recovery.resendMessage(engine, engine.sender().firstUnaccepted())) {
        channels.look(engine);
      }
    } else if ((engine.sender().hasUnaccepted() && !mayLeave)
        || engine.sender().sendState() >= ChannelSender.NEEDS_CREDIT) {
      engine.sender().retransmitRts();
      channels.look(engine);
    }
    if (engine.sender().isFinUnconfirmed()) {
      engine.sender().finSent(false);
      channels.look(engine);
    }
  }

  /** When {@link #service} has to be called at the latest, as of when it was called last. */
  public long deadlineNs() {
    long nowNs = servedNs;
    if (state == State.CONNECTING) {
      return Long.MAX_VALUE;
    }
    if (ending) {
      return nowNs + SEAL_RETRY_NS;
    }
    if (state.isOver()) {
      return state == State.CLOSED
          ? overSinceNs + (reconnected ? TOMBSTONE_NS : RECONNECT_NS)
          : nowNs;
    }
    boolean mayStall = channels.takeStalled();
    if (sender.takeMayStall() || mayStall) { // then it is seen whether anything is missing
      stallNs = Math.min(stallNs, nowNs + StallTimer.FLOOR_NS);
    }
    long deadline = Math.min(stallNs, health.deadlineNs(initiator));
    for (int i = 0; i < paths.count(); i++) {
      RailPath path = paths.get(i);
      if (path != null) {
        deadline = Math.min(deadline, path.timers().deadlineNs());
        if (!path.link().isLossless() && path.received().hasAckToSend()) {
          deadline = Math.min(deadline, path.received().ackDeadlineNs());
        }
      }
    }
    deadline = Math.min(deadline, channels.stateDeadlineNs());
    if (state == State.CLOSING) {
      deadline = Math.min(deadline, Math.max(nextCloseNs, nowNs + 1_000_000L));
    }
    boolean overdue = deadline <= nowNs && timersRanNs == nowNs;
    timersNs = overdue ? nowNs + OVERDUE_RETRY_NS : deadline;
    return Math.min(timersNs, sender.deadlineNs(nowNs));
  }
}

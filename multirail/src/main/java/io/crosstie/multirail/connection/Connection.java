// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.connection;

import io.crosstie.checksum.Checksum;
import io.crosstie.checksum.ChecksumKind;
import io.crosstie.multirail.config.EndpointConfig;
import io.crosstie.multirail.event.ErrorSink;
import io.crosstie.multirail.event.NodeEvent;
import io.crosstie.multirail.event.RailState;
import io.crosstie.multirail.path.PathListener;
import io.crosstie.multirail.path.Paths;
import io.crosstie.multirail.path.RailHealth;
import io.crosstie.multirail.path.RailPath;
import io.crosstie.multirail.path.Recovery;
import io.crosstie.multirail.port.PortTable;
import io.crosstie.multirail.region.Answers;
import io.crosstie.multirail.region.Notifications;
import io.crosstie.multirail.region.PeerRegions;
import io.crosstie.multirail.region.Requests;
import io.crosstie.multirail.schedule.PathScheduler;
import io.crosstie.reliability.channel.ChannelCore;
import io.crosstie.reliability.channel.PlacementChannels;
import io.crosstie.reliability.channel.Priority;
import io.crosstie.reliability.channel.RunQueue;
import io.crosstie.reliability.channel.Signal;
import io.crosstie.reliability.channel.Status;
import io.crosstie.reliability.fault.PlantedFault;
import io.crosstie.reliability.loss.RetransmitQueue;
import io.crosstie.reliability.memory.NodeMemory;
import io.crosstie.reliability.memory.PathBytes;
import io.crosstie.reliability.time.DeadlineHeap;
import io.crosstie.reliability.wire.Introduction;
import io.crosstie.transport.Counters;
import io.crosstie.transport.LinkEvent;
import io.crosstie.transport.Rail;
import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailPort;
import java.lang.foreign.MemorySegment;
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
    implements ChannelListener, FrameHandler, PathListener {
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

  private static final String UNANSWERED = "before the peer had answered";

  /** What is overdue after it was tried, as when no rail is open, is tried again so much later. */
  private static final long OVERDUE_RETRY_NS = 200_000L;

  /** The timers of a busy connection are looked at that often, not in every duty cycle. */
  private static final long TIMERS_INTERVAL_NS = 500_000L;

  /** Answers that there is no room for are tried again that often. */
  private static final long ANSWERS_RETRY_NS = 1_000_000L;

  /** Gauges are brought up to date that often. */
  private static final long GAUGES_NS = 20_000_000L;

  private final NodeParts node;
  private final ConnectionHost host;
  private final EndpointListener listener;
  private final Counters<ConnectionCounter> counters = new Counters<>(ConnectionCounter.class);
  private final RetransmitQueue retransmit = new RetransmitQueue();
  private final Paths paths;
  private final ChannelTable channels;
  private final Datagrams datagrams;
  private final Checksum sendChecksum;
  private final ControlContent control;
  private final RailHealth health;
  private final ConnectionRails rails;
  private final PacketSender sender;
  private final SendShortcut inline;
  private final ReceiveShortcut predicted;
  private final ReceiveShortcut predictedPuts;
  private final PacketReceiver receiver;
  private final Notifications notifications;
  private final AnswerChannels answerChannels;
  private final Answers answers;
  private final Placement placement;
  private final StallProbe stallProbe;
  private final Closing closing;
  private final Ending ending;
  private final DeadlineHeap.Entry<Connection> deadline = new DeadlineHeap.Entry<>(this);

  /** Changes only while the connection is being opened. */
  private volatile long localId;

  private boolean initiator;
  private volatile State state = State.CONNECTING;
  private volatile String problem = "";
  private long upNs;

  // what the peer said of itself
  private final String wantedName;
  private volatile String peerName;
  private volatile int peerRank = -1;
  private volatile long peerIncarnation;
  private long remoteId;
  private Checksum receiveChecksum;
  private List<RailAddress> peerAddresses = List.of();
  private int peerAddressGeneration;

  // packets that did not leave
  private int errorsInARow;
  private long sentAtError;

  /** When timers have to be looked at; at the latest a little after they were last. */
  private long timersNs = Long.MIN_VALUE;

  private long timersRanNs;
  private long servedNs;
  private long nextGaugesNs;

  /**
   * One that is not up.
   *
   * @param name the peer's, as far as it is known
   * @param initiator whether this side begins it
   * @param localId the id under which the peer is to address it
   */
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
    this.wantedName = name;
    this.peerName = name;
    this.initiator = initiator;
    this.localId = localId;
    PathBytes holds = new PathBytes();
    this.paths = new Paths(nowNs, holds);
    EndpointConfig config = node.config();
    PortTable ports = node.ports();
    PlantedFault planted = node.planted();
    this.channels = new ChannelTable(node, counters, paths, holds, listener, this);
    NodeMemory.Share share = channels.share();
    this.notifications = new Notifications(share.received);
    this.answerChannels = new AnswerChannels(channels);
    this.answers = new Answers(node.regions(), this::peerName, share.sent, answerChannels);
    Requests requests = new Requests(share.sent);
    this.datagrams = new Datagrams(share, counters, planted, () -> listener.onDatagrams(this));
    this.sendChecksum = Checksum.of(config.checksum(), config.accelerator());
    this.receiveChecksum = sendChecksum;
    this.control =
        new ControlContent(
            paths,
            channels,
            datagrams,
            ports,
            node.assembler(),
            node.random(),
            config.maxAckDelayNs(),
            planted);
    Recovery recovery =
        new Recovery(
            paths,
            retransmit,
            config,
            node.clock(),
            node.jitter(),
            planted,
            node.reinjection(),
            control);
    this.health = new RailHealth(paths, recovery, node.probes(), ports, config, node.clock(), this);
    this.rails = new ConnectionRails(node, paths, health, control, channels, this);
    this.sender =
        new PacketSender(
            paths,
            channels,
            datagrams,
            retransmit,
            scheduler,
            node.assembler(),
            control,
            recovery,
            health,
            sendChecksum,
            counters,
            this::peerId,
            planted,
            this::onDriverError);
    this.stallProbe =
        new StallProbe(channels, paths, retransmit, recovery, counters, !planted.isWithoutNet());
    this.closing = new Closing(channels, datagrams, retransmit, sender);
    this.ending = new Ending(channels, listener, this::peerName);
    this.inline = config.shortcuts() ? inlineSender(scheduler) : SendShortcut.NONE;
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
    PeerRegions regions =
        new PeerRegions(node.regions(), this::peerName, notifications, answers, requests);
    this.predictedPuts =
        config.shortcuts()
            ? new PutPrediction(
                channels,
                counters,
                node.counters(),
                node.nowNs(),
                this::id,
                config.maxMessageBytes(),
                regions,
                this)
            : ReceiveShortcut.NONE;
    this.receiver =
        new PacketReceiver(
            paths,
            new PathLookup(paths, ports, health, control, rails, this::isInitiator, this),
            channels,
            datagrams,
            control,
            recovery,
            health,
            predicted,
            predictedPuts,
            counters,
            listener,
            this::peerName,
            config.eagerLimitBytes(),
            planted,
            this::pairRails,
            regions,
            this);
    this.placement = new Placement(channels, notifications, requests, planted);
  }

  /** What is placed, either way; any thread. */
  public Placement placement() {
    return placement;
  }

  /** Answers to the peer's requests that it may not have. Engine thread. */
  public int answersOutstanding() {
    return answers.outstanding();
  }

  /** Its datagrams, either way; any thread. */
  public Datagrams datagrams() {
    return datagrams;
  }

  private InlineSender inlineSender(PathScheduler scheduler) {
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
  public List<ConnectionRails.RailInfo> rails() {
    return rails.infos();
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
              + node.config().maxChannels()
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
  public Checksum receiveChecksum() {
    return receiveChecksum;
  }

  @Override
  public void enlist() {
    host.enlist(this);
  }

  /** It is served in this duty cycle or the next, and may have anything to say. */
  @Override
  public void activate() {
    control.news();
    host.enlist(this);
  }

  private void pairRails(long nowNs) {
    host.pairRails(this, nowNs);
  }

  /** A driver threw what it should not have: the rail pays, and is opened anew. */
  private void onDriverError(RailPath path, Throwable error) {
    host.onError(error);
    long nowNs = node.nowNs().getAsLong();
    health.onClosed(path, ErrorSink.describe("its driver failed with ", error), nowNs);
    activate();
  }

  // ---- what its channels tell ----

  @Override
  public void onChannel(ChannelCore channel) {
    if (channel.isPlacement() && PlacementChannels.isForAnswers(channel.number())) {
      answerChannels.onNews(channel);
      answers.sendUnsent();
    }
    listener.onChannel(this, channel);
  }

  @Override
  public void onFreed(ChannelCore channel) {
    predicted.forget(channel.engine());
    predictedPuts.forget(channel.engine());
    inline.forget(channel.engine());
    listener.onChannel(this, channel);
    listener.onChannelFreed(this, channel);
  }

  // ---- what the application does ----

  /** It has offered or consumed messages, ended a channel, or offered datagrams. */
  public void onSignal(Signal of) {
    if (of instanceof ChannelCore channel) {
      channels.onSignal(channel);
    } else {
      datagrams.onSignal();
      sender.onDatagramsOffered();
    }
    if (!state.isOver()) {
      enlist();
    } else {
      datagrams.end(); // one was offered just as it ended
    }
  }

  /**
   * Sends the one short message that waits, ahead of the duty cycle, if nothing else is to be done.
   * If it left, {@link #noteInline} has to follow before anything else.
   *
   * @return whether it left
   */
  public boolean sendInline(ChannelCore channel) {
    return inline.send(channel.engine());
  }

  /** Wakes a peer that sleeps, for what has left ahead of the duty cycle. */
  public void flushInline() {
    inline.flush();
  }

  /** Whether a packet has left ahead of the duty cycle that is to be noted. */
  public boolean hasSentInline() {
    return inline.hasSent();
  }

  /** Notes the packet that left ahead of the duty cycle. */
  public void noteInline(long nowNs) {
    inline.note(nowNs);
  }

  // ---- what arrives ----

  /**
   * Takes in a packet if it is the one expected next, before anybody judges it.
   *
   * @return whether it was; if not nothing has changed
   */
  public boolean takePredicted(MemorySegment memory, long base, int length, long source) {
    return predicted.take(memory, base, length, source)
        || predictedPuts.take(memory, base, length, source);
  }

  /** One packet whose header was validated; see {@link PacketReceiver#onPacket}. */
  public void onPacket(
      RailPort port,
      int portIndex,
      byte[] header,
      int copied,
      MemorySegment memory,
      long base,
      int length,
      long source,
      long nowNs) {
    State now = state;
    if (now == State.UP || now == State.CLOSING) {
      receiver.onPacket(port, portIndex, header, copied, memory, base, length, source, nowNs);
    } else if (now == State.CLOSED && !PacketReceiver.answersClose(header)) {
      if (closing.onLatePacket(nowNs)) {
        activate();
      }
    } // else the handshake answers first, or nobody does
  }

  // ---- what the handshake may ask ----

  /** Whether this side has begun it, and numbers the rails. Engine thread. */
  public boolean isInitiator() {
    return initiator;
  }

  /** Where the peer can be reached, as it told last. Engine thread. */
  public List<RailAddress> peerAddresses() {
    return peerAddresses;
  }

  /** One more than the highest number of a rail. Engine thread. */
  public int pathCount() {
    return paths.count();
  }

  /** The rail of that number; null if it was never used. Engine thread. */
  public @Nullable RailPath path(int id) {
    return paths.get(id);
  }

  /**
   * Since when a peer whose handshake was accepted has sent nothing; Long.MAX_VALUE if that is not
   * so. Whoever is there confirms the connection within a round trip.
   */
  public long unconfirmedSinceNs() {
    return state == State.UP && !initiator && paths.heardNs() == upNs ? upNs : Long.MAX_VALUE;
  }

  /** Whether this side began to close it. */
  public boolean closedHere() {
    return closing.isBegunHere();
  }

  /** Whether the peer was connected again, or would have been, since this one is over. */
  public boolean reconnected() {
    return ending.isReconnected();
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

  /**
   * It is up: the rail that the handshake has used becomes its first.
   *
   * @param railId what both sides call the rail
   * @param committed packets that this side has committed on it
   * @param roundTripNs the handshake's own; 0 if it is not known
   */
  public void establish(
      int portIndex,
      int railId,
      Rail rail,
      int committed,
      Introduction peer,
      long roundTripNs,
      long nowNs) {
    RailPath path = rails.add(railId, portIndex, nowNs);
    path.attach(rail, committed, nowNs);
    path.onHandshakeRoundTrip(roundTripNs, nowNs);
    path.limit(peer.railInfo().receiveBufferBytes(), peer.railInfo().maxPacketLength());
    onUp(peer, nowNs);
    datagrams.setPacketLength(path.size().current()); // from the first moment on
    health.validated(path, nowNs);
  }

  private void onUp(Introduction peer, long nowNs) {
    EndpointConfig config = node.config();
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
    channels.connect(peer);
    datagrams.connect(peer);
    state = closing.isBegunHere() ? State.CLOSING : State.UP;
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
   * Refuses new messages, drains for up to that long, tells the peer, and is over. What was offered
   * before the peer answered waits as long for it to answer. Engine thread.
   *
   * @param lingerNs 0 closes at once
   * @param rawNowNs the time, as {@code Endpoint.poll} takes it
   */
  public void close(long lingerNs, long rawNowNs) {
    long nowNs = node.clock().toEffective(rawNowNs);
    // "at once" is no point in time: the clock may slip, and be before it in the next duty cycle
    closing.begin(lingerNs <= 0 ? Long.MIN_VALUE : nowNs + lingerNs);
    if (state == State.CONNECTING && lingerNs <= 0) {
      endHere(UNANSWERED, nowNs);
    } else if (state == State.CLOSING) {
      activate();
    } else if (!state.isOver()) {
      state = state == State.UP ? State.CLOSING : state; // or when it is up
      channels.closeSending();
      datagrams.refuse(Status.CLOSED);
      activate();
    }
  }

  /** The peer closed in good order. */
  @Override
  public void onPeerClose(boolean acknowledges, long nowNs) {
    if (state.isOver()) {
      return; // answered before
    }
    if (!acknowledges) {
      closing.answer(nowNs);
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
    if (ending.isPending()) {
      ending.tell(); // there is no later
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
    boolean wasOver = state.isOver();
    if (!wasOver) {
      state = State.LOST;
      setOver(Status.PEER_LOST);
    }
    ending.fail(wasOver, cause);
  }

  /** Packets that gave back what they had taken, and did not leave, since the last one that did. */
  public int errorsInARow() {
    long sent = paths.packetsSent();
    errorsInARow = sent == sentAtError ? errorsInARow + 1 : 1;
    sentAtError = sent;
    return errorsInARow;
  }

  /** Whether {@link #end} has to follow. */
  public boolean isEnding() {
    return ending.isPending();
  }

  /** Ends what failed, with an event that says why; if that throws, once more. */
  public void end(long nowNs) {
    over(state, nowNs);
    boolean unused = ending.tellOnceSealed();
  }

  private void end(State how, Ending.Farewell words, long nowNs) {
    ending.tellBy(words);
    over(how, nowNs);
    boolean unused = ending.tellOnceSealed();
  }

  /** Nobody came to know it. */
  public void discard(long nowNs) {
    state = State.LOST;
    setOver(Status.PEER_LOST);
    ending.tellNothing(nowNs);
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
  private void over(State how, long nowNs) {
    state = how;
    ending.begin(nowNs);
    setOver(status(how));
    retransmit.clear();
    channels.end();
    notifications.end();
    datagrams.end();
    if (how != State.CLOSED) {
      dropRails(nowNs);
    }
    channels.closeMemory(nowNs);
    rails.refresh();
    activate();
    ending.end();
  }

  private void setOver(long status) {
    channels.setOver(status);
    datagrams.refuse(status);
  }

  private void dropRails(long nowNs) {
    rails.drop(nowNs);
    predicted.forgetRails();
    predictedPuts.forgetRails();
  }

  // ---- rails ----

  /** Which begins and ends them. Engine thread. */
  public ConnectionRails railSet() {
    return rails;
  }

  /** This node can be reached elsewhere from now on. */
  public void onAddressesChanged(long nowNs) {
    if (!state.isOver()) {
      control.addressesDue(state != State.CONNECTING);
      host.pairRails(this, nowNs);
      activate();
    }
  }

  /** The link of a port told something of a rail. */
  public void onLinkEvent(int portIndex, Rail rail, LinkEvent event, long nowNs) {
    if (rails.onLinkEvent(portIndex, rail, event, nowNs)) {
      runTimers();
      activate();
    }
  }

  @Override
  public void onRailChanged(RailPath path, RailState from, RailState to, String cause, long gapNs) {
    activate();
    rails.refresh();
    listener.onEvent(
        new NodeEvent.RailChanged(peerName, path.id(), path.link().name(), from, to, cause, gapNs));
  }

  // ---- the duty cycle ----

  /** Timers, then sending. */
  public int service(long nowNs) {
    servedNs = nowNs;
    predicted.settle(nowNs);
    predictedPuts.settle(nowNs);
    if (state == State.CONNECTING) {
      if (closing.isBegunHere() && closing.isDue(nowNs)) {
        endHere(UNANSWERED, nowNs);
      }
      return 0;
    }
    if (state.isOver()) {
      serveEnded(nowNs);
      return 0;
    }
    boolean timersDue =
        nowNs >= timersNs || nowNs - timersRanNs >= TIMERS_INTERVAL_NS || state == State.CLOSING;
    if (timersDue) {
      boolean unused = health.pollConsumed(true, nowNs);
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
      stallProbe.onTimer(nowNs);
      answers.sendUnsent();
      if (state == State.CLOSING && !closing.onTimer(nowNs)) {
        endHere("and the peer did not answer", nowNs);
      }
    }
    int work = sender.send(nowNs);
    if (sender.isBurstEnded()) {
      activate(); // more to do in the next cycle
    }
    if (state == State.UP && sender.isIdle(nowNs)) {
      inline.ready(nowNs);
    } else {
      inline.notReady();
    }
    afterwards(nowNs);
    if (nowNs >= nextGaugesNs) {
      nextGaugesNs = nowNs + GAUGES_NS;
      rails.gauges(nowNs);
      counters.set(ConnectionCounter.RETRANSMIT_QUEUE, retransmit.size());
    }
    return work;
  }

  private void serveEnded(long nowNs) {
    if (ending.isHalfDone()) {
      return; // first it has to be
    }
    boolean closed = state == State.CLOSED;
    if (closed) {
      closing.answerIfDue(nowNs);
    }
    if (!ending.tellOnceSealed()) {
      return;
    }
    if (closed && ending.takeReconnect(nowNs)) {
      host.reconnect(this);
    }
    if (!closed || remoteId == 0) { // no peer knows of one that was never up
      host.forget(this);
    } else if (ending.isForgettable(nowNs)) {
      dropRails(nowNs);
      host.forget(this);
    }
  }

  private String silence(long nowNs) {
    long silentMs = (nowNs - paths.heardNs()) / 1_000_000;
    return "nothing heard for " + silentMs + " ms on any of " + rails.infos().size() + " rails";
  }

  /** What nothing that was to be sent has to wait for. */
  private void afterwards(long nowNs) {
    if (health.pollConsumed(false, nowNs)) {
      control.news();
    }
    if (channels.takeBackConsumed()) {
      enlist();
    }
  }

  /** The next duty cycle looks at all timers. */
  public void runTimers() {
    timersNs = Long.MIN_VALUE;
  }

  /** Where it stands among those that wait for a deadline, to whoever keeps them. */
  public DeadlineHeap.Entry<Connection> deadline() {
    return deadline;
  }

  /** When {@link #service} has to be called at the latest, as of when it was called last. */
  public long deadlineNs() {
    long nowNs = servedNs;
    if (state == State.CONNECTING) {
      return closing.isBegunHere() ? closing.deadlineNs(nowNs) : Long.MAX_VALUE;
    }
    if (state.isOver()) {
      return ending.deadlineNs(state == State.CLOSED, nowNs);
    }
    boolean mayStall = channels.takeStalled();
    if (sender.takeMayStall() || mayStall) { // then it is seen whether anything is missing
      stallProbe.expect(nowNs);
    }
    long soonest = Math.min(stallProbe.deadlineNs(), health.deadlineNs(initiator));
    long due = Math.min(soonest, Math.min(paths.deadlineNs(), channels.stateDeadlineNs()));
    if (answers.isAnyUnsent()) {
      due = Math.min(due, nowNs + ANSWERS_RETRY_NS);
    }
    if (state == State.CLOSING) {
      due = Math.min(due, closing.deadlineNs(nowNs));
    }
    boolean overdue = due <= nowNs && timersRanNs == nowNs;
    timersNs = overdue ? nowNs + OVERDUE_RETRY_NS : due;
    return Math.min(timersNs, sender.deadlineNs(nowNs));
  }
}

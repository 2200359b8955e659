// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import io.crosstie.multirail.connection.Connection;
import io.crosstie.multirail.connection.Placement;
import io.crosstie.multirail.handshake.SeedResolver;
import io.crosstie.multirail.region.Request;
import io.crosstie.reliability.channel.ChannelCore;
import io.crosstie.reliability.channel.Pieces;
import io.crosstie.reliability.channel.PlacementChannels;
import io.crosstie.reliability.channel.Put;
import io.crosstie.reliability.wire.PacketHeader;
import io.crosstie.transport.RailAddress;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A remote node, by its name. It outlives connections: after the peer was lost or restarted, a node
 * that has seeds for it connects anew by itself, and {@link #channel} gives channels of the
 * connection that is current.
 *
 * <p>Threads: any, where the node has a thread of its own; else the caller's.
 */
public final class Peer {
  /**
   * One connection and its channels; or, without a connection, the channels that wait for the
   * first.
   */
  private static final class ConnectionChannels {
    final @Nullable Connection connection;
    final Map<Integer, Channel> channels = new ConcurrentHashMap<>();

    ConnectionChannels(@Nullable Connection connection) {
      this.connection = connection;
    }
  }

  /** Where the connection to a peer is in its life. */
  public enum State {
    /** The peer has not answered yet. */
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

    private static final State[] ALL = values();

    static State of(Connection.State state) {
      return ALL[state.ordinal()]; // the same ones in the same order
    }

    /** Whether nothing will be sent or accepted any more. */
    public boolean isOver() {
      return this == CLOSED || this == LOST || this == RESTARTED || this == SUPERSEDED;
    }
  }

  private static final io.crosstie.transport.Counters<
          io.crosstie.multirail.connection.ConnectionCounter>
      NO_COUNTERS =
          new io.crosstie.transport.Counters<>(
              io.crosstie.multirail.connection.ConnectionCounter.class);

  private static final int MAX_REJECTIONS = 64;

  private final Node node;
  private final String name;
  private final List<RailAddress> seeds;
  private final boolean configured;
  private volatile boolean closedHere;
  private volatile ConnectionChannels present = new ConnectionChannels(null);

  /** The last answer of each address that rejects this node, since it last was connected. */
  private final Map<String, NodeEvent.Rejected> rejections = new ConcurrentHashMap<>();

  /** The engine's thread: whether it is looked after that somebody asks for its channels. */
  private boolean watched;

  /** Channels of lives before that one on which something is left to poll; replaced as a whole. */
  private volatile List<Channel> formers = List.of();

  Peer(Node node, String name, List<RailAddress> seeds, boolean configured) {
    this.node = node;
    this.name = name;
    this.seeds = seeds;
    this.configured = configured;
  }

  /** The engine's thread, or the one that starts the node. */
  void bind(Connection connection) {
    bindAll(connection).forEach(Channel::announce);
  }

  /** Returns the channels that have waited for it. */
  @SuppressWarnings("ReferenceEquality") // a connection is a state machine, not a value
  private synchronized List<Channel> bindAll(Connection connection) {
    ConnectionChannels before = present;
    if (before.connection == connection) {
      return List.of();
    }
    closedHere = false; // it came back
    watched = false;
    rejections.clear();
    ConnectionChannels next = new ConnectionChannels(connection);
    if (before.connection == null) {
      before.channels.forEach(
          (number, channel) -> {
            channel.bind(connection);
            next.channels.put(number, channel);
          });
    } else {
      keep(before, before.connection);
    }
    present = next;
    return List.copyOf(next.channels.values());
  }

  /** The engine's thread. Returns whether that address has not said so before. */
  boolean onRejected(NodeEvent.Rejected rejected) {
    if (rejections.size() >= MAX_REJECTIONS) {
      rejections.clear();
    }
    return !rejected.equals(rejections.put(rejected.address(), rejected));
  }

  /** The engine's thread: whether it was not begun before on this connection. */
  boolean beginWatch() {
    boolean begins = !watched;
    watched = true;
    return begins;
  }

  /** The engine's thread: the current connection's channels, whoever asked for them. */
  List<ChannelCore> cores() {
    Connection connection = present.connection;
    return connection == null ? List.of() : List.copyOf(connection.channels());
  }

  /** The engine's thread: channels with messages to poll that nobody has asked for. */
  List<Integer> channelsNobodyAskedFor() {
    ConnectionChannels current = present;
    return current.connection == null
        ? List.of()
        : current.connection.channels().stream()
            .filter(core -> core.hasUnpolled() && !current.channels.containsKey(core.number()))
            .map(ChannelCore::number)
            .sorted()
            .toList();
  }

  /** A channel is over, and its number is free. */
  void forget(ChannelCore core) {
    present.channels.computeIfPresent(
        core.number(), (number, channel) -> channel.isOf(core) ? null : channel);
  }

  /** What is left to poll of a former connection stays within reach, and is named. */
  private void keep(ConnectionChannels before, Connection connection) {
    List<Channel> kept = new ArrayList<>(formerChannels());
    List<NodeEvent.Unpolled> unpolled = new ArrayList<>();
    for (Channel channel : channels(before, connection)) {
      if (channel.hasUnpolled()) {
        kept.add(channel);
        long last = channel.receivedSequence();
        long first = last - channel.unpolled() + 1;
        if (first <= last) {
          unpolled.add(new NodeEvent.Unpolled(channel.number(), first, last));
        }
      }
    }
    if (!unpolled.isEmpty()) {
      node.publish(
          new NodeEvent.FormerMessages(name, connection.peerIncarnation(), List.copyOf(unpolled)));
    }
    formers = List.copyOf(kept);
  }

  /**
   * Whether it can be forgotten: it was not configured, its connection is over, and nothing is left
   * to poll.
   */
  boolean isSpent() {
    Connection connection = present.connection;
    boolean isOver = connection == null || connection.state().isOver();
    return !configured && isOver && !hasUnpolled(connection);
  }

  private boolean hasUnpolled(@Nullable Connection connection) {
    boolean has = formers.stream().anyMatch(Channel::hasUnpolled);
    return has
        || (connection != null
            && connection.channels().stream().anyMatch(ChannelCore::hasUnpolled));
  }

  @Nullable Connection connection() {
    return present.connection;
  }

  /** Its name. */
  public String name() {
    return name;
  }

  /** Its rank, -1 if it has none or is not known yet. */
  public int rank() {
    Connection connection = present.connection;
    return connection == null ? -1 : connection.peerRank();
  }

  /** The random number that its process drew at its start, 0 if not known yet. */
  public long incarnation() {
    Connection connection = present.connection;
    return connection == null ? 0 : connection.peerIncarnation();
  }

  /** Where the current connection is in its life. */
  public State state() {
    Connection connection = present.connection;
    return connection == null ? State.CONNECTING : State.of(connection.state());
  }

  /** Whether the peer has answered and is not lost. */
  public boolean isUp() {
    return state() == State.UP;
  }

  /**
   * Waits until {@link #isUp()}; an interrupt neither ends nor fails it, see {@link Node}.
   *
   * @throws CrosstieTimeoutException if that takes longer; the message names the rails and
   *     addresses tried, the last problem, and what to do next. Connecting goes on
   * @throws CrosstieException at once where waiting is of no use until somebody corrects something:
   *     no seed's host name is known, looked up now, or who is found there has another name,
   *     another version, or does not let this node in. Connecting goes on all the same, so who
   *     expects a name server to learn a name waits and calls again. Also if the node or the
   *     connection is closed, or if the peer has let a newer process have this node's name ({@link
   *     State#SUPERSEDED})
   */
  public void awaitUp(Duration timeout) {
    Map<RailAddress, SeedResolver.Answer> stale = isUp() ? Map.of() : node.recheckNames(seeds);
    node.await(
        timeout,
        () -> {
          if (isUp()) {
            return true;
          }
          if (closedHere) {
            throw new CrosstieException(
                "peer "
                    + name
                    + " was closed by this node, which does not connect to it again; start a new"
                    + " node, or let the peer connect");
          }
          if (state() == State.SUPERSEDED) {
            throw new CrosstieException(
                "peer " + name + " rejects this node for good. " + problem());
          }
          String why = state() == State.CONNECTING ? whyNotToBeHad(stale) : null;
          if (why != null) {
            throw new CrosstieException(why);
          }
          return false;
        },
        () -> "peer " + name + " is not up after " + ConfigRules.text(timeout) + ". " + describe());
  }

  private String problem() {
    Connection connection = present.connection;
    return connection == null ? "" : connection.problem();
  }

  /**
   * Why waiting is of no use until somebody corrects something: that much is known of every seed. A
   * person is told; null if there still is a hope.
   */
  @SuppressWarnings("ReferenceEquality") // the very answer that was there before
  private @Nullable String whyNotToBeHad(Map<RailAddress, SeedResolver.Answer> stale) {
    List<String> all = new ArrayList<>();
    for (RailAddress seed : seeds) {
      SeedResolver.Answer answer = node.found(seed);
      boolean fresh = answer != null && answer != stale.get(seed);
      String why = answer != null && fresh ? whyLeadsNowhere(answer) : null;
      if (why == null) {
        return null;
      }
      all.add(why);
    }
    return all.isEmpty()
        ? null
        : "peer "
            + name
            + " is not to be had as it is configured: "
            + String.join("; ", all)
            + ". Next: correct what is wrong, here or there. Meanwhile this node goes on asking.";
  }

  private @Nullable String whyLeadsNowhere(SeedResolver.Answer answer) {
    if (answer.addresses().isEmpty()) {
      return answer.why();
    }
    boolean ipv6 = node.localAddresses().stream().anyMatch(local -> isIpv6(local.text()));
    List<String> all = new ArrayList<>();
    for (RailAddress address : answer.addresses()) {
      NodeEvent.Rejected rejected = rejections.get(address.text());
      String why = rejected == null ? null : whyForGood(rejected);
      if (why != null) {
        all.add(why);
      } else if (ipv6 || !isIpv6(address.text())) {
        return null; // else it is not reached anyway
      }
    }
    return all.isEmpty() ? null : String.join("; ", all);
  }

  private static boolean isIpv6(String address) {
    return address.startsWith("udp://[");
  }

  /** Null if asking again may help. */
  private @Nullable String whyForGood(NodeEvent.Rejected rejected) {
    String advice =
        switch (rejected.reason()) {
          case "WRONG_NAME" -> " and not \"" + name + "\"; correct the peer's name or its address";
          case "VERSION" ->
              "; this node speaks version "
                  + PacketHeader.WIRE_VERSION
                  + "; run the same release on both sides";
          case "REFUSED" -> "";
          default -> null;
        };
    return advice == null
        ? null
        : "rejected by "
            + rejected.address()
            + " ("
            + rejected.reason()
            + "): "
            + rejected.why()
            + advice;
  }

  /** What was tried, what came of it, and what to do, for a person. */
  String describe() {
    StringBuilder text = new StringBuilder(node.describeRails());
    if (seeds.isEmpty()) {
      text.append(" No seed is configured, so the peer has to connect to this node.");
      List<String> others = node.unexpectedPeers();
      if (!others.isEmpty()) {
        text.append(" Connected, but not configured here: ").append(others);
        text.append("; if one of them is meant, correct the name.");
      }
    } else {
      text.append(" Seeds tried: ").append(seeds).append('.');
    }
    String problem = problem();
    if (!problem.isBlank()) {
      text.append(" Last problem: ").append(problem).append('.');
    }
    List<RailInfo> rails = rails();
    for (RailInfo rail : rails) {
      text.append(" Rail ").append(rail.name()).append(" is ").append(rail.state()).append('.');
    }
    text.append(
        rails.isEmpty()
            ? " Next: see that the peer runs, that it has the name \""
                + name
                + "\", and that no firewall stands between; then compare the seeds with what its"
                + " Node.localAddresses() tells."
            : "");
    return text.toString();
  }

  /**
   * The channel of that number, of the current connection, with normal priority if it is new. While
   * one is open, that one; once it {@link Channel#isOver()}, another one.
   *
   * @throws CrosstieException if there are {@link NodeConfigBuilder#maxChannels} already, those
   *     included that the peer has opened
   */
  public Channel channel(int number) {
    Channel known = present.channels.get(checkNumber(number));
    return known != null && !known.isFreed() ? known : open(number, Priority.NORMAL);
  }

  /**
   * The channel of that number, of the current connection. It can be had before there is one;
   * offers then answer {@link Channel#CONNECTING} once there is no room for more.
   *
   * @param number 0 or more; both sides use the same
   * @param priority of what this side sends; each side chooses its own, whoever opens the channel
   * @throws CrosstieException if the channel is open with the other priority, or if there are
   *     {@link NodeConfigBuilder#maxChannels} already, those included that the peer has opened
   */
  public Channel channel(int number, Priority priority) {
    Channel channel = open(checkNumber(number), priority);
    if (!channel.choose(priority)) {
      throw new CrosstieException(
          channel
              + " is open with priority "
              + channel.priority()
              + ", not "
              + priority
              + "; ask for it with channel("
              + number
              + ") or take another number");
    }
    return channel;
  }

  private static int checkNumber(int number) {
    if (number < 0 || PlacementChannels.isReserved(number)) {
      throw new CrosstieException(
          "channel "
              + number
              + " is no channel; numbers are 0 to "
              + (PlacementChannels.FIRST - 1));
    }
    return number;
  }

  private Channel open(int number, Priority priority) {
    node.engine().check();
    Channel opened;
    synchronized (this) {
      ConnectionChannels current = present;
      Channel known = current.channels.get(number);
      if (known != null && !known.isFreed()) {
        return known;
      }
      opened = open(current, number, priority);
    }
    opened.announce();
    return opened;
  }

  /** Under the lock. */
  private Channel open(ConnectionChannels current, int number, Priority priority) {
    Channel channel = new Channel(node, this, number, priority);
    if (current.connection != null) {
      try {
        channel.bind(current.connection);
      } catch (IllegalStateException e) {
        throw new CrosstieException(String.valueOf(e.getMessage()), e);
      }
    } else if (current.channels.size() >= node.config().maxChannels()) {
      throw new CrosstieException(
          "channel "
              + number
              + " is one too many: this node has its bound of "
              + node.config().maxChannels()
              + " channels with \""
              + name
              + "\"; raise maxChannels or use fewer");
    }
    current.channels.put(number, channel);
    if (channel.isFreed()) {
      boolean unused = current.channels.remove(number, channel); // it was over before it was put
    }
    return channel;
  }

  /**
   * The channels of the current connection, those included that the peer has opened, by number; a
   * snapshot. Before there is a connection those that wait for it.
   */
  public synchronized List<Channel> channels() {
    node.engine().check();
    ConnectionChannels current = present;
    return channels(current, current.connection);
  }

  /** The channel that stands on that core, of this connection or of a former one. */
  @SuppressWarnings("ReferenceEquality") // a connection is a state machine, not a value
  synchronized Channel channelOn(Connection connection, ChannelCore core) {
    ConnectionChannels current = present;
    Channel known = current.connection == connection ? current.channels.get(core.number()) : null;
    if (known != null && known.isOf(core)) {
      return known;
    }
    for (Channel former : formers) {
      if (former.isOf(core)) {
        return former;
      }
    }
    Channel channel = new Channel(node, this, core.number(), null);
    channel.bind(connection, core);
    if (current.connection == connection && !core.isFreed()) {
      current.channels.put(core.number(), channel);
      if (core.isFreed()) {
        boolean unused = current.channels.remove(core.number(), channel); // it was over before
      }
    }
    return channel;
  }

  /** The engine's thread: all channels of it on which something may be left to poll. */
  void lookAtAll(ReadyChannels ready) {
    Connection connection = present.connection;
    if (connection != null) {
      connection.channels().forEach(core -> ready.lookAt(connection, core));
    }
    formers.forEach(channel -> channel.lookAt(ready));
  }

  private List<Channel> channels(ConnectionChannels of, @Nullable Connection connection) {
    if (connection != null) {
      for (ChannelCore core : connection.channels()) {
        Channel known = of.channels.get(core.number());
        if (!core.isFreed() && (known == null || known.isFreed())) {
          Channel channel = new Channel(node, this, core.number(), null);
          channel.bind(connection, core);
          of.channels.put(core.number(), channel);
        }
      }
    }
    return of.channels.values().stream()
        .filter(channel -> !channel.isFreed())
        .sorted(Comparator.comparingInt(Channel::number))
        .toList();
  }

  /**
   * Channels of former connections on which something is left to poll: messages that were accepted
   * before the connection ended, or completions of {@link Channel#send}. The oldest connection's
   * come first, then by number; a snapshot. {@link Channel#poll} them until they are empty, or
   * {@link Channel#discard}; then they are listed no more. {@link NodeEvent.FormerMessages} tells
   * when there are new ones.
   *
   * <p>Their messages stay charged to the node's bounds. Those that are not polled for five seconds
   * while living peers wait for the memory are given up, the oldest first, and named by {@link
   * NodeEvent.MessagesDropped}.
   */
  public List<Channel> formerChannels() {
    return formers.stream().filter(Channel::hasUnpolled).toList();
  }

  // ---- regions ----

  /**
   * A region of the peer's, by the key that it told. Whether there is one is found out by using it.
   *
   * @param key not 0
   */
  public RemoteRegion region(long key) {
    if (key == 0) {
      throw new CrosstieException("no region has the key 0; have the peer tell Region.key()");
    }
    return new RemoteRegion(this, key);
  }

  /**
   * Has that told when all puts to this peer that were taken before are where they belong, and
   * operations on words are done, in {@link Node#poll} or {@link Node#pollRegions}; what came of
   * each put was told by then. What is put meanwhile is not waited for, nor are answers. The peer
   * is asked: it takes one round trip, where a completion alone may wait for a delayed
   * acknowledgement.
   *
   * @throws CrosstieException if there was no connection yet
   */
  public void flush(FlushCompletion completion) {
    Objects.requireNonNull(completion, "completion");
    node.engine().check();
    Connection connection = present.connection;
    if (connection == null) {
      throw new CrosstieException(
          "peer " + name + " has no connection yet, so nothing was put; see Peer.awaitUp");
    }
    connection
        .placement()
        .flush(error -> completion.onFlushed(this, error), core -> node.asked(connection, core));
    node.regionNews().onNews(this, connection);
  }

  // ---- datagrams ----

  /**
   * Sends a datagram: at most one packet, sent once, by one rail, in no order with anything else,
   * and never again if it is lost. It is paced and counts against the congestion control of its
   * rail like all packets, and while messages wait as well, either has at least half of the
   * packets. It is copied: the memory is the caller's again on return. The node's thread sends it,
   * or in caller mode the next poll.
   *
   * @param source any memory, on the heap or not
   * @param offset of the first byte
   * @param length in bytes, 0 to {@link #maxDatagramBytes()}
   * @return above 0 if it was taken; else {@link Status#BACK_PRESSURED} while 256 KiB wait to leave
   *     (each with 8 bytes more), or less where memory is short; {@link Status#CONNECTING} as long
   *     as the peer has not answered, since nothing is kept for it; {@link Status#UNSUPPORTED} if
   *     it is of a release without datagrams; or why the connection has ended
   * @throws IllegalArgumentException if it is longer than may be
   */
  public long datagram(MemorySegment source, long offset, int length) {
    Pieces pieces = new Pieces();
    pieces.add(source, offset, length);
    return datagram(pieces);
  }

  /**
   * The same for one in several pieces, and with a header of up to 32 bytes, both of which are part
   * of its length.
   */
  public long datagram(Gather message) {
    return datagram(message.pieces());
  }

  private long datagram(Pieces pieces) {
    node.engine().check();
    Connection connection = present.connection;
    if (!node.isOpen()) {
      return Status.CLOSED;
    }
    if (connection == null) {
      return Status.CONNECTING;
    }
    long result = connection.datagrams().offer(pieces);
    if (result > 0) {
      node.offeredDatagram(connection);
    } else if (result == Status.TOO_LARGE) {
      throw new IllegalArgumentException(
          "a datagram of "
              + pieces.total()
              + " bytes, its header included, does not fit in one packet of each rail to "
              + name
              + ", which carry "
              + connection.datagrams().longest()
              + " now (Peer.maxDatagramBytes()); send it as a message, or in several datagrams");
    }
    return result;
  }

  /**
   * The longest datagram that can be sent now, its header included: what one packet of every rail
   * in use carries, 16 KiB at most; 0 as long as there is no connection, or if the peer takes none.
   * It grows when a rail's path turns out to carry larger packets, and shrinks when a rail with
   * smaller ones comes into use, or a path has become narrower: a datagram that waited meanwhile
   * and fits no more is dropped and counted ({@link ConnectionCounter#DATAGRAMS_UNSENT}). 1160
   * bytes always fit.
   */
  public int maxDatagramBytes() {
    Connection connection = present.connection;
    return connection == null ? 0 : connection.datagrams().longest();
  }

  /** Sends a put, or asks for something in a region; above 0, or a status. */
  long put(Put put) {
    node.engine().check();
    Connection connection = present.connection;
    if (!node.isOpen()) {
      return Channel.CLOSED;
    }
    if (connection == null) {
      return Channel.CONNECTING;
    }
    Placement placement = connection.placement();
    ChannelCore on = placement.channelOf(put);
    long result =
        put instanceof Request request ? placement.ask(on, request) : placement.put(on, put);
    if (result > 0) {
      node.offered(connection, on);
      if (on.terminalStatus() != 0) { // it ended meanwhile, and its end may have been told
        node.regionNews().onNews(this, connection);
      }
    }
    return result;
  }

  Node node() {
    return node;
  }

  /** The current connection's rails, with state, addresses and counters; a snapshot. */
  public List<RailInfo> rails() {
    Connection connection = present.connection;
    return connection == null ? List.of() : connection.rails().stream().map(RailInfo::of).toList();
  }

  /** Counters of the current connection; all zero before there is one. */
  public Counters<ConnectionCounter> counters() {
    Connection connection = present.connection;
    return new CoreCounters<>(
        ConnectionCounter.class, connection == null ? NO_COUNTERS : connection.counters());
  }

  /**
   * Closes the connection: refuses new messages, waits until what was offered is accepted, and
   * tells the peer. An interrupt does not shorten it.
   */
  public void close(Duration linger) {
    closedHere = true;
    node.close(
        () -> {
          Connection connection = present.connection;
          closedHere = true; // also if it came back just before
          return connection == null ? List.of() : List.of(connection);
        },
        linger);
  }

  @Override
  public String toString() {
    return "peer " + name + " (" + state() + ")";
  }
}

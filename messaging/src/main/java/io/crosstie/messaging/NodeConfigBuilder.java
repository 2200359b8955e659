// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import io.crosstie.transport.RailDriver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Builds a {@link NodeConfig}. Only {@link #name} has no default. Nothing is checked before {@link
 * #build}, which then names the setting at fault and what it may be. Not thread safe. Sizes are in
 * bytes.
 */
public final class NodeConfigBuilder {
  /** The default path scheduler's name. */
  static final String DEFAULT_SCHEDULER = "ect";

  static final String CUSTOM_SCHEDULER = "custom";

  /** A size that follows from what the JVM has. */
  static final long BY_MEMORY = Long.MIN_VALUE;

  String name = "";
  int rank = -1;
  final List<String> rails = new ArrayList<>();
  final Map<String, List<String>> peers = new LinkedHashMap<>();
  final List<RailDriver> drivers = new ArrayList<>();
  final List<EventTap> eventTaps = new ArrayList<>();
  final List<CycleHook> cycleHooks = new ArrayList<>();
  boolean findDrivers = true; // off in tests that want none but their own
  Progress progress = Progress.thread();
  String schedulerName = DEFAULT_SCHEDULER;
  @Nullable Supplier<PathScheduler> scheduler;
  String checksum = "crc32c";
  long maxMessageBytes = BY_MEMORY;
  long largePoolBytes = BY_MEMORY;
  long memoryBytes = BY_MEMORY;
  int channelWindowBytes = 4 << 20;
  int sendLogBytes = 4 << 20;
  Duration suspectFloor = Duration.ofMillis(3);
  Duration downAfter = Duration.ofMillis(50);
  Duration peerTimeout = Duration.ofSeconds(30);
  Duration recoverTime = Duration.ofMillis(20);
  Duration closeLinger = Duration.ofSeconds(2);
  boolean reinjection = true;
  boolean acceptUnknownPeers = true;
  boolean accelerator = true;
  boolean shortcuts = true;
  boolean shutdownHook = true;
  boolean statistics = true;
  long maxConnections = BY_MEMORY;
  int maxChannels = 1024;

  NodeConfigBuilder() {}

  /**
   * The node's name, by which peers call it: 1 to 64 bytes of UTF-8, normalized (NFC), of
   * characters that can be seen and spaces between them; so without a byte-order mark, zero-width
   * spaces, control or private-use characters. {@link #build} refuses any other, and says what
   * stands where. Names are compared byte by byte. No default.
   */
  public NodeConfigBuilder name(String name) {
    this.name = Objects.requireNonNull(name, "name");
    return this;
  }

  /** A number for applications that count their processes, 0 or more. None by default. */
  public NodeConfigBuilder rank(int rank) {
    this.rank = rank;
    return this;
  }

  /**
   * Adds a rail, written as {@code scheme:rest?option=value&...}: {@code udp://198.18.1.1:7400},
   * {@code udp://[::]:7400?advertise=node7.example}, {@code shm:}. Every rail may have {@code
   * driver=} (a driver's name; {@code auto}, the default, takes the fastest that works here),
   * {@code weight=} (1 to 1000, for the weighted scheduler) and {@code thread=} ({@code inline},
   * the default: the node's thread uses the rail; {@code own}: a thread for it alone, which is
   * given up if it hangs; for UDP by Linux's driver); the other options are the driver's.
   *
   * <p>A rail that cannot be opened fails the start; but where shared memory cannot be had (say
   * /dev/shm is full) that is logged and told by an event, and the node starts with its other
   * rails. Without any rail the node opens {@code shm:} and {@code udp://127.0.0.1:0}, those of
   * them that work: enough for peers on the same host, and nothing is open to the network.
   */
  public NodeConfigBuilder rail(String uri) {
    rails.add(Objects.requireNonNull(uri, "uri"));
    return this;
  }

  /**
   * Adds a peer that this node connects to, and connects to again and again, or more seeds of one.
   *
   * @param name the peer's name, as {@link #name} takes it
   * @param seeds addresses at which to find it, tried in turn, as the peer's {@link
   *     Node#localAddresses()} tells them, for example {@code udp://198.18.1.2:7400}; one is
   *     enough, its other rails are learned. A host may be named; names are looked up beside the
   *     engine, and again for as long as the peer does not answer. None: the peer is expected to
   *     connect to us
   */
  public NodeConfigBuilder peer(String name, String... seeds) {
    peers
        .computeIfAbsent(Objects.requireNonNull(name, "name"), key -> new ArrayList<>())
        .addAll(Arrays.asList(seeds));
    return this;
  }

  /** Adds a driver to those that {@link java.util.ServiceLoader} finds. */
  NodeConfigBuilder driver(RailDriver driver) {
    drivers.add(Objects.requireNonNull(driver, "driver"));
    return this;
  }

  /** Who runs the protocol. Default {@link Progress#thread()}. */
  public NodeConfigBuilder progress(Progress progress) {
    this.progress = Objects.requireNonNull(progress, "progress");
    return this;
  }

  /**
   * How packets are bound to rails: {@code ect} (the default: where it is estimated to be there
   * first), {@code weighted} (in proportion to the rails' {@code weight=}), {@code min-rtt}, {@code
   * primary-backup} (all by the usable rail of the highest {@code weight=}), or {@code redundant}
   * (everything on all rails).
   */
  public NodeConfigBuilder scheduler(String name) {
    this.schedulerName = Objects.requireNonNull(name, "name");
    this.scheduler = null;
    return this;
  }

  /** A path scheduler of the application's own, asked for once per connection. */
  public NodeConfigBuilder scheduler(Supplier<PathScheduler> scheduler) {
    this.schedulerName = CUSTOM_SCHEDULER;
    this.scheduler = Objects.requireNonNull(scheduler, "scheduler");
    return this;
  }

  /**
   * The checksum of payloads that this node sends, by name: {@code crc32c} (the default: the
   * strongest against errors of transmission, and the quickest), {@code none}, {@code sum}, {@code
   * xor}, {@code adler32}, {@code fletcher64}, {@code fnv1a}, {@code jenkins-oaat}, {@code murmur}
   * or {@code superfast}. None is a defence against somebody who alters a message and its checksum.
   */
  public NodeConfigBuilder checksum(String checksum) {
    this.checksum = Objects.requireNonNull(checksum, "checksum");
    return this;
  }

  /**
   * The largest message, sent or received, 1 byte or more. Default half of the pool for large
   * messages, at most 1 GiB. A larger one is answered by {@link Channel#TOO_LARGE}. If it is more
   * than half of the pool, one that nobody polls may keep all others waiting until it is polled.
   */
  public NodeConfigBuilder maxMessageBytes(long bytes) {
    this.maxMessageBytes = bytes;
    return this;
  }

  /**
   * Bound of the memory for large messages (above 64 KiB) that are being received, and another time
   * of copies of those that are being sent. Default 1 GiB, but at most half of what the JVM has
   * (the lesser of its heap and its direct memory); at least the largest message, rounded up to 64
   * KiB times a power of two. It is taken when it is needed.
   */
  public NodeConfigBuilder largePoolBytes(long bytes) {
    this.largePoolBytes = bytes;
    return this;
  }

  /**
   * Bound of the memory for small messages (up to 64 KiB), of all peers and channels together: half
   * of it for what was received and what peers were allowed to send, half for what was sent and is
   * not accepted yet. What exceeds it is pushed back, and no peer can take all of it. Default a
   * quarter of what the JVM has (the lesser of its heap and its direct memory), 2 MiB to 1 GiB. It
   * is taken when it is needed.
   */
  public NodeConfigBuilder memoryBytes(long bytes) {
    this.memoryBytes = bytes;
    return this;
  }

  /**
   * The most credit of one channel: how much a peer may have sent of small messages that the
   * handler has not taken. Default 4 MiB; where the path holds more than that, twice what is
   * consumed within a round trip. A channel begins with 128 KiB, and its window grows as it is
   * used, as far as {@link #memoryBytes} allows.
   */
  public NodeConfigBuilder channelWindowBytes(int bytes) {
    this.channelWindowBytes = bytes;
    return this;
  }

  /**
   * How much one channel keeps of small messages until the peer has them, a power of two. Default 4
   * MiB; where the path holds more than that, twice what it holds.
   */
  public NodeConfigBuilder sendLogBytes(int bytes) {
    this.sendLogBytes = bytes;
    return this;
  }

  /**
   * A rail is never suspected sooner than this after it fell silent, whatever its round trips are.
   * Default 3 ms. Raise it where processes are scheduled late.
   */
  public NodeConfigBuilder suspectFloor(Duration floor) {
    this.suspectFloor = Objects.requireNonNull(floor, "floor");
    return this;
  }

  /**
   * A suspected rail is down after this much more silence, while another rail proves the peer
   * alive. Default 50 ms.
   */
  public NodeConfigBuilder downAfter(Duration silence) {
    this.downAfter = Objects.requireNonNull(silence, "silence");
    return this;
  }

  /**
   * A rail that was down has to answer probes for at least this long before it is used again.
   * Default 20 ms.
   */
  public NodeConfigBuilder recoverTime(Duration time) {
    this.recoverTime = Objects.requireNonNull(time, "time");
    return this;
  }

  /** The peer is lost after this much silence on all rails. Default 30 s. */
  public NodeConfigBuilder peerTimeout(Duration timeout) {
    this.peerTimeout = Objects.requireNonNull(timeout, "timeout");
    return this;
  }

  /**
   * Whether fragments that are outstanding on a suspected rail are sent again on others. Default
   * true. False is a negative control for tests and demonstrations: messages then hang when a rail
   * dies.
   */
  public NodeConfigBuilder reinjection(boolean on) {
    this.reinjection = on;
    return this;
  }

  /**
   * Whether peers that were not configured may connect; they appear in {@link Node#peers()}.
   * Default true.
   */
  public NodeConfigBuilder acceptUnknownPeers(boolean accept) {
    this.acceptUnknownPeers = accept;
    return this;
  }

  /**
   * Whether this node uses the machine code of an accelerator (artifact {@code
   * crosstie-accelerator-x86}) where one is on the class path or module path and works here.
   * Default true. False: Java alone copies and sums. Only speed depends on it, never what is on the
   * wire; the peer's setting is its own.
   */
  public NodeConfigBuilder accelerator(boolean on) {
    this.accelerator = on;
    return this;
  }

  /**
   * Whether a short message that is offered by itself takes the short cuts over shared memory: it
   * is sent inline, before anything else is done, and taken in by header prediction. Default true.
   * False: it goes the way of all others, with the same result, only later. To find out whether
   * something depends on them; the peer's setting is its own.
   */
  public NodeConfigBuilder shortcuts(boolean on) {
    this.shortcuts = on;
    return this;
  }

  /**
   * Whether the node's counters are copied to a file twice a second, by one daemon thread for all
   * nodes of the process, for {@code crosstie stat} and whoever else maps it: in a folder of the
   * user's own in /dev/shm, or in the directory for temporary files. Default true. Where the file
   * cannot be had the node works without.
   */
  public NodeConfigBuilder statistics(boolean on) {
    this.statistics = on;
    return this;
  }

  /**
   * Whether the node closes itself when the JVM ends (Ctrl-C, {@code System.exit}), so that no
   * shared files are left and peers are told. Default true. False where the application has an
   * order of its own, and then calls {@link Node#close()} itself.
   */
  public NodeConfigBuilder shutdownHook(boolean on) {
    this.shutdownHook = on;
    return this;
  }

  /**
   * How long {@link Node#close()} waits for messages to be accepted. Default 2 s; zero closes at
   * once.
   */
  public NodeConfigBuilder closeLinger(Duration linger) {
    this.closeLinger = Objects.requireNonNull(linger, "linger");
    return this;
  }

  /** Adds an observer of the node's events, besides {@link Node#pollEvents}. None by default. */
  public NodeConfigBuilder eventTap(EventTap tap) {
    eventTaps.add(Objects.requireNonNull(tap, "tap"));
    return this;
  }

  /** Adds what is to be done once in each duty cycle, on its thread. None by default. */
  public NodeConfigBuilder cycleHook(CycleHook hook) {
    cycleHooks.add(Objects.requireNonNull(hook, "hook"));
    return this;
  }

  /**
   * Bound on connections with peers that are not configured, 1 to 65536. Default 4096, or less
   * where they would take more than an eighth of the heap, by 32 KiB for each. Configured ones have
   * places of their own. Of the others one address (of a host and port) has at most 8 connections,
   * and one host, from a bound of 64 on, at most seven eighths of all.
   */
  public NodeConfigBuilder maxConnections(int connections) {
    this.maxConnections = connections;
    return this;
  }

  /**
   * Bound on channels of one connection, by whichever side they are opened, 1 to 65536. Default
   * 1024. One more is refused: {@link Peer#channel(int)} throws, and a peer that sends on one is
   * answered by {@link Channel#CHANNEL_REFUSED}.
   */
  public NodeConfigBuilder maxChannels(int channels) {
    this.maxChannels = channels;
    return this;
  }

  /**
   * Validates.
   *
   * @throws CrosstieException naming the setting at fault, its value and what it may be
   */
  public NodeConfig build() {
    return ConfigRules.build(this);
  }
}

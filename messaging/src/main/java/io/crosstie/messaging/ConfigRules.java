// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import io.crosstie.checksum.Accelerators;
import io.crosstie.checksum.ChecksumKind;
import io.crosstie.multirail.config.EndpointConfig;
import io.crosstie.reliability.memory.BufferPool;
import io.crosstie.reliability.wire.NodeName;
import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailDriver;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/** What a configuration has to hold to. */
final class ConfigRules {
  private static final int MAX_SEEDS = 16;
  private static final int MAX_RAILS = 64;
  private static final int MAX_TABLE = 1 << 16;
  private static final int MAX_BUFFER = 1 << 30;
  private static final long LEAST_MEMORY = 2 << 20;
  private static final long MOST_MEMORY = 1L << 30;
  private static final int MOST_CONNECTIONS = 4096;
  private static final long MAX_POOL = 1L << 46;
  private static final long MAX_MESSAGE = 1L << 40;
  private static final String SHM = "shm:";
  private static final String LOOPBACK = "udp://127.0.0.1:0";

  private ConfigRules() {}

  static NodeConfig build(NodeConfigBuilder b) {
    checkName("name", b.name);
    RailDrivers drivers =
        b.findDrivers ? RailDrivers.findAnd(b.drivers) : RailDrivers.of(b.drivers);
    boolean defaultRails = b.rails.isEmpty();
    List<RailSpec> rails = defaultRails ? defaultRails(drivers) : rails(b.rails, drivers);
    Map<String, List<RailAddress>> peers = peers(b, rails, defaultRails, drivers);
    Supplier<io.crosstie.multirail.schedule.PathScheduler> schedulers =
        b.scheduler != null
            ? SchedulerChoice.own(b.scheduler)
            : SchedulerChoice.named(b.schedulerName);
    return new NodeConfig(b, core(b), rails, defaultRails, peers, schedulers, drivers);
  }

  private static EndpointConfig core(NodeConfigBuilder b) {
    EndpointConfig d = EndpointConfig.defaults(b.name, checkRank(b.rank), 0);
    int eager = d.eagerLimitBytes();
    long maxMessageBytes = b.maxMessageBytes;
    long largePoolBytes = b.largePoolBytes;
    if (maxMessageBytes == NodeConfigBuilder.BY_MEMORY) {
      long most = largePoolBytes == NodeConfigBuilder.BY_MEMORY ? poolByMemory() : largePoolBytes;
      // Half of it is left beside a channel that nobody polls.
      maxMessageBytes = Math.clamp(Long.highestOneBit(most) / 2, eager, 1L << 30);
    }
    within("maxMessageBytes", maxMessageBytes, 1, MAX_MESSAGE);
    // A message above the eager limit is granted whole or not at all, so the pool has to hold one.
    long leastPool = maxMessageBytes > eager ? BufferPool.chargeBytes(maxMessageBytes) : 0;
    if (largePoolBytes == NodeConfigBuilder.BY_MEMORY) {
      largePoolBytes = Math.max(Math.min(leastPool, MOST_MEMORY), poolByMemory());
    }
    within("largePoolBytes", largePoolBytes, leastPool, MAX_POOL);
    long memoryBytes =
        b.memoryBytes == NodeConfigBuilder.BY_MEMORY
            ? Math.clamp(JvmMemory.bytes() / 4, LEAST_MEMORY, MOST_MEMORY)
            : b.memoryBytes;
    within("memoryBytes", memoryBytes, LEAST_MEMORY, MAX_POOL);
    within("channelWindowBytes", b.channelWindowBytes, 2L * eager, MAX_BUFFER);
    within("sendLogBytes", b.sendLogBytes, 4L * eager, MAX_BUFFER);
    if (Integer.bitCount(b.sendLogBytes) != 1) {
      throw new CrosstieException(
          "sendLogBytes is "
              + b.sendLogBytes
              + "; it must be a power of two, for example "
              + Integer.highestOneBit(b.sendLogBytes));
    }
    long suspectNs = time("suspectFloor", b.suspectFloor, Duration.ofNanos(100_000), hours(1));
    long downNs = time("downAfter", b.downAfter, Duration.ofMillis(1), hours(1));
    long recoverNs = time("recoverTime", b.recoverTime, Duration.ZERO, hours(1));
    long peerNs = time("peerTimeout", b.peerTimeout, Duration.ofMillis(100), hours(24 * 365));
    if (peerNs < suspectNs + downNs) {
      throw new CrosstieException(
          "peerTimeout is "
              + text(b.peerTimeout)
              + ", less than suspectFloor "
              + text(b.suspectFloor)
              + " and downAfter "
              + text(b.downAfter)
              + " together: a peer would be lost before one of its rails is; raise peerTimeout");
    }
    long ignored = time("closeLinger", b.closeLinger, Duration.ZERO, hours(24));
    return new EndpointConfig(
        b.name,
        b.rank,
        0,
        checksum(b.checksum),
        maxMessageBytes,
        eager,
        b.channelWindowBytes,
        b.sendLogBytes,
        largePoolBytes,
        memoryBytes,
        d.maxAckDelayNs(),
        suspectNs,
        downNs,
        peerNs,
        d.keepAliveNs(),
        d.probesToRecover(),
        recoverNs,
        b.reinjection,
        (int) within("maxConnections", maxConnections(b), 1, MAX_TABLE),
        (int) within("maxChannels", b.maxChannels, 1, MAX_TABLE),
        b.accelerator ? Accelerators.find() : null,
        b.shortcuts);
  }

  /** At most half of what the JVM has, since it is taken beside the heap. */
  private static long poolByMemory() {
    return Math.clamp(Long.highestOneBit(JvmMemory.bytes() / 2), 1L << 20, 1L << 30);
  }

  /** What connections keep on the heap before a message was sent is some 22 KiB each. */
  private static long maxConnections(NodeConfigBuilder b) {
    return b.maxConnections == NodeConfigBuilder.BY_MEMORY
        ? Math.clamp(Runtime.getRuntime().maxMemory() / 8 / (32 << 10), 64, MOST_CONNECTIONS)
        : b.maxConnections;
  }

  private static List<RailSpec> defaultRails(RailDrivers drivers) {
    List<RailSpec> rails = new ArrayList<>();
    for (String text : List.of(SHM, LOOPBACK)) {
      RailSpec rail = RailSpec.parse(text);
      if (drivers.isAvailable(rail.scheme())) {
        rails.add(rail);
      }
    }
    if (rails.isEmpty()) {
      throw new CrosstieException(
          "no rail is configured, and the defaults "
              + SHM
              + " and "
              + LOOPBACK
              + " have no driver that works here; "
              + drivers.whatThereIs()
              + "; name a rail of your own with rail(uri)");
    }
    return rails;
  }

  private static List<RailSpec> rails(List<String> texts, RailDrivers drivers) {
    if (texts.size() > MAX_RAILS) {
      throw new CrosstieException(
          texts.size()
              + " rails are configured, and "
              + MAX_RAILS
              + " are the most; leave some out");
    }
    List<RailSpec> rails = new ArrayList<>();
    Set<String> fixedPlaces = new LinkedHashSet<>();
    for (String text : texts) {
      RailSpec rail = RailSpec.parse(text);
      drivers.choose(rail); // throws if there is none
      String place = rail.scheme() + ":" + rail.configured().rest();
      if (!place.endsWith(":0") && !place.equals(SHM) && !fixedPlaces.add(place)) {
        throw new CrosstieException(
            "rail \""
                + rail
                + "\": "
                + place
                + " is configured twice; each rail needs a place of its own");
      }
      rails.add(rail);
    }
    return rails;
  }

  private static Map<String, List<RailAddress>> peers(
      NodeConfigBuilder b, List<RailSpec> rails, boolean defaultRails, RailDrivers drivers) {
    Map<String, List<RailAddress>> peers = new LinkedHashMap<>();
    b.peers.forEach(
        (name, seeds) -> {
          peers.put(name, seedsOf(b.name, name, seeds, rails, defaultRails, drivers));
        });
    long most =
        b.maxConnections == NodeConfigBuilder.BY_MEMORY ? MOST_CONNECTIONS : b.maxConnections;
    if (peers.size() > most) {
      throw new CrosstieException(
          peers.size() + " peers are configured, but maxConnections is " + most + "; raise it");
    }
    return Collections.unmodifiableMap(peers);
  }

  /** The seeds of one peer, checked; also of one that a running node is told. */
  static List<RailAddress> seedsOf(
      String own,
      String name,
      List<String> seeds,
      List<RailSpec> rails,
      boolean defaultRails,
      RailDrivers drivers) {
    checkName("the peer's name", name);
    if (name.equals(own)) {
      throw new CrosstieException(
          "peer \"" + name + "\" has this node's own name; a node does not connect to itself");
    }
    if (seeds.size() > MAX_SEEDS) {
      throw new CrosstieException(
          "peer \""
              + name
              + "\" has "
              + seeds.size()
              + " seeds, and "
              + MAX_SEEDS
              + " are the most; one is enough, since the others are learned");
    }
    return seeds.stream()
        .distinct()
        .map(seed -> seed(name, seed, rails, defaultRails, drivers))
        .toList();
  }

  private static RailAddress seed(
      String peer, String text, List<RailSpec> rails, boolean defaultRails, RailDrivers drivers) {
    String where = "peer \"" + peer + "\": seed \"" + text + "\"";
    String example = "; write for example udp://198.18.1.2:7400";
    RailAddress address;
    try {
      address = new RailAddress(text);
    } catch (IllegalArgumentException e) {
      throw new CrosstieException(where + ": " + e.getMessage() + example);
    }
    String scheme = address.scheme();
    if (!drivers.schemes().contains(scheme)) {
      throw new CrosstieException(
          where + ": no driver for scheme \"" + scheme + "\"; " + drivers.whatThereIs() + example);
    }
    if (text.indexOf('?') >= 0) {
      throw new CrosstieException(
          where
              + ": a seed is an address and has no options; they belong to this node's rails"
              + example);
    }
    RailDriver driver = drivers.forAddress(address);
    try {
      if (driver != null) {
        driver.checkDestination(address);
      }
    } catch (IllegalArgumentException e) {
      throw new CrosstieException("peer \"" + peer + "\": seed: " + e.getMessage());
    }
    if (rails.stream().noneMatch(rail -> rail.scheme().equals(scheme))) {
      throw new CrosstieException(
          where
              + " cannot be reached, since this node has no rail of scheme "
              + scheme
              + " but only "
              + rails
              + "; add one with rail(\""
              + scheme
              + ":...\")");
    }
    if (defaultRails && scheme.equals("udp") && !new NodeAddress(text).isLoopback()) {
      throw new CrosstieException(
          where
              + " is on another host, but without rails of its own this node is reachable from this"
              + " host only; add for example rail(\"udp://0.0.0.0:0\") or the address of a network"
              + " interface");
    }
    return address;
  }

  private static void checkName(String what, String name) {
    String problem = NodeName.problem(name);
    if (problem != null) {
      throw new CrosstieException(
          what
              + " is \""
              + NodeName.visible(name)
              + "\": "
              + problem
              + "; "
              + NodeName.RULE
              + (name.isEmpty() ? "; set it with name(...)" : ""));
    }
  }

  private static int checkRank(int rank) {
    return (int) within("rank", rank, -1, Integer.MAX_VALUE);
  }

  private static ChecksumKind checksum(String name) {
    try {
      return ChecksumKind.parse(name);
    } catch (IllegalArgumentException e) {
      throw new CrosstieException("checksum: " + e.getMessage());
    }
  }

  private static Duration hours(long hours) {
    return Duration.ofHours(hours);
  }

  private static long within(String what, long value, long min, long max) {
    if (value < min || value > max) {
      throw new CrosstieException(
          what
              + " is "
              + value
              + "; it must be "
              + (max == Long.MAX_VALUE ? "at least " + min : "from " + min + " to " + max));
    }
    return value;
  }

  private static long time(String what, Duration value, Duration min, Duration max) {
    if (value.compareTo(min) < 0 || value.compareTo(max) > 0) {
      throw new CrosstieException(
          what + " is " + text(value) + "; it must be from " + text(min) + " to " + text(max));
    }
    return value.toNanos();
  }

  /** A duration as a person writes it. */
  static String text(Duration duration) {
    long nanos;
    try {
      nanos = duration.toNanos();
    } catch (ArithmeticException e) {
      return duration.toSeconds() + " s";
    }
    if (nanos % 1_000_000 != 0) {
      return nanos / 1e6 + " ms";
    }
    return nanos % 1_000_000_000 == 0 && nanos != 0
        ? duration.toSeconds() + " s"
        : duration.toMillis() + " ms";
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import io.crosstie.checksum.Accelerator;
import io.crosstie.multirail.config.EndpointConfig;
import io.crosstie.multirail.schedule.PathScheduler;
import io.crosstie.transport.RailAddress;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link Node} is told at its start. Immutable; made by a {@link NodeConfigBuilder}, which
 * validates it, and good for any number of nodes in turn. Sizes are in bytes.
 */
public final class NodeConfig {
  private final EndpointConfig core;
  private final List<RailSpec> rails;
  private final boolean defaultRails;
  private final Map<String, List<RailAddress>> peers;
  private final Progress progress;
  private final String schedulerName;
  private final Supplier<PathScheduler> scheduler;
  private final boolean acceptUnknownPeers;
  private final boolean accelerator;
  private final boolean shutdownHook;
  private final boolean statistics;
  private final Duration closeLinger;
  private final List<EventTap> eventTaps;
  private final List<CycleHook> cycleHooks;
  private final RailDrivers drivers;

  /** After validation. */
  NodeConfig(
      NodeConfigBuilder builder,
      EndpointConfig core,
      List<RailSpec> rails,
      boolean defaultRails,
      Map<String, List<RailAddress>> peers,
      Supplier<PathScheduler> scheduler,
      RailDrivers drivers) {
    this.core = core;
    this.rails = List.copyOf(rails);
    this.defaultRails = defaultRails;
    this.peers = peers;
    this.progress = builder.progress;
    this.schedulerName = builder.schedulerName;
    this.scheduler = scheduler;
    this.acceptUnknownPeers = builder.acceptUnknownPeers;
    this.accelerator = builder.accelerator;
    this.shutdownHook = builder.shutdownHook;
    this.statistics = builder.statistics;
    this.closeLinger = builder.closeLinger;
    this.eventTaps = List.copyOf(builder.eventTaps);
    this.cycleHooks = List.copyOf(builder.cycleHooks);
    this.drivers = drivers;
  }

  /** A builder with defaults for everything but the name. */
  public static NodeConfigBuilder builder() {
    return new NodeConfigBuilder();
  }

  /** The node's name. */
  public String name() {
    return core.name();
  }

  /** The node's rank, -1 if it has none. */
  public int rank() {
    return core.rank();
  }

  /** The rails as written, in order; the defaults if none was. */
  public List<String> rails() {
    return rails.stream().map(RailSpec::toString).toList();
  }

  /**
   * The peers by name, each with its seed addresses as written; no seeds for one that will connect
   * to us.
   */
  public Map<String, List<NodeAddress>> peers() {
    Map<String, List<NodeAddress>> addresses = new LinkedHashMap<>();
    peers.forEach(
        (peer, seeds) ->
            addresses.put(peer, seeds.stream().map(seed -> new NodeAddress(seed.text())).toList()));
    return Collections.unmodifiableMap(addresses);
  }

  /** The same for the core. */
  Map<String, List<RailAddress>> seeds() {
    return peers;
  }

  /** The seeds of a peer that a running node is told, checked as those of the configuration are. */
  List<RailAddress> seedsOf(String peer, List<String> seeds) {
    return ConfigRules.seedsOf(name(), peer, seeds, rails, defaultRails, drivers);
  }

  /** Who runs the protocol. */
  public Progress progress() {
    return progress;
  }

  /** The path scheduler's name; {@code "custom"} for one of the application's own. */
  public String scheduler() {
    return schedulerName;
  }

  /** The name of the checksum of payloads that this node sends. */
  public String checksum() {
    return core.checksum().name().toLowerCase(Locale.ROOT);
  }

  /** The largest message, sent or received. */
  public long maxMessageBytes() {
    return core.maxMessageBytes();
  }

  /** The silence on all rails after which a peer is lost. */
  public Duration peerTimeout() {
    return Duration.ofNanos(core.peerTimeoutNs());
  }

  /** Whether fragments of a suspected rail are sent again on others. */
  public boolean reinjection() {
    return core.reinjection();
  }

  /** See {@link NodeConfigBuilder#maxChannels}. */
  public int maxChannels() {
    return core.maxChannels();
  }

  /** Whether peers that were not configured may connect. */
  public boolean acceptUnknownPeers() {
    return acceptUnknownPeers;
  }

  /** See {@link NodeConfigBuilder#accelerator}. */
  public boolean accelerator() {
    return accelerator;
  }

  /** See {@link NodeConfigBuilder#shortcuts}. */
  public boolean shortcuts() {
    return core.shortcuts();
  }

  /** See {@link NodeConfigBuilder#statistics}. */
  public boolean statistics() {
    return statistics;
  }

  /** Whether the node closes itself when the JVM ends. */
  public boolean shutdownHook() {
    return shutdownHook;
  }

  /** How long {@link Node#close()} drains. */
  public Duration closeLinger() {
    return closeLinger;
  }

  /** The one that the node uses, null if that is none. */
  @Nullable Accelerator foundAccelerator() {
    return core.accelerator();
  }

  List<EventTap> eventTaps() {
    return eventTaps;
  }

  List<CycleHook> cycleHooks() {
    return cycleHooks;
  }

  List<RailSpec> railSpecs() {
    return rails;
  }

  /** Whether no rail was configured, so that each of the defaults may fail. */
  boolean hasDefaultRails() {
    return defaultRails;
  }

  RailDrivers drivers() {
    return drivers;
  }

  /** What makes the schedulers of connections. */
  Supplier<PathScheduler> schedulers() {
    return scheduler;
  }

  /** What the core is told, for one life of a node. */
  EndpointConfig core(long incarnation) {
    return core.change().node(core.name(), core.rank(), incarnation).build();
  }

  @Override
  public String toString() {
    return "node " + name() + " rails " + rails + " peers " + peers + " progress " + progress;
  }
}

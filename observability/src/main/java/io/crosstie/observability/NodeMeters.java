// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.observability;

import io.crosstie.messaging.ConnectionCounter;
import io.crosstie.messaging.EndpointCounter;
import io.crosstie.messaging.Node;
import io.crosstie.messaging.NodeCounter;
import io.crosstie.messaging.Peer;
import io.crosstie.messaging.PortCounter;
import io.crosstie.messaging.PortInfo;
import io.crosstie.messaging.RailCounter;
import io.crosstie.messaging.RailInfo;
import io.crosstie.messaging.RailState;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** All meters of one node in one registry. Used by one thread at a time. */
final class NodeMeters {
  /** A rail of one peer; a number alone may come to mean another rail after a reconnection. */
  private record RailKey(int id, String name) {}

  private static final class PeerMeters {
    final Peer peer;
    final MeterGroup<ConnectionCounter> group;
    final Map<RailKey, MeterGroup<RailCounter>> rails = new HashMap<>();

    PeerMeters(Peer peer, MeterGroup<ConnectionCounter> group) {
      this.peer = peer;
      this.group = group;
    }

    void remove() {
      group.remove();
      rails.values().forEach(MeterGroup::remove);
      rails.clear();
    }
  }

  private static final String CLOSED = "closed";

  private final Node node;
  private final MeterRegistry registry;
  private final Tags tags;
  private final MeterGroup<EndpointCounter> core;
  private final MeterGroup<NodeCounter> engine;
  private final Map<Integer, MeterGroup<PortCounter>> ports = new HashMap<>();
  private final Map<String, PeerMeters> peers = new HashMap<>();

  NodeMeters(Node node, MeterRegistry registry, Tags more) {
    this.node = node;
    this.registry = registry;
    this.tags = more.and("node", node.name());
    this.core =
        new MeterGroup<>(registry, tags, EndpointCounter.class, node.counters(), Catalog::of);
    this.engine =
        new MeterGroup<>(registry, tags, NodeCounter.class, node.engineCounters(), Catalog::of);
  }

  /** Looks which ports, peers and rails there are now. */
  void refresh() {
    refreshPorts();
    refreshPeers();
  }

  void remove() {
    core.remove();
    engine.remove();
    ports.values().forEach(MeterGroup::remove);
    ports.clear();
    peers.values().forEach(PeerMeters::remove);
    peers.clear();
  }

  private void refreshPorts() {
    Set<Integer> present = new HashSet<>();
    for (PortInfo port : node.ports()) {
      boolean unused = present.add(port.index());
      MeterGroup<PortCounter> group = ports.get(port.index());
      if (group != null) {
        group.follow(port.counters());
      } else if (port.open()) { // before it was, its kind is not known
        ports.put(port.index(), newPort(port));
      }
    }
    removeOthers(ports, present);
  }

  private MeterGroup<PortCounter> newPort(PortInfo port) {
    int index = port.index();
    Tags ofPort =
        tags.and(
            "port", Integer.toString(index), "port.name", port.name(), "kind", kind(port.kind()));
    MeterGroup<PortCounter> group =
        new MeterGroup<>(registry, ofPort, PortCounter.class, port.counters(), Catalog::of);
    group.add(Catalog.PORT_OPEN, node, of -> isPortOpen(of, index) ? 1 : 0);
    return group;
  }

  private static boolean isPortOpen(Node node, int index) {
    return node.ports().stream().anyMatch(port -> port.index() == index && port.open());
  }

  private void refreshPeers() {
    Set<String> present = new HashSet<>();
    for (Peer peer : node.peers()) {
      if (isGone(peer)) {
        continue;
      }
      boolean unused = present.add(peer.name());
      PeerMeters meters = peers.computeIfAbsent(peer.name(), name -> newPeer(peer));
      if (meters.peer != peer) { // forgotten, and come again
        meters.remove();
        meters = newPeer(peer);
        peers.put(peer.name(), meters);
      }
      meters.group.follow(peer.counters());
      refreshRails(meters);
    }
    Iterator<Map.Entry<String, PeerMeters>> all = peers.entrySet().iterator();
    while (all.hasNext()) {
      Map.Entry<String, PeerMeters> entry = all.next();
      if (!present.contains(entry.getKey())) {
        entry.getValue().remove();
        all.remove();
      }
    }
  }

  /** The node may keep a peer that came by itself for a while after it left; its meters go. */
  private boolean isGone(Peer peer) {
    return peer.state().isOver() && !node.config().peers().containsKey(peer.name());
  }

  private PeerMeters newPeer(Peer peer) {
    MeterGroup<ConnectionCounter> group =
        new MeterGroup<>(
            registry,
            tags.and("peer", peer.name()),
            ConnectionCounter.class,
            peer.counters(),
            Catalog::of);
    group.add(Catalog.PEER_UP, peer, of -> of.isUp() ? 1 : 0);
    for (RailState state : RailState.values()) {
      if (state != RailState.REMOVED) {
        String name = state.name().toLowerCase(Locale.ROOT);
        group.add(Catalog.PEER_RAILS.with("state", name), peer, of -> rails(of, state));
      }
    }
    return new PeerMeters(peer, group);
  }

  private static long rails(Peer peer, RailState state) {
    return peer.state().isOver()
        ? 0
        : peer.rails().stream().filter(rail -> rail.state() == state).count();
  }

  private void refreshRails(PeerMeters meters) {
    Set<RailKey> present = new HashSet<>();
    if (!meters.peer.state().isOver()) {
      for (RailInfo rail : meters.peer.rails()) {
        if (rail.state() != RailState.REMOVED) {
          RailKey key = new RailKey(rail.id(), rail.name());
          boolean unused = present.add(key);
          refreshRail(meters, key, rail);
        }
      }
    }
    removeOthers(meters.rails, present);
  }

  private void refreshRail(PeerMeters meters, RailKey key, RailInfo rail) {
    MeterGroup<RailCounter> group = meters.rails.get(key);
    if (group != null) {
      group.follow(rail.counters());
    } else if (!rail.kind().equals(CLOSED)) {
      Tags ofRail =
          tags.and(
              "peer",
              meters.peer.name(),
              "rail",
              Integer.toString(rail.id()),
              "rail.name",
              rail.name(),
              "kind",
              kind(rail.kind()));
      meters.rails.put(
          key, new MeterGroup<>(registry, ofRail, RailCounter.class, rail.counters(), Catalog::of));
    }
  }

  /** Without the offloads in use, which come and go while a tag must not. */
  private static String kind(String full) {
    int plus = full.indexOf('+');
    return plus < 0 ? full : full.substring(0, plus);
  }

  private static <K, E extends Enum<E>> void removeOthers(
      Map<K, MeterGroup<E>> groups, Set<K> present) {
    groups
        .entrySet()
        .removeIf(
            entry -> {
              boolean gone = !present.contains(entry.getKey());
              if (gone) {
                entry.getValue().remove();
              }
              return gone;
            });
  }
}

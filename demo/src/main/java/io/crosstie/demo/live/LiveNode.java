// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo.live;

import io.crosstie.messaging.CrosstieException;
import io.crosstie.messaging.Node;
import io.crosstie.messaging.NodeConfig;
import io.crosstie.messaging.NodeConfigBuilder;
import io.crosstie.messaging.NodeEvent;
import io.crosstie.messaging.Peer;
import io.crosstie.messaging.RailInfo;
import io.crosstie.messaging.RailState;
import io.crosstie.testkit.process.ToolException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * A node of Crosstie over some networks, told its addresses and nothing of what happens to them.
 * One thread looks after it.
 */
final class LiveNode implements AutoCloseable {
  /** Channel numbers; both sides use the same. */
  static final int BULK = 1;

  static final int HEARTBEATS = 2;
  static final int REPORTS = 3;

  /** A pause of this process from which on it is told. */
  private static final long NEWS_NS = 500_000_000L;

  private final News news;
  private final List<LiveRail> rails;
  private final Node node;
  private final Peer peer;
  private final AtomicLong restarts = new AtomicLong();
  private final AtomicLong losses = new AtomicLong();
  private final AtomicLong unknown = new AtomicLong();

  LiveNode(LiveOptions options, News news, Consumer<Nic> arrivals) {
    this.news = news;
    rails =
        IntStream.range(0, options.rails().size())
            .mapToObj(number -> new LiveRail(number, options, news::say, arrivals))
            .toList();
    NodeConfigBuilder builder =
        NodeConfig.builder()
            .name(options.node())
            .maxMessageBytes(LiveSender.BULK_BYTES)
            .largePoolBytes(64L << 20)
            .shutdownHook(false); // there is an order of its own
    boolean any = false;
    for (LiveRail rail : rails) {
      rail.begin();
      String uri = rail.look();
      if (uri == null) {
        news.say(rail.network().name() + " has no interface yet");
      } else {
        builder.rail(uri);
        any = true;
      }
    }
    if (!any) {
      throw new ToolException(
          ToolException.ENVIRONMENT,
          "this host has no address in any of the rails' networks "
              + options.rails().stream().map(Network::text).toList()
              + "; compare with what \"ip addr\" tells");
    }
    List<String> seeds = new ArrayList<>();
    options.seeds().forEach(seed -> seeds.add("udp://" + seed + ":" + options.port()));
    builder.peer(options.peer(), seeds.toArray(String[]::new));
    try {
      node = Node.start(builder.build());
    } catch (CrosstieException e) {
      throw new ToolException(ToolException.ENVIRONMENT, String.valueOf(e.getMessage()), e);
    }
    peer = node.peer(options.peer());
  }

  Node node() {
    return node;
  }

  Peer peer() {
    return peer;
  }

  List<LiveRail> rails() {
    return rails;
  }

  /** Looks after the interfaces, and hears the news. */
  void follow() {
    rails.forEach(rail -> rail.follow(node));
    int unused = node.pollEvents(this::onEvent);
  }

  private void onEvent(NodeEvent event) {
    switch (event) {
      case NodeEvent.RailChanged change
          when change.to() == RailState.SUSPECT
              || (change.from() == RailState.SUSPECT && change.to() == RailState.ACTIVE) -> {
        // a suspicion that goes by is no news
      }
      case NodeEvent.SelfPaused pause when pause.pauseNs() < NEWS_NS -> {
        // nor is a short pause, on a busy machine
      }
      case NodeEvent.RailChanged change ->
          news.say(
              "%s: %s, was %s: %s, after %.1f ms"
                  .formatted(
                      nameOf(change),
                      change.to(),
                      change.from(),
                      change.cause(),
                      change.gapNs() / 1e6));
      case NodeEvent.PeerUp up -> news.say("the " + up.peer() + " is there");
      case NodeEvent.PeerLost lost -> {
        losses.getAndIncrement();
        unknown.getAndAdd(count(lost.unknown()));
        news.say("the " + lost.peer() + " is lost: " + lost.why());
      }
      case NodeEvent.PeerRestarted restarted -> {
        restarts.getAndIncrement();
        unknown.getAndAdd(count(restarted.unknown()));
        news.say("the " + restarted.peer() + " is a new process");
      }
      case NodeEvent.PortChanged port ->
          news.say(
              "port %s %s: %s"
                  .formatted(port.port(), port.open() ? "open" : "closed", port.cause()));
      case NodeEvent.SelfPaused pause ->
          news.say("this process did not run for %.0f ms".formatted(pause.pauseNs() / 1e6));
      case NodeEvent.ChannelOpenedByPeer opened -> {
        // both sides know the channels
      }
      default -> news.say(event.toString());
    }
  }

  private static long count(List<NodeEvent.Unknown> ranges) {
    return ranges.stream().mapToLong(range -> range.last() - range.first() + 1).sum();
  }

  private String nameOf(NodeEvent.RailChanged change) {
    for (LiveRail rail : rails) {
      for (RailInfo info : peer.rails()) {
        if (info.id() == change.rail() && rail.network().containsRail(info.local())) {
          return rail.network().name();
        }
      }
    }
    return change.name();
  }

  /** How all rails are; any thread. */
  synchronized List<RailView> views() {
    Map<String, KernelCounters> kernel = KernelCounters.read();
    List<RailInfo> infos = peer.rails();
    return rails.stream().map(rail -> rail.view(infos, kernel)).toList();
  }

  /** How often the peer's process was found to be a new one. */
  long restarts() {
    return restarts.get();
  }

  /** How often the peer was lost. */
  long losses() {
    return losses.get();
  }

  /** Messages whose fate the node could not know when the peer was restarted or lost. */
  long unknown() {
    return unknown.get();
  }

  @Override
  public void close() {
    node.close();
    rails.forEach(LiveRail::end);
  }
}

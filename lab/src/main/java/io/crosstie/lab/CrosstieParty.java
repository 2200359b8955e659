// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.lab;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.crosstie.messaging.Channel;
import io.crosstie.messaging.Counters;
import io.crosstie.messaging.MessageHandler;
import io.crosstie.messaging.Node;
import io.crosstie.messaging.NodeConfig;
import io.crosstie.messaging.NodeConfigBuilder;
import io.crosstie.messaging.NodeEvent;
import io.crosstie.messaging.Peer;
import io.crosstie.messaging.Priority;
import io.crosstie.messaging.RailInfo;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * Crosstie, by its public interface, configured with names and rails, and threads for them if
 * asked.
 */
final class CrosstieParty implements Party {
  private static final Duration UP_TIMEOUT = Duration.ofSeconds(60);
  private static final int POLL_LIMIT = 64;
  private static final int TRIP_BYTES = 64;

  private final Node node;
  private final Peer peer;
  private final Consumer<NodeEvent> events;
  private final boolean echoes;
  private volatile boolean stopping;

  /**
   * Starts the node.
   *
   * @param events gets the node's events whenever counters are asked for
   */
  CrosstieParty(Setup setup, Consumer<NodeEvent> events) {
    String name = setup.sender() ? "sender" : "receiver";
    String other = setup.sender() ? "receiver" : "sender";
    NodeConfigBuilder builder = NodeConfig.builder().name(name);
    String options = setup.ownThreads() ? "?thread=own" : "";
    for (Setup.Addresses rail : setup.rails()) {
      builder.rail(
          "udp://" + (setup.sender() ? rail.here() : rail.there()) + ":" + setup.port() + options);
    }
    if (setup.sender()) {
      builder.peer(other, "udp://" + setup.rails().getFirst().there() + ":" + setup.port());
    } else {
      builder.peer(other);
    }
    if (setup.more().logBytes() > 0) {
      builder.sendLogBytes(setup.more().logBytes());
    }
    this.echoes = setup.more().echoes();
    this.node = Node.start(builder.build());
    this.peer = node.peer(other);
    this.events = events;
  }

  @Override
  public void awaitUp() {
    peer.awaitUp(UP_TIMEOUT);
  }

  @Override
  public boolean offer(int stream, MemorySegment message) {
    Channel channel = peer.channel(stream + 1);
    if (channel.offer(message) >= 0) {
      return true;
    }
    check(channel);
    return false;
  }

  private static void check(Channel channel) {
    if (channel.status() != 0) {
      throw new IllegalStateException(channel + " answers " + channel.status());
    }
  }

  @Override
  public void receive(List<? extends Delivery> takers) {
    List<Channel> channels = new ArrayList<>();
    List<MessageHandler> handlers = new ArrayList<>();
    for (Delivery taker : takers) {
      channels.add(peer.channel(channels.size() + 1));
      handlers.add(
          (memory, offset, length, sequence) -> {
            taker.take(memory, offset, length);
            return Channel.CONTINUE;
          });
    }
    if (echoes) {
      channels.add(peer.channel(Setup.TRIPS, Priority.HIGH));
      channels.add(peer.channel(Setup.HIGH_TRIPS, Priority.HIGH));
      for (Channel back : channels.subList(handlers.size(), channels.size())) {
        handlers.add(
            (memory, offset, length, sequence) ->
                back.offer(memory, offset, length) > 0 ? Channel.CONTINUE : Channel.RETRY_LATER);
      }
    }
    while (!stopping) {
      int polled = 0;
      for (int i = 0; i < channels.size(); i++) {
        polled += channels.get(i).poll(handlers.get(i), POLL_LIMIT);
      }
      if (polled == 0) {
        channels.forEach(CrosstieParty::check);
      }
      node.idle(polled);
    }
  }

  @Override
  public List<Double> tripsMs(boolean high, int count, long gapNs) {
    Channel channel =
        peer.channel(high ? Setup.HIGH_TRIPS : Setup.TRIPS, high ? Priority.HIGH : Priority.NORMAL);
    MemorySegment message = MemorySegment.ofArray(new byte[TRIP_BYTES]);
    int[] back = new int[1];
    MessageHandler handler =
        (memory, offset, length, sequence) -> {
          back[0]++;
          return Channel.CONTINUE;
        };
    List<Double> trips = new ArrayList<>();
    for (int i = 1; i <= count; i++) {
      long begin = System.nanoTime();
      while (channel.offer(message) < 0) {
        check(channel);
        node.idle();
      }
      while (back[0] < i) {
        check(channel);
        node.idle(channel.poll(handler, 1));
      }
      trips.add((System.nanoTime() - begin) / 1e6);
      LockSupport.parkNanos(gapNs);
    }
    return trips;
  }

  @Override
  public JsonObject counters() {
    node.pollEvents(events::accept);
    JsonObject all = new JsonObject();
    JsonArray rails = new JsonArray();
    for (RailInfo rail : peer.rails()) {
      JsonObject one = json(rail.counters());
      one.addProperty("name", rail.name());
      one.addProperty("kind", rail.kind());
      one.addProperty("state", rail.state().name());
      rails.add(one);
    }
    all.add("rails", rails);
    all.add("connection", json(peer.counters()));
    all.add("endpoint", json(node.counters()));
    all.addProperty("peer", peer.state().name());
    return all;
  }

  private static <E extends Enum<E>> JsonObject json(Counters<E> counters) {
    JsonObject object = new JsonObject();
    for (E counter : counters.type().getEnumConstants()) {
      object.addProperty(counter.name(), counters.get(counter));
    }
    return object;
  }

  @Override
  public void close() {
    stopping = true;
    node.close();
  }
}

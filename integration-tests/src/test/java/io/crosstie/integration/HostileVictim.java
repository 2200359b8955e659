// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import com.google.gson.JsonObject;
import io.crosstie.messaging.Channel;
import io.crosstie.messaging.EndpointCounter;
import io.crosstie.messaging.Node;
import io.crosstie.messaging.NodeConfig;
import io.crosstie.messaging.NodeConfigBuilder;
import io.crosstie.messaging.NodeEvent;
import io.crosstie.messaging.Peer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * An ordinary application in a process of its own: sends back what comes on channels below 4 of any
 * peer, and reads the others below 100. It keeps nothing that grows, and tells how it is for each
 * line of its input.
 *
 * <p>Arguments: settings of the node, {@code rail=...}.
 */
final class HostileVictim {
  private static final int ECHOED = 4;
  private static final int READ = 100;

  private final Node node;
  private final Map<String, Integer> events = new TreeMap<>();
  private final Map<String, Set<Integer>> open = new HashMap<>();

  private HostileVictim(Node node) {
    this.node = node;
  }

  /** Runs until its input ends. */
  public static void main(String[] args) {
    NodeConfigBuilder config = NodeConfig.builder().name("victim");
    for (String arg : args) {
      config.rail(arg.substring(arg.indexOf('=') + 1));
    }
    ConcurrentLinkedQueue<String> asked = new ConcurrentLinkedQueue<>();
    Thread.ofPlatform().daemon().start(() -> read(asked));
    try (Node node = Node.start(config.build())) {
      new HostileVictim(node).run(asked);
    }
  }

  private static void read(ConcurrentLinkedQueue<String> asked) {
    try (var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        asked.add(line);
      }
    } catch (IOException e) {
      // ends as well
    }
    asked.add("end");
  }

  private void run(ConcurrentLinkedQueue<String> asked) {
    while (true) {
      String line = asked.poll();
      if (line != null) {
        if (line.equals("end")) {
          return;
        }
        System.out.println(state());
        System.out.flush();
      }
      int work = node.pollEvents(this::note);
      for (Peer peer : node.peers()) {
        work += peer.isUp() ? serve(peer) : 0;
      }
      node.idle(work);
    }
  }

  private void note(NodeEvent event) {
    events.merge(event.getClass().getSimpleName(), 1, Integer::sum);
    switch (event) {
      case NodeEvent.ChannelOpenedByPeer opened -> {
        if (opened.channel() < READ) {
          open.computeIfAbsent(opened.peer(), p -> new HashSet<>()).add(opened.channel());
        }
      }
      case NodeEvent.PeerLost lost -> open.remove(lost.peer());
      case NodeEvent.PeerRestarted restarted -> open.remove(restarted.peer());
      case NodeEvent.PeerClosed closed -> open.remove(closed.peer());
      default -> {}
    }
  }

  private int serve(Peer peer) {
    int work = 0;
    for (int number : open.getOrDefault(peer.name(), Set.of())) {
      Channel channel = peer.channel(number);
      work +=
          channel.poll(
              (m, offset, length, sequence) ->
                  number >= ECHOED || channel.offer(m, offset, length) > 0 || channel.status() != 0
                      ? Channel.CONTINUE
                      : Channel.RETRY_LATER,
              64);
    }
    return work;
  }

  private JsonObject state() {
    JsonObject json = new JsonObject();
    System.gc();
    long heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    json.addProperty("liveHeap", heap);
    node.localAddresses()
        .forEach(
            address -> json.addProperty(address.text().replaceFirst(":.*", ""), address.text()));
    json.addProperty("peers", node.peers().size());
    json.addProperty("events", events.toString());
    for (EndpointCounter counter : EndpointCounter.values()) {
      json.addProperty(counter.name(), node.counters().get(counter));
    }
    return json;
  }
}

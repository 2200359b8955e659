// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.link;

import io.crosstie.messaging.Channel;
import io.crosstie.messaging.Idle;
import io.crosstie.messaging.MessageHandler;
import io.crosstie.messaging.Node;
import io.crosstie.messaging.NodeConfig;
import io.crosstie.messaging.NodeConfigBuilder;
import io.crosstie.messaging.Peer;
import io.crosstie.messaging.Progress;
import io.crosstie.messaging.RailCounter;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One node with many connections: the near process has one node, the far one as many nodes as there
 * are connections. Round trips go over the first; the far process drives the others just often
 * enough to keep them alive, since it has only one thread for them all.
 */
final class ManyPeersLink implements Link {
  /** Polls of the busy node between two turns of idle ones. */
  private static final int POLLS_PER_IDLE_NODE = 64;

  private static final int POLL_LIMIT = 64;
  private static final int PAGE_BYTES = 4096;
  private static final String NEAR = "near";
  private static final String FAR = "far-";

  private final LinkSpec spec;
  private final int connections;
  private final String rail;
  private final List<Node> nodes = new ArrayList<>();
  private final MessageHandler toSink = this::toSink;
  private final MessageHandler back = this::back;
  private @Nullable Channel channel;
  private @Nullable Sink sink;
  private int polls;
  private int nextIdle = 1;
  private long heapBefore;
  private long residentBefore;
  private String note = "";

  ManyPeersLink(LinkSpec spec, int connections, String rail) {
    this.spec = spec;
    this.connections = connections;
    this.rail = rail;
    for (int i = 0; !spec.near() && i < connections; i++) {
      nodes.add(Node.start(config(FAR + i).build()));
    }
  }

  private NodeConfigBuilder config(String name) {
    return NodeConfig.builder()
        .name(name)
        .rail(rail)
        .progress(Progress.caller(Idle.spin()))
        .shutdownHook(false);
  }

  @Override
  public String address() {
    return nodes.stream()
        .map(node -> node.localAddresses().getFirst().text())
        .collect(Collectors.joining(" "));
  }

  @Override
  public void connect(String peer) {
    if (!spec.near()) {
      return;
    }
    heapBefore = heapBytes();
    residentBefore = residentBytes();
    NodeConfigBuilder config = config(NEAR);
    String[] seeds = peer.split(" ", -1);
    for (int i = 0; i < seeds.length; i++) {
      config.peer(FAR + i, seeds[i]);
    }
    nodes.add(Node.start(config.build()));
  }

  @Override
  public boolean isReady() {
    for (Node node : nodes) {
      int unused = node.doWork();
    }
    if (channel == null && isUp()) {
      channel = nodes.getFirst().peer(spec.near() ? FAR + 0 : NEAR).channel(1);
      if (spec.near()) {
        note = note();
      }
    }
    return channel != null;
  }

  private boolean isUp() {
    return spec.near()
        ? nodes.getFirst().peers().stream().allMatch(Peer::isUp)
        : nodes.stream().allMatch(node -> node.peers().stream().anyMatch(Peer::isUp));
  }

  /** What a connection takes, measured around their making. */
  @Override
  public String note() {
    if (note.isEmpty() && spec.near()) {
      return String.format(
          Locale.ROOT,
          "%s%d connections: %.1f KiB of heap and %.1f KiB of resident memory each",
          isUnpaced() ? LinkNode.UNPACED + "; " : "",
          connections,
          (heapBytes() - heapBefore) / 1024.0 / connections,
          (residentBytes() - residentBefore) / 1024.0 / connections);
    }
    return note;
  }

  private boolean isUnpaced() {
    return nodes.getFirst().peers().stream()
        .flatMap(peer -> peer.rails().stream())
        .anyMatch(rail -> rail.counters().get(RailCounter.UNPACED) != 0);
  }

  private static long heapBytes() {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }

  private static long residentBytes() {
    try {
      return Long.parseLong(Files.readString(Path.of("/proc/self/statm")).split(" ", -1)[1])
          * PAGE_BYTES;
    } catch (IOException e) {
      return 0; // another system
    }
  }

  private Channel channel() {
    Channel open = channel;
    if (open == null) {
      throw new IllegalStateException("not connected");
    }
    return open;
  }

  @Override
  public boolean send(long offset, int length) {
    return channel().offer(spec.messages(), offset, length) > 0;
  }

  @Override
  public void progress() {
    int unused = nodes.getFirst().doWork();
  }

  @Override
  public int poll(Sink sink) {
    this.sink = sink;
    driveIdle();
    return channel().poll(toSink, POLL_LIMIT);
  }

  @Override
  public int echo() {
    driveIdle();
    return channel().poll(back, POLL_LIMIT);
  }

  private void driveIdle() {
    if (nodes.size() > 1 && ++polls % POLLS_PER_IDLE_NODE == 0) {
      int unused = nodes.get(nextIdle).doWork();
      nextIdle = nextIdle + 1 == nodes.size() ? 1 : nextIdle + 1;
    }
  }

  private MessageHandler.Action toSink(
      MemorySegment segment, long offset, long length, long sequence) {
    Sink taker = sink;
    if (taker != null) {
      taker.onData(segment, offset, length);
    }
    return MessageHandler.Action.CONTINUE;
  }

  private MessageHandler.Action back(
      MemorySegment segment, long offset, long length, long sequence) {
    return channel().offer(segment, offset, length) > 0
        ? MessageHandler.Action.CONTINUE
        : MessageHandler.Action.RETRY_LATER;
  }

  @Override
  public void close() {
    nodes.forEach(node -> node.close(Duration.ZERO));
  }
}

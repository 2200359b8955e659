// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.samples;

import io.crosstie.messaging.Channel;
import io.crosstie.messaging.MessageHandler;
import io.crosstie.messaging.Node;
import io.crosstie.messaging.NodeConfig;
import io.crosstie.messaging.NodeConfigBuilder;
import io.crosstie.messaging.Peer;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Ranks that know each other, a full mesh: {@code Mesh RANK [RANKS [PORT]]}, once for each rank
 * from 0 on. Each has seeds of all others, so that it does not matter who starts first: of two that
 * connect to each other at once, one connection is left. Each sends its number to all, and prints
 * the sum of what came.
 */
public final class Mesh {
  private static final int CHANNEL = 1;

  private Mesh() {}

  /** The rank, how many there are (4), and the port of rank 0 (7420). */
  public static void main(String[] args) {
    if (args.length == 0) {
      System.out.println("usage: Mesh RANK [RANKS [PORT]]");
      return;
    }
    int rank = Integer.parseInt(args[0]);
    int ranks = args.length > 1 ? Integer.parseInt(args[1]) : 4;
    int port = args.length > 2 ? Integer.parseInt(args[2]) : 7420;
    NodeConfigBuilder config =
        NodeConfig.builder()
            .name("rank-" + rank)
            .rank(rank)
            .rail("udp://127.0.0.1:" + (port + rank))
            .rail("shm:");
    for (int other = 0; other < ranks; other++) {
      if (other != rank) {
        config.peer("rank-" + other, "udp://127.0.0.1:" + (port + other));
      }
    }
    try (Node node = Node.start(config.build())) {
      run(node, rank);
    }
  }

  private static void run(Node node, int rank) {
    for (Peer peer : node.peers()) {
      peer.awaitUp(Duration.ofSeconds(30)); // all connect meanwhile, so the order does not matter
    }
    List<Channel> channels = new ArrayList<>();
    for (Peer peer : node.peers()) {
      Channel channel = peer.channel(CHANNEL);
      channels.add(channel);
      byte[] message = {(byte) rank};
      while (channel.offer(message) < 0 && channel.status() == 0) {
        node.idle();
      }
      channel.close(); // nothing more from here
    }
    int[] sum = {rank};
    MessageHandler add =
        (message, offset, length, sequence) -> {
          sum[0] += message.get(ValueLayout.JAVA_BYTE, offset);
          return Channel.CONTINUE;
        };
    for (Channel channel : channels) {
      while (!channel.isPeerFinished() && !channel.isOver()) {
        node.idle(channel.poll(add, 1));
      }
    }
    System.out.println("rank " + rank + ": the sum is " + sum[0]);
  }
}

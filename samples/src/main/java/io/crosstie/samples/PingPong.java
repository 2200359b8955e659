// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.samples;

import io.crosstie.messaging.Channel;
import io.crosstie.messaging.MessageHandler;
import io.crosstie.messaging.Node;
import io.crosstie.messaging.NodeConfig;
import java.time.Duration;
import java.util.Arrays;

/**
 * Round trips between two processes. In one shell {@code PingPong pong}, in another {@code PingPong
 * ping}; an address behind the word takes another port, or another host.
 */
public final class PingPong {
  private static final String ADDRESS = "udp://127.0.0.1:7411";
  private static final int TRIPS = 1000;
  private static final int CHANNEL = 1;

  private PingPong() {}

  /** Which side this is, and where pong listens. */
  public static void main(String[] args) {
    String side = args.length > 0 ? args[0] : "";
    String address = args.length > 1 ? args[1] : ADDRESS;
    switch (side) {
      case "pong" -> pong(address);
      case "ping" -> ping(address);
      default -> System.out.println("usage: PingPong ping|pong [" + ADDRESS + "]");
    }
  }

  private static void pong(String address) {
    NodeConfig config =
        NodeConfig.builder().name("pong").rail(address).rail("shm:").peer("ping").build();
    try (Node node = Node.start(config)) {
      Channel channel = node.peer("ping").channel(CHANNEL);
      MessageHandler echo =
          (message, offset, length, sequence) ->
              channel.offer(message, offset, length) > 0
                  ? Channel.CONTINUE
                  : Channel.RETRY_LATER; // it is handed over again when there is room
      while (channel.status() == 0 && !channel.isPeerFinished()) {
        node.idle(channel.poll(echo, 64));
      }
    }
  }

  private static void ping(String address) {
    NodeConfig config =
        NodeConfig.builder()
            .name("ping")
            .rail(address.substring(0, address.lastIndexOf(':')) + ":0")
            .rail("shm:")
            .peer("pong", address)
            .build();
    try (Node node = Node.start(config)) {
      node.peer("pong").awaitUp(Duration.ofSeconds(30));
      Channel channel = node.peer("pong").channel(CHANNEL);
      long[] micros = new long[TRIPS];
      MessageHandler ignore = (message, offset, length, sequence) -> Channel.CONTINUE;
      for (int i = 0; i < TRIPS; i++) {
        long beginNs = System.nanoTime();
        while (channel.offer(new byte[64]) < 0 && channel.status() == 0) {
          node.idle();
        }
        while (channel.poll(ignore, 1) == 0 && channel.status() == 0) {
          node.idle();
        }
        micros[i] = (System.nanoTime() - beginNs) / 1000;
      }
      if (channel.status() != 0) {
        throw new IllegalStateException("the connection ended with status " + channel.status());
      }
      channel.close();
      Arrays.sort(micros);
      System.out.println(TRIPS + " round trips, the median took " + micros[TRIPS / 2] + " us");
    }
  }
}

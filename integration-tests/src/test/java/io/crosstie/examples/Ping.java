// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.examples;

import io.crosstie.messaging.Channel;
import io.crosstie.messaging.MessageHandler;
import io.crosstie.messaging.Node;
import io.crosstie.messaging.NodeConfig;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** Sends three messages and prints the answers. */
public final class Ping {
  public static void main(String[] args) {
    NodeConfig config =
        NodeConfig.builder()
            .name("ping")
            .rail("udp://127.0.0.1:0")
            .rail("shm:")
            .peer("pong", "udp://127.0.0.1:7411")
            .build();
    try (Node node = Node.start(config)) {
      node.peer("pong").awaitUp(Duration.ofSeconds(30));
      Channel channel = node.peer("pong").channel(1);
      for (int i = 1; i <= 3; i++) {
        byte[] text = ("message " + i).getBytes(StandardCharsets.UTF_8);
        while (channel.offer(text) < 0 && channel.status() == 0) {
          node.idle(); // no room yet
        }
      }
      channel.close(); // nothing more from this side
      MessageHandler print =
          (message, offset, length, sequence) -> {
            byte[] text = message.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE);
            System.out.println("back: " + new String(text, StandardCharsets.UTF_8));
            return Channel.CONTINUE;
          };
      for (int answers = 0; answers < 3 && !channel.isOver(); ) {
        int polled = channel.poll(print, 64);
        answers += polled;
        node.idle(polled);
      }
    }
  }
}

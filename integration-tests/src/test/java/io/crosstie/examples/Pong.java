// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.examples;

import io.crosstie.messaging.Channel;
import io.crosstie.messaging.MessageHandler;
import io.crosstie.messaging.Node;
import io.crosstie.messaging.NodeConfig;

/** Sends everything back until the other side has finished. */
public final class Pong {
  public static void main(String[] args) {
    NodeConfig config =
        NodeConfig.builder()
            .name("pong")
            .rail("udp://127.0.0.1:7411")
            .rail("shm:")
            .peer("ping") // it will connect to us
            .build();
    try (Node node = Node.start(config)) {
      Channel channel = node.peer("ping").channel(1);
      MessageHandler echo =
          (message, offset, length, sequence) ->
              channel.offer(message, offset, length) > 0 ? Channel.CONTINUE : Channel.RETRY_LATER;
      while (channel.status() == 0 && !channel.isPeerFinished()) {
        node.idle(channel.poll(echo, 64));
      }
    }
  }
}

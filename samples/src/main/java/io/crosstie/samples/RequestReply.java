// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.samples;

import io.crosstie.messaging.Channel;
import io.crosstie.messaging.MessageHandler;
import io.crosstie.messaging.Node;
import io.crosstie.messaging.NodeConfig;
import io.crosstie.messaging.NodeEvent;
import io.crosstie.messaging.Progress;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Requests and replies: {@code RequestReply server}, and {@code RequestReply client NAME WORD...}
 * as often as wished, each under a name of its own. The server knows no client beforehand: it hears
 * of each by an event. Replies come in the order of the requests, for a channel keeps it; so a
 * client need not number them. The server ends when a client asks for {@code stop}.
 */
public final class RequestReply {
  private static final String ADDRESS = "udp://127.0.0.1:7431";
  private static final int CHANNEL = 1;

  private RequestReply() {}

  /** Which side this is; {@code -Daddress=} takes another one. */
  public static void main(String[] args) {
    String address = System.getProperty("address", ADDRESS);
    if (args.length == 1 && args[0].equals("server")) {
      serve(address);
    } else if (args.length > 2 && args[0].equals("client")) {
      ask(address, args[1], List.of(args).subList(2, args.length));
    } else {
      System.out.println("usage: RequestReply server | RequestReply client NAME WORD...");
    }
  }

  private static void serve(String address) {
    NodeConfig config =
        NodeConfig.builder()
            .name("server")
            .rail(address)
            .rail("shm:")
            .progress(Progress.caller()) // no thread of the library's: idle() does its work
            .build();
    try (Node node = Node.start(config)) {
      List<Channel> clients = new ArrayList<>();
      boolean[] stop = {false};
      while (!stop[0] || clients.stream().anyMatch(client -> !client.isOver())) {
        int work =
            node.pollEvents(
                event -> {
                  if (event instanceof NodeEvent.PeerUp up) {
                    clients.add(node.peer(up.peer()).channel(CHANNEL));
                  }
                });
        for (Channel client : clients) {
          work += client.poll(answer(client, stop), 16);
          if (client.isPeerFinished()) {
            client.close();
          }
        }
        clients.removeIf(Channel::isOver);
        node.idle(work);
      }
    }
  }

  private static MessageHandler answer(Channel client, boolean[] stop) {
    return (message, offset, length, sequence) -> {
      String word = text(message, offset, length);
      byte[] reply = word.toUpperCase(Locale.ROOT).getBytes(StandardCharsets.UTF_8);
      if (client.offer(reply) < 0) {
        return client.status() == 0 ? Channel.RETRY_LATER : Channel.CONTINUE;
      }
      stop[0] |= word.equals("stop");
      return Channel.CONTINUE;
    };
  }

  private static void ask(String address, String name, List<String> words) {
    NodeConfig config =
        NodeConfig.builder()
            .name(name)
            .rail(address.substring(0, address.lastIndexOf(':')) + ":0")
            .rail("shm:")
            .peer("server", address)
            .build();
    try (Node node = Node.start(config)) {
      node.peer("server").awaitUp(Duration.ofSeconds(30));
      Channel channel = node.peer("server").channel(CHANNEL);
      for (String word : words) {
        byte[] request = word.getBytes(StandardCharsets.UTF_8);
        while (channel.offer(request) < 0 && channel.status() == 0) {
          node.idle();
        }
      }
      channel.close();
      MessageHandler print =
          (message, offset, length, sequence) -> {
            System.out.println(name + ": " + text(message, offset, length));
            return Channel.CONTINUE;
          };
      while (!channel.isPeerFinished() && !channel.isOver()) {
        node.idle(channel.poll(print, 16));
      }
    }
  }

  private static String text(MemorySegment message, long offset, long length) {
    byte[] bytes = message.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE);
    return new String(bytes, StandardCharsets.UTF_8);
  }
}

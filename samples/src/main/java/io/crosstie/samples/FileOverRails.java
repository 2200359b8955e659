// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.samples;

import io.crosstie.messaging.Channel;
import io.crosstie.messaging.MessageHandler;
import io.crosstie.messaging.Node;
import io.crosstie.messaging.NodeConfig;
import io.crosstie.messaging.RailCounter;
import io.crosstie.messaging.RailInfo;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;

/**
 * A file over all rails that join two processes: {@code FileOverRails receive FILE}, and {@code
 * FileOverRails send FILE}. Large messages are striped over the rails; what a rail loses goes by
 * the others.
 */
public final class FileOverRails {
  private static final int CHUNK_BYTES = 1 << 20;
  private static final int CHANNEL = 1;

  private FileOverRails() {}

  /** Which side this is, the file, and the first of two ports (7441). */
  public static void main(String[] args) throws IOException {
    if (args.length < 2) {
      System.out.println("usage: FileOverRails send|receive FILE [PORT]");
      return;
    }
    int port = args.length > 2 ? Integer.parseInt(args[2]) : 7441;
    if (args[0].equals("send")) {
      send(Path.of(args[1]), port);
    } else {
      receive(Path.of(args[1]), port);
    }
  }

  private static void send(Path path, int port) throws IOException {
    NodeConfig config =
        NodeConfig.builder()
            .name("sender")
            .rail("udp://127.0.0.1:0")
            .rail("udp://127.0.0.1:0")
            .rail("shm:")
            .peer("receiver", "udp://127.0.0.1:" + port)
            .build();
    try (FileChannel file = FileChannel.open(path);
        Node node = Node.start(config)) {
      node.peer("receiver").awaitUp(Duration.ofSeconds(30));
      Channel channel = node.peer("receiver").channel(CHANNEL);
      ByteBuffer chunk = ByteBuffer.allocateDirect(CHUNK_BYTES);
      while (file.read(chunk.clear()) > 0) {
        chunk.flip();
        while (channel.offer(chunk) < 0) { // copies it, if it is taken
          if (channel.status() != 0) {
            throw new IOException("the connection ended with status " + channel.status());
          }
          node.idle();
        }
      }
      List<RailInfo> rails = node.peer("receiver").rails(); // there is none once it has gone
      channel.close();
      MessageHandler none = (message, offset, length, sequence) -> Channel.CONTINUE;
      while (!channel.isPeerFinished() && !channel.isOver()) {
        node.idle(channel.poll(none, 1)); // until the receiver has all, and closes, too
      }
      for (RailInfo rail : rails) {
        long packets = rail.counters().get(RailCounter.PACKETS_OUT);
        System.out.println(rail.kind() + " " + rail.name() + ": " + packets + " packets");
      }
    }
  }

  private static void receive(Path path, int port) throws IOException {
    NodeConfig config =
        NodeConfig.builder()
            .name("receiver")
            .rail("udp://127.0.0.1:" + port)
            .rail("udp://127.0.0.1:" + (port + 1))
            .rail("shm:")
            .peer("sender")
            .build();
    try (FileChannel file =
            FileChannel.open(
                path,
                StandardOpenOption.CREATE,
                StandardOpenOption.WRITE,
                StandardOpenOption.TRUNCATE_EXISTING);
        Node node = Node.start(config)) {
      Channel channel = node.peer("sender").channel(CHANNEL);
      MessageHandler write =
          (message, offset, length, sequence) -> {
            try {
              ByteBuffer bytes = message.asSlice(offset, length).asByteBuffer();
              while (bytes.hasRemaining()) {
                int unused = file.write(bytes);
              }
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
            return Channel.CONTINUE;
          };
      while (!channel.isPeerFinished()) {
        if (channel.isOver()) {
          throw new IOException("the sender was lost with status " + channel.status());
        }
        node.idle(channel.poll(write, 16));
      }
      file.force(true);
      channel.close(); // tells the sender that all is on the disk
      System.out.println("received " + file.size() + " bytes");
    }
  }
}

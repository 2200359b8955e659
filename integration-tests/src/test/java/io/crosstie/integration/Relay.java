// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.List;

/**
 * Stands between two nodes as a network does, and keeps copies of what passes. Each side is told
 * the relay's address for the other.
 */
final class Relay implements AutoCloseable {
  private static final int MAX_KEPT = 4000;

  /** One end, at which one node finds the other. */
  static final class End {
    private final DatagramChannel channel;
    private volatile InetSocketAddress node;
    private final List<byte[]> fromNode = new ArrayList<>();

    private End() throws IOException {
      channel = DatagramChannel.open();
      channel.bind(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0));
      channel.configureBlocking(false);
    }

    /** The address to advertise for the other node. */
    int port() {
      try {
        return ((InetSocketAddress) channel.getLocalAddress()).getPort();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    /** Where packets for this end's node go. */
    void node(int port) {
      node = new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), port);
    }

    /** What the node has sent so far, or the last of it. */
    List<byte[]> captured() {
      synchronized (fromNode) {
        return List.copyOf(fromNode);
      }
    }

    /** Sends something to the node as if it came from the other one. */
    void inject(byte[] packet) {
      InetSocketAddress to = node;
      if (to == null) {
        return; // nobody is there yet
      }
      try {
        int unused = channel.send(ByteBuffer.wrap(packet), to);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private final Selector selector;
  private final Thread thread;

  /** To which node a sends. */
  final End towardsA;

  final End towardsB;

  Relay() throws IOException {
    selector = Selector.open();
    towardsA = new End();
    towardsB = new End();
    towardsA.channel.register(selector, 1, towardsA);
    towardsB.channel.register(selector, 1, towardsB);
    thread = Thread.ofPlatform().daemon().name("relay").start(this::run);
  }

  private void run() {
    ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 16);
    try {
      while (selector.isOpen()) {
        int unused = selector.select(key -> pass((End) key.attachment(), buffer), 100);
      }
    } catch (ClosedChannelException | java.nio.channels.ClosedSelectorException e) {
      // the end
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** What arrives at an end comes from its node, and leaves to the other one from the other end. */
  private void pass(End end, ByteBuffer buffer) {
    End other = end == towardsA ? towardsB : towardsA;
    try {
      buffer.clear();
      while (end.channel.receive(buffer) != null) {
        buffer.flip();
        byte[] packet = new byte[buffer.remaining()];
        buffer.get(packet);
        synchronized (end.fromNode) {
          if (end.fromNode.size() < MAX_KEPT) {
            end.fromNode.add(packet);
          }
        }
        other.inject(packet);
        buffer.clear();
      }
    } catch (IOException | UncheckedIOException e) {
      // The node is gone for the moment; a network would not mind.
    }
  }

  @Override
  public void close() throws IOException, InterruptedException {
    selector.close();
    thread.join(10_000);
    towardsA.channel.close();
    towardsB.channel.close();
  }
}

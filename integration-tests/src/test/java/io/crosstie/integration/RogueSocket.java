// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.SplittableRandom;

/** One that consists of a socket. */
final class RogueSocket extends RoguePeer {
  private final DatagramChannel channel;

  RogueSocket(String name, int port, SplittableRandom random) throws IOException {
    super(name, random);
    channel = DatagramChannel.open();
    channel.configureBlocking(false);
    channel.connect(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), port));
  }

  @Override
  void send(byte[] packet, int length) {
    try {
      int unused = channel.write(ByteBuffer.wrap(packet, 0, length));
    } catch (IOException e) {
      // a full buffer, or the victim's answer to an earlier one
    }
  }

  @Override
  int receive(byte[] into) {
    try {
      return Math.max(0, channel.read(ByteBuffer.wrap(into)));
    } catch (IOException e) {
      return 0;
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}

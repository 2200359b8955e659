// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.udp;

import io.netty.channel.ChannelHandler;
import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/**
 * A socket of a Netty port, with its channel and what waits to leave by it. A port that is bound to
 * one address has one queue. One that is bound to all of this host's has besides the common queue
 * one for each address that peers use: Netty cannot say from which address a packet is to leave,
 * but what is sent by a socket that is bound to one leaves from there.
 */
final class NettyQueue {
  final NettySocket socket;
  final NettyLoop loop;
  final NettySender sender;

  /** The address that it is bound to; null if that is the wildcard. */
  final @Nullable InetAddress local;

  /** Open rails that use it. */
  int rails;

  NettyQueue(
      NettySocket socket,
      ChannelHandler pipelineEnd,
      NettyReceiveBuffers receiveBuffers,
      NettySender sender) {
    this.socket = socket;
    this.sender = sender;
    InetAddress bound = socket.bound().getAddress();
    local = bound.isAnyLocalAddress() ? null : bound;
    loop = new NettyLoop(socket, pipelineEnd, receiveBuffers);
  }

  /** What was queued in the channel of another thread went with it. */
  void enter() {
    if (loop.isForeign() && sender.isBlocked()) {
      sender.dropAll();
    }
  }

  /** Sends what was added. */
  void flush() {
    enter();
    sender.flush(loop.channel());
  }

  /** Lets go of Netty; not while its loop runs. */
  void destroyLoop() {
    sender.dropAll();
    loop.destroy();
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.udp;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.DefaultChannelPromise;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ManualIoEventLoop;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.concurrent.ThreadAwareExecutor;
import org.jspecify.annotations.Nullable;

/**
 * Netty's event loop on the engine's thread. Netty ties a loop and its channels to one thread for
 * good, whereas an engine may be run by one caller now and by another later, and be closed by a
 * third. So when the thread has changed, loop and channel are thrown away and made anew around the
 * same socket. Neither Netty's channel nor its loop is ever shut down in its own way: what holds
 * resources is the I/O handler, which is destroyed, and the socket, which is the port's.
 */
final class NettyLoop {
  private final NettySocket socket;
  private final ChannelHandler pipelineEnd;
  private final RecvByteBufAllocator receiveBuffers;
  private @Nullable Thread owner;
  private @Nullable ManualIoEventLoop loop;
  private @Nullable IoHandler ioHandler;
  private @Nullable Channel channel;

  NettyLoop(NettySocket socket, ChannelHandler pipelineEnd, RecvByteBufAllocator receiveBuffers) {
    this.socket = socket;
    this.pipelineEnd = pipelineEnd;
    this.receiveBuffers = receiveBuffers;
  }

  /**
   * Whether {@link #channel()} will make a new channel, so that what was queued in the old one is
   * lost.
   */
  boolean isForeign() {
    return channel != null && !Thread.currentThread().equals(owner);
  }

  /** The channel, registered with a loop that belongs to this thread. */
  Channel channel() {
    Channel existing = channel;
    if (existing != null && Thread.currentThread().equals(owner)) {
      return existing;
    }
    destroy();
    owner = Thread.currentThread();
    IoHandlerFactory factory = socket.ioHandlerFactory();
    ManualIoEventLoop fresh = new ManualIoEventLoop(owner, new Remembering(factory));
    Channel wrapped = socket.wrap();
    wrapped.config().setRecvByteBufAllocator(receiveBuffers);
    wrapped.pipeline().addLast(pipelineEnd);
    loop = fresh;
    channel = wrapped;
    wrapped.unsafe().register(fresh, new DefaultChannelPromise(wrapped, fresh));
    return wrapped;
  }

  /** Does what is ready. */
  void run() {
    Channel registered = channel();
    ManualIoEventLoop current = loop;
    if (current != null && registered.isRegistered()) {
      int unused = current.runNow();
    }
  }

  /** Gives back what the loop holds; not while it runs. */
  void destroy() {
    if (ioHandler != null) {
      ioHandler.destroy();
      ioHandler = null;
    }
    loop = null;
    channel = null;
    owner = null;
  }

  /** Keeps hold of the handler that the loop makes. */
  private final class Remembering implements IoHandlerFactory {
    private final IoHandlerFactory factory;

    Remembering(IoHandlerFactory factory) {
      this.factory = factory;
    }

    @Override
    public IoHandler newHandler(ThreadAwareExecutor executor) {
      IoHandler made = factory.newHandler(executor);
      ioHandler = made;
      return made;
    }
  }
}

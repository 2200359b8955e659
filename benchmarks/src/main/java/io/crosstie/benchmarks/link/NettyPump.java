// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.link;

import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ManualIoEventLoop;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.nio.NioIoHandler;
import java.util.concurrent.TimeUnit;

/** Netty's event loop on the caller's thread, which spins over it or blocks in it. */
final class NettyPump {
  private static final long MOST_WAIT_NS = 1_000_000;

  private final ManualIoEventLoop loop;
  private final boolean blocks;

  NettyPump(boolean epoll, boolean blocks) {
    if (epoll && !Epoll.isAvailable()) {
      throw new LinkException("Netty's epoll does not work here: " + Epoll.unavailabilityCause());
    }
    IoHandlerFactory factory = epoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
    loop = new ManualIoEventLoop(Thread.currentThread(), factory);
    this.blocks = blocks;
  }

  ManualIoEventLoop loop() {
    return loop;
  }

  /** Looks what there is, and where it blocks waits for up to a millisecond. */
  void run() {
    int unused = blocks ? loop.run(MOST_WAIT_NS) : loop.runNow();
  }

  void close() {
    var terminated = loop.shutdownGracefully(0, 0, TimeUnit.NANOSECONDS);
    while (!terminated.isDone()) {
      int unused = loop.runNow();
    }
  }
}

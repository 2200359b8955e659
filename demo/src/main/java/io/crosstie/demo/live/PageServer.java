// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo.live;

import io.crosstie.testkit.process.ToolException;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.timeout.IdleStateHandler;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Serves the page, its events and the metrics. Everything has a bound: connections, open pages,
 * requests waiting, lines, headers, bodies, idle time.
 */
final class PageServer implements AutoCloseable {
  private static final int MAX_CONNECTIONS = 64;
  private static final int MAX_PAGES = 16;
  private static final int MAX_WAITING = 32;
  private static final int MAX_LINE = 2_048;
  private static final int MAX_HEADERS = 8_192;
  private static final int MAX_BODY = 1_024;
  private static final int IDLE_S = 30;
  private static final int BACKLOG = 64;
  private static final int HIGH_WATER = 256 << 10;

  private final Guard guard;
  private final Api api;
  private final PageFiles files = new PageFiles();
  private final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
  private final ChannelGroup pages = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
  private final EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final ThreadPoolExecutor worker =
      new ThreadPoolExecutor(
          1,
          1,
          1,
          TimeUnit.MINUTES,
          new ArrayBlockingQueue<>(MAX_WAITING),
          work -> Thread.ofPlatform().daemon().name("live-page").unstarted(work));
  private final int port;

  PageServer(LiveOptions options, Controls controls) {
    this.guard = new Guard(options.hosts());
    this.api = new Api(controls);
    ServerBootstrap bootstrap =
        new ServerBootstrap()
            .group(loop)
            .channel(NioServerSocketChannel.class)
            .option(ChannelOption.SO_BACKLOG, BACKLOG)
            .option(ChannelOption.SO_REUSEADDR, true)
            .childOption(
                ChannelOption.WRITE_BUFFER_WATER_MARK,
                new WriteBufferWaterMark(HIGH_WATER / 2, HIGH_WATER))
            .childHandler(
                new ChannelInitializer<SocketChannel>() {
                  @Override
                  protected void initChannel(SocketChannel channel) {
                    channel
                        .pipeline()
                        .addLast(
                            new HttpServerCodec(MAX_LINE, MAX_HEADERS, MAX_HEADERS),
                            new IdleStateHandler(0, 0, IDLE_S),
                            new Bounded(),
                            new PageHandler(PageServer.this));
                  }
                });
    try {
      ChannelFuture bound = bootstrap.bind(options.host(), options.pagePort()).sync();
      port = ((InetSocketAddress) bound.channel().localAddress()).getPort();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ToolException(ToolException.RED, "interrupted", e);
    } catch (Exception e) { // Netty throws what the socket threw, without a declaration
      close();
      throw new ToolException(
          ToolException.ENVIRONMENT,
          "the page cannot be served on "
              + options.host()
              + ":"
              + options.pagePort()
              + ": "
              + e.getMessage()
              + "; choose another with --page",
          e);
    }
  }

  /** Refuses bodies that are too long with an answer that says so. */
  private static final class Bounded extends HttpObjectAggregator {
    Bounded() {
      super(MAX_BODY, true);
    }

    @Override
    protected void handleOversizedMessage(ChannelHandlerContext context, HttpMessage oversized) {
      ChannelFuture unused =
          PageHandler.send(
              context.channel(),
              Answer.error(413, "a body has at most " + MAX_BODY + " bytes here"),
              false);
    }
  }

  int port() {
    return port;
  }

  Guard guard() {
    return guard;
  }

  Api api() {
    return api;
  }

  PageFiles files() {
    return files;
  }

  /** Whether one more connection may stay. */
  boolean admit(Channel channel) {
    return connections.size() < MAX_CONNECTIONS && connections.add(channel);
  }

  /**
   * Whether one more page may be told all that changes; it is, from here on: whoever has read the
   * head misses nothing. News of other threads wait until the channel's loop, which calls this, is
   * done.
   */
  boolean subscribe(Channel channel, HttpResponse head) {
    if (pages.size() >= MAX_PAGES || !pages.add(channel)) {
      return false;
    }
    ChannelFuture unused = channel.writeAndFlush(head);
    return true;
  }

  boolean isSubscribed(Channel channel) {
    return pages.contains(channel);
  }

  /**
   * Does something on the one thread for that.
   *
   * @param otherwise what to do if it fails
   * @throws java.util.concurrent.RejectedExecutionException if too much is waiting
   */
  void work(Runnable task, Runnable otherwise) {
    worker.execute(
        () -> {
          try {
            task.run();
          } catch (RuntimeException e) {
            e.printStackTrace();
            otherwise.run();
          }
        });
  }

  /** Tells all open pages. One that does not read fast enough misses some. */
  void broadcast(String json) {
    byte[] event = ("data: " + json + "\n\n").getBytes(StandardCharsets.UTF_8);
    for (Channel page : pages) {
      if (page.isWritable()) {
        ChannelFuture unused =
            page.writeAndFlush(new DefaultHttpContent(Unpooled.wrappedBuffer(event)));
      }
    }
  }

  @Override
  public void close() {
    worker.shutdownNow();
    Future<?> unused = loop.shutdownGracefully(0, 1, TimeUnit.SECONDS);
  }
}

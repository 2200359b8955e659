// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.link;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * A TCP connection by Netty's epoll, whose loop the caller spins over; TCP_NODELAY. Small messages
 * are put together in a buffer of up to 64 KiB before they are written, larger ones are written
 * from where they lie.
 */
final class NettyTcpLink implements Link {
  private static final int RECEIVE_BYTES = 256 << 10;
  private static final int BATCH_BYTES = 64 << 10;
  private static final int MAX_COPIED = 4 << 10;
  private static final int HIGH_WATER = 1 << 20;

  private final LinkSpec spec;
  private final NettyPump pump = new NettyPump(true, false);
  private final ByteBuf messages;
  private final Words words = new Words();
  private @Nullable Channel server;
  private @Nullable Channel channel;
  private @Nullable ByteBuf batch;
  private @Nullable Sink sink;
  private int arrived;

  NettyTcpLink(LinkSpec spec) {
    this.spec = spec;
    messages = Unpooled.wrappedBuffer(spec.messages().asByteBuffer());
    if (!spec.near()) {
      server =
          done(
              new ServerBootstrap()
                  .group(pump.loop())
                  .channel(EpollServerSocketChannel.class)
                  .childOption(ChannelOption.TCP_NODELAY, true)
                  .childOption(
                      ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(RECEIVE_BYTES))
                  .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, waterMark())
                  .childHandler(new Incoming())
                  .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)));
    }
  }

  /** What is written lies in the messages' memory until it is gone. */
  private static WriteBufferWaterMark waterMark() {
    return new WriteBufferWaterMark(HIGH_WATER / 2, HIGH_WATER);
  }

  private Channel done(ChannelFuture future) {
    while (!future.isDone()) {
      int unused = pump.loop().runNow();
    }
    if (!future.isSuccess()) {
      throw new LinkException("TCP: " + future.cause(), future.cause());
    }
    return future.channel();
  }

  @ChannelHandler.Sharable
  private final class Incoming extends ChannelInboundHandlerAdapter {
    @Override
    public void channelActive(ChannelHandlerContext context) {
      channel = context.channel();
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      ByteBuf bytes = (ByteBuf) message;
      Sink taker = sink;
      if (taker == null) {
        arrived++;
        var unused = context.write(bytes, context.voidPromise());
      } else {
        arrived += NettyBytes.deliver(bytes, words, taker);
        bytes.release();
      }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
      context.flush();
    }
  }

  @Override
  public String address() {
    Channel listening = server;
    return listening == null
        ? ""
        : Integer.toString(((InetSocketAddress) listening.localAddress()).getPort());
  }

  @Override
  public void connect(String peer) {
    if (spec.near()) {
      Channel unused =
          done(
              new Bootstrap()
                  .group(pump.loop())
                  .channel(EpollSocketChannel.class)
                  .option(ChannelOption.TCP_NODELAY, true)
                  .option(
                      ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(RECEIVE_BYTES))
                  .option(ChannelOption.WRITE_BUFFER_WATER_MARK, waterMark())
                  .handler(new Incoming())
                  .connect(
                      new InetSocketAddress(
                          InetAddress.getLoopbackAddress(), Integer.parseInt(peer))));
    }
  }

  @Override
  public boolean isReady() {
    int unused = pump.loop().runNow();
    return channel != null;
  }

  private Channel channel() {
    Channel open = channel;
    if (open == null) {
      throw new IllegalStateException("not connected");
    }
    return open;
  }

  @Override
  public boolean send(long offset, int length) {
    Channel open = channel();
    if (!open.isWritable()) {
      return false;
    }
    if (length > MAX_COPIED) {
      flush();
      var unused =
          open.writeAndFlush(messages.retainedSlice((int) offset, length), open.voidPromise());
      return true;
    }
    ByteBuf together = batch;
    if (together == null) {
      together = open.alloc().directBuffer(BATCH_BYTES, BATCH_BYTES);
      batch = together;
    }
    together.writeBytes(messages, (int) offset, length);
    if (together.writableBytes() < length) {
      flush();
    }
    return true;
  }

  private void flush() {
    ByteBuf together = batch;
    if (together != null) {
      batch = null;
      var unused = channel().writeAndFlush(together, channel().voidPromise());
    }
  }

  @Override
  public void progress() {
    flush();
    int unused = pump.loop().runNow();
  }

  @Override
  public int poll(Sink sink) {
    this.sink = sink;
    flush();
    return run();
  }

  @Override
  public int echo() {
    sink = null;
    return run();
  }

  private int run() {
    arrived = 0;
    pump.run();
    return arrived;
  }

  @Override
  public void close() {
    Channel open = channel;
    Channel listening = server;
    if (open != null) {
      var unused = open.close();
    }
    if (listening != null) {
      var unused = listening.close();
    }
    pump.close();
  }
}

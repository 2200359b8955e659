// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.link;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.socket.DatagramPacket;
import io.netty.channel.socket.nio.NioDatagramChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * A connected Netty datagram channel whose loop the caller runs. One message is one datagram; what
 * the kernel drops is lost.
 */
final class NettyUdpLink implements Link {
  private static final int RECEIVE_BYTES = 1 << 16;

  private final NettyPump pump;
  private final ByteBuf messages;
  private final Channel channel;
  private final Words words = new Words();
  private @Nullable Sink sink;
  private int arrived;

  NettyUdpLink(LinkSpec spec, boolean epoll, boolean blocks) {
    pump = new NettyPump(epoll, blocks);
    messages = Unpooled.wrappedBuffer(spec.messages().asByteBuffer());
    var bound =
        new Bootstrap()
            .group(pump.loop())
            .channel(epoll ? EpollDatagramChannel.class : NioDatagramChannel.class)
            .option(ChannelOption.SO_RCVBUF, UdpSocket.BUFFER_BYTES)
            .option(ChannelOption.SO_SNDBUF, UdpSocket.BUFFER_BYTES)
            .option(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(RECEIVE_BYTES))
            .handler(new Incoming())
            .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    while (!bound.isDone()) {
      int unused = pump.loop().runNow();
    }
    if (!bound.isSuccess()) {
      throw new LinkException("Netty cannot bind: " + bound.cause(), bound.cause());
    }
    channel = bound.channel();
  }

  private final class Incoming extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      ByteBuf bytes =
          message instanceof DatagramPacket packet ? packet.content() : (ByteBuf) message;
      Sink taker = sink;
      arrived++;
      if (taker == null) {
        var unused = context.writeAndFlush(bytes, context.voidPromise());
      } else {
        int unused = NettyBytes.deliver(bytes, words, taker);
        bytes.release();
      }
    }
  }

  @Override
  public String address() {
    return Integer.toString(((InetSocketAddress) channel.localAddress()).getPort());
  }

  @Override
  public void connect(String peer) {
    var connecting =
        channel.connect(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(peer)));
    while (!connecting.isDone()) {
      int unused = pump.loop().runNow();
    }
  }

  @Override
  public boolean isReady() {
    return true;
  }

  @Override
  public boolean send(long offset, int length) {
    var unused =
        channel.writeAndFlush(messages.retainedSlice((int) offset, length), channel.voidPromise());
    return true;
  }

  @Override
  public void progress() {
    int unused = pump.loop().runNow();
  }

  @Override
  public int poll(Sink sink) {
    this.sink = sink;
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
    var unused = channel.close();
    pump.close();
  }
}

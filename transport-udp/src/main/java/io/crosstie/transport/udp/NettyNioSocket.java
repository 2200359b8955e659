// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.udp;

import io.crosstie.transport.Poller;
import io.crosstie.transport.RailException;
import io.crosstie.transport.linux.Errno;
import io.netty.channel.Channel;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDatagramChannel;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import jdk.net.ExtendedSocketOptions;

/**
 * Netty's NIO transport around a java.nio channel: works everywhere. What Java does not show is not
 * there: no answers by ICMP to an unconnected socket, no offload, and a descriptor replaced by
 * another UDP socket goes unnoticed.
 */
final class NettyNioSocket implements NettySocket {
  private static final Logger LOG = System.getLogger(NettyNioSocket.class.getName());

  private final UdpConfig config;
  private final DatagramChannel channel;
  private final InetSocketAddress bound;
  private final int receiveBufferBytes;
  private final int sendBufferBytes;

  private NettyNioSocket(UdpConfig config, DatagramChannel channel, InetSocketAddress bound)
      throws IOException {
    this.config = config;
    this.channel = channel;
    this.bound = bound;
    receiveBufferBytes = granted(channel.getOption(StandardSocketOptions.SO_RCVBUF));
    sendBufferBytes = granted(channel.getOption(StandardSocketOptions.SO_SNDBUF));
  }

  /** Linux reports twice what it grants, for its own book-keeping. */
  private static int granted(int reported) {
    return System.getProperty("os.name", "").equals("Linux") ? reported / 2 : reported;
  }

  static NettyNioSocket open(UdpConfig config) throws RailException {
    return open(config, config.bind(), false);
  }

  @Override
  public boolean reportsDestinations() {
    return false; // Java does not
  }

  @Override
  public NettySocket beside(InetAddress local) throws RailException {
    try {
      channel.setOption(StandardSocketOptions.SO_REUSEADDR, true);
      try {
        return open(config, new InetSocketAddress(local, bound.getPort()), true);
      } finally {
        channel.setOption(StandardSocketOptions.SO_REUSEADDR, false);
      }
    } catch (IOException e) {
      throw UdpErrors.bind(config, errno(e));
    }
  }

  /**
   * Makes and binds one.
   *
   * @param shared whether another one that has the port lets it be shared while this one is bound
   */
  private static NettyNioSocket open(UdpConfig config, InetSocketAddress to, boolean shared)
      throws RailException {
    DatagramChannel channel;
    try {
      boolean ipv4 = config.bind().getAddress() instanceof Inet4Address;
      channel =
          DatagramChannel.open(ipv4 ? StandardProtocolFamily.INET : StandardProtocolFamily.INET6);
    } catch (IOException | UnsupportedOperationException e) {
      throw UdpErrors.socket(config, e instanceof IOException io ? errno(io) : Errno.EAFNOSUPPORT);
    }
    try {
      channel.configureBlocking(false);
      channel.setOption(StandardSocketOptions.SO_RCVBUF, config.receiveBufferBytes());
      channel.setOption(StandardSocketOptions.SO_SNDBUF, config.sendBufferBytes());
      if (channel.supportedOptions().contains(ExtendedSocketOptions.IP_DONTFRAGMENT)) {
        channel.setOption(ExtendedSocketOptions.IP_DONTFRAGMENT, true); // R20
      }
      if (shared) {
        channel.setOption(StandardSocketOptions.SO_REUSEADDR, true);
      }
      channel.bind(to);
      if (shared) {
        channel.setOption(StandardSocketOptions.SO_REUSEADDR, false);
      }
      return new NettyNioSocket(config, channel, (InetSocketAddress) channel.getLocalAddress());
    } catch (IOException e) {
      close(channel);
      throw UdpErrors.bind(config, errno(e));
    }
  }

  private static int errno(IOException e) {
    int errno = UdpErrors.errno(e);
    return errno == 0 ? Errno.EIO : errno;
  }

  /**
   * A descriptor that somebody else closed already is no news at this point, and nothing can be
   * done about it.
   */
  private static void close(DatagramChannel channel) {
    try {
      channel.close();
    } catch (IOException e) {
      LOG.log(Level.DEBUG, "a datagram channel could not be closed", e);
    }
  }

  @Override
  public String kind() {
    return "udp/netty-nio";
  }

  @Override
  public IoHandlerFactory ioHandlerFactory() {
    return NioIoHandler.newFactory();
  }

  @Override
  public Channel wrap() {
    return new NioDatagramChannel(channel);
  }

  @Override
  public InetSocketAddress bound() {
    return bound;
  }

  @Override
  public int receiveBufferBytes() {
    return receiveBufferBytes;
  }

  @Override
  public int sendBufferBytes() {
    return sendBufferBytes;
  }

  @Override
  public boolean segmentation() {
    return false;
  }

  @Override
  public boolean merging() {
    return false;
  }

  @Override
  public int whyLost() {
    try {
      int unused = channel.getOption(StandardSocketOptions.SO_RCVBUF);
      return 0;
    } catch (IOException e) {
      return errno(e);
    }
  }

  @Override
  public boolean watch(Poller poller) {
    if (poller.watchesDescriptors()) {
      return false;
    }
    poller.watch(channel, SelectionKey.OP_READ);
    return true;
  }

  @Override
  public void unwatch(Poller poller) {
    poller.unwatch(channel);
  }

  @Override
  public void watchWritable(Poller poller) {
    if (!poller.watchesDescriptors()) {
      poller.watch(channel, SelectionKey.OP_READ | SelectionKey.OP_WRITE);
    }
  }

  @Override
  public void unwatchWritable(Poller poller) {
    boolean unused = watch(poller);
  }

  @Override
  public void close() {
    close(channel);
  }
}

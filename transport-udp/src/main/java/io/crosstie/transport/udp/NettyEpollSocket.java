// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.udp;

import io.crosstie.transport.Poller;
import io.crosstie.transport.RailException;
import io.crosstie.transport.linux.Libc;
import io.crosstie.transport.linux.SocketAbi;
import io.netty.channel.Channel;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.EpollIoHandler;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/**
 * Netty's epoll transport around a {@link LinuxSocket}: the same options, errors and loss detection
 * as the Linux driver.
 */
final class NettyEpollSocket implements NettySocket {
  private static final int NO_DESCRIPTOR = -1;

  private final UdpConfig config;
  private final Libc libc;
  private final LinuxSocket socket;
  private final OffloadProbe.Result offloads;
  private int writableFd = NO_DESCRIPTOR;

  private NettyEpollSocket(
      UdpConfig config, Libc libc, LinuxSocket socket, OffloadProbe.Result offloads) {
    this.config = config;
    this.libc = libc;
    this.socket = socket;
    this.offloads = offloads;
  }

  /** Whether both Netty's and our own native calls work. */
  static boolean isAvailable() {
    return Libc.whyUnavailable() == null && Epoll.isAvailable();
  }

  static NettyEpollSocket open(UdpConfig config) throws RailException {
    Libc libc = new Libc();
    OffloadProbe.Result offloads = OffloadProbe.run(libc, config);
    LinuxSocket socket = LinuxSocket.open(libc, config);
    boolean segmentation =
        offloads.gso() && EpollDatagramChannel.isSegmentedDatagramPacketSupported();
    return prepared(config, libc, socket, new OffloadProbe.Result(segmentation, offloads.gro()));
  }

  private static NettyEpollSocket prepared(
      UdpConfig config, Libc libc, LinuxSocket socket, OffloadProbe.Result offloads) {
    // Netty does not read the queue of errors, and a queued error would keep the socket ready for
    // ever
    socket.disableErrorQueue();
    socket.disableDestinations(); // Netty asks for them in another way
    return new NettyEpollSocket(config, libc, socket, offloads);
  }

  @Override
  public boolean reportsDestinations() {
    return socket.isWildcard() && socket.family() == SocketAbi.AF_INET;
  }

  @Override
  public NettySocket beside(InetAddress local) throws RailException {
    PacketInfo info = PacketInfo.of(local);
    if (info == null) {
      throw new RailException(UdpAddress.hostText(local) + " is not an address of one host");
    }
    Libc own = new Libc();
    return prepared(config, own, LinuxSocket.openBeside(own, config, socket, info), offloads);
  }

  @Override
  public String kind() {
    return "udp/netty-epoll";
  }

  @Override
  public IoHandlerFactory ioHandlerFactory() {
    return EpollIoHandler.newFactory();
  }

  @Override
  public Channel wrap() {
    EpollDatagramChannel channel = new EpollDatagramChannel(socket.fd());
    if (offloads.gro()) {
      boolean unused = channel.config().setUdpGro(true).isUdpGro();
    }
    if (reportsDestinations()) {
      boolean unused = channel.config().setIpRecvOrigDestAddr(true).isIpRecvOrigDestAddr();
    }
    return channel;
  }

  @Override
  public InetSocketAddress bound() {
    return socket.bound();
  }

  @Override
  public int receiveBufferBytes() {
    return socket.receiveBufferBytes();
  }

  @Override
  public int sendBufferBytes() {
    return socket.sendBufferBytes();
  }

  @Override
  public boolean segmentation() {
    return offloads.gso();
  }

  @Override
  public boolean merging() {
    return offloads.gro();
  }

  @Override
  public int whyLost() {
    return socket.whyLost();
  }

  @Override
  public boolean watch(Poller poller) {
    if (!poller.watchesDescriptors()) {
      return false;
    }
    poller.watch(socket.fd());
    return true;
  }

  @Override
  public void unwatch(Poller poller) {
    unwatchWritable(poller);
    if (poller.watchesDescriptors()) {
      poller.unwatch(socket.fd());
    }
  }

  @Override
  public void watchWritable(Poller poller) {
    if (writableFd == NO_DESCRIPTOR && poller.watchesDescriptors()) {
      int fd = libc.epollFor(socket.fd(), SocketAbi.POLLOUT);
      if (fd >= 0) {
        writableFd = fd;
        poller.watch(fd);
      }
    }
  }

  @Override
  public void unwatchWritable(Poller poller) {
    if (writableFd != NO_DESCRIPTOR) {
      poller.unwatch(writableFd);
      int unused = libc.close(writableFd);
      writableFd = NO_DESCRIPTOR;
    }
  }

  @Override
  public void close() {
    socket.close();
  }
}

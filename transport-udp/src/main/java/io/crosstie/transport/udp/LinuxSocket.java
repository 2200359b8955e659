// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.udp;

import static io.crosstie.transport.linux.SocketAbi.IPPROTO_IP;
import static io.crosstie.transport.linux.SocketAbi.IPPROTO_IPV6;
import static io.crosstie.transport.linux.SocketAbi.SOL_SOCKET;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.crosstie.transport.RailException;
import io.crosstie.transport.linux.Errno;
import io.crosstie.transport.linux.Libc;
import io.crosstie.transport.linux.SocketAbi;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * The bound, unconnected, non-blocking socket of one port, and the proof that its descriptor is
 * still this socket: somebody else in the process may close it or put another file under its
 * number, which must never be mistaken for ours, let alone closed.
 */
final class LinuxSocket {
  private final Libc libc;
  private final int fd;
  private final int family;

  private final MemorySegment cookieValue = Arena.ofAuto().allocate(8, 8);

  /** The kernel's number of this socket, or 0 where it does not tell. */
  private final long cookie;

  private final Object closing = new Object();

  /** Under {@link #closing}. */
  private boolean closed;

  private boolean severed;

  private final InetSocketAddress bound;

  /** Whether the local address of what arrives is told, since it may be any of this host's. */
  private final boolean wildcard;

  private final int receiveBufferBytes;
  private final int sendBufferBytes;

  private LinuxSocket(
      Libc libc, int fd, UdpConfig config, @Nullable LinuxSocket beside, @Nullable PacketInfo local)
      throws RailException {
    this.libc = libc;
    this.fd = fd;
    this.family = SockAddr.family(config.bind().getAddress());
    receiveBufferBytes =
        buffer(config.receiveBufferBytes(), SocketAbi.SO_RCVBUF, SocketAbi.SO_RCVBUFFORCE);
    sendBufferBytes =
        buffer(config.sendBufferBytes(), SocketAbi.SO_SNDBUF, SocketAbi.SO_SNDBUFFORCE);
    setIpOptions();
    bound = beside == null ? bind(config, config.bind()) : bindBeside(config, beside, local);
    wildcard = beside == null && bound.getAddress().isAnyLocalAddress();
    if (wildcard) {
      enablePacketInfo();
    }
    cookie = readCookie(libc, cookieValue);
  }

  /**
   * Makes a socket bound to the same address as another, and connects it. Until that is done it may
   * take in packets of others, which are received like all.
   *
   * @param local which of the other's addresses, if it has all of this host; null to leave that to
   *     the system
   * @return null if the system does not let us
   */
  static @Nullable LinuxSocket connect(
      Libc libc, UdpConfig config, LinuxSocket beside, SockAddr peer, @Nullable PacketInfo local) {
    LinuxSocket socket = null;
    try {
      socket = open(libc, config, beside, local);
    } catch (RailException e) {
      return null; // the socket that is there will do
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment slot = arena.allocate(SockAddr.SLOT_BYTES, 8);
      peer.write(slot, 0);
      if (libc.connect(socket.fd, slot.asSlice(0, SockAddr.length(socket.family))) < 0) {
        socket.close();
        return null;
      }
    }
    return socket;
  }

  /**
   * The port is shared by the first socket and those bound beside it only. The first lets others
   * bind only for this moment, so nobody else can while it is open; the others let them for good,
   * as the system asks each socket that is bound already.
   */
  private InetSocketAddress bindBeside(
      UdpConfig config, LinuxSocket beside, @Nullable PacketInfo local) throws RailException {
    InetSocketAddress to =
        local == null
            ? beside.bound
            : new InetSocketAddress(local.address(), beside.bound.getPort());
    int unused = libc.setOption(fd, SOL_SOCKET, SocketAbi.SO_REUSEADDR, 1);
    unused = libc.setOption(beside.fd, SOL_SOCKET, SocketAbi.SO_REUSEADDR, 1);
    try {
      return bind(config, to);
    } finally {
      unused = libc.setOption(beside.fd, SOL_SOCKET, SocketAbi.SO_REUSEADDR, 0);
    }
  }

  /**
   * Makes and binds the socket.
   *
   * @throws RailException with errno, address and advice
   */
  static LinuxSocket open(Libc libc, UdpConfig config) throws RailException {
    return open(libc, config, null, null);
  }

  /**
   * Makes a socket for one of the addresses of another that has all of this host.
   *
   * @throws RailException if the system does not let us
   */
  static LinuxSocket openBeside(Libc libc, UdpConfig config, LinuxSocket beside, PacketInfo local)
      throws RailException {
    return open(libc, config, beside, local);
  }

  private static LinuxSocket open(
      Libc libc, UdpConfig config, @Nullable LinuxSocket beside, @Nullable PacketInfo local)
      throws RailException {
    int family = SockAddr.family(config.bind().getAddress());
    int type = SocketAbi.SOCK_DGRAM | SocketAbi.SOCK_NONBLOCK | SocketAbi.SOCK_CLOEXEC;
    int fd = libc.socket(family, type, 0);
    if (fd < 0) {
      throw UdpErrors.socket(config, -fd);
    }
    try {
      return new LinuxSocket(libc, fd, config, beside, local);
    } catch (RailException | RuntimeException e) {
      int unused = libc.close(fd);
      throw e;
    }
  }

  /**
   * Sets a buffer, beyond the system's limit where this process may.
   *
   * @return what was granted, in bytes, without the half that Linux adds for its own book-keeping
   */
  private int buffer(int asked, int option, int forceOption) {
    int unused = libc.setOption(fd, SOL_SOCKET, option, asked);
    int got = libc.getOption(fd, SOL_SOCKET, option) / 2;
    if (got < asked && libc.setOption(fd, SOL_SOCKET, forceOption, asked) == 0) {
      got = libc.getOption(fd, SOL_SOCKET, option) / 2;
    }
    return Math.max(0, got);
  }

  private void setIpOptions() {
    // R20: sizes are probed by the core, so nothing may be fragmented and no cached path MTU
    // believed.
    // Errors by ICMP are wanted with their address: this socket has many peers.
    // All of these are wishes: without them there is less news, but packets flow.
    int unused;
    if (family == SocketAbi.AF_INET) {
      unused =
          libc.setOption(fd, IPPROTO_IP, SocketAbi.IP_MTU_DISCOVER, SocketAbi.IP_PMTUDISC_PROBE);
      unused = libc.setOption(fd, IPPROTO_IP, SocketAbi.IP_RECVERR, 1);
    } else {
      unused =
          libc.setOption(
              fd, IPPROTO_IPV6, SocketAbi.IPV6_MTU_DISCOVER, SocketAbi.IP_PMTUDISC_PROBE);
      unused = libc.setOption(fd, IPPROTO_IPV6, SocketAbi.IPV6_RECVERR, 1);
    }
  }

  /** Where that is not to be had, answers leave from the address that the route prefers. */
  private void enablePacketInfo() {
    int unused =
        family == SocketAbi.AF_INET
            ? libc.setOption(fd, IPPROTO_IP, SocketAbi.IP_PKTINFO, 1)
            : libc.setOption(fd, IPPROTO_IPV6, SocketAbi.IPV6_RECVPKTINFO, 1);
  }

  private InetSocketAddress bind(UdpConfig config, InetSocketAddress to) throws RailException {
    try (Arena arena = Arena.ofConfined()) {
      if (family == SocketAbi.AF_INET6) {
        // one port, one family: else [::] would also take the IPv4 port, from another node too
        int unused = libc.setOption(fd, IPPROTO_IPV6, SocketAbi.IPV6_V6ONLY, 1);
      }
      // no SO_REUSEADDR for long: for UDP it would let two nodes share a port silently
      MemorySegment slot = arena.allocate(SockAddr.SLOT_BYTES, 8);
      MemorySegment address = slot.asSlice(0, SockAddr.length(family));
      SockAddr.of(to).write(slot, 0);
      int result = libc.bind(fd, address);
      if (result < 0) {
        throw UdpErrors.bind(config, -result);
      }
      result = libc.getsockname(fd, address);
      if (result < 0) {
        throw UdpErrors.bind(config, -result);
      }
      return SockAddr.read(slot, 0).toInet();
    }
  }

  private long readCookie(Libc through, MemorySegment value) {
    int result = through.getOption(fd, SOL_SOCKET, SocketAbi.SO_COOKIE, value);
    return result < 0 ? 0 : value.get(JAVA_LONG, 0);
  }

  /**
   * Whether the descriptor is still open and this socket; else an errno that says what it is. 0 if
   * all is well.
   */
  int whyLost() {
    return whyLost(libc, cookieValue);
  }

  private int whyLost(Libc through, MemorySegment value) {
    int result = through.getOption(fd, SOL_SOCKET, 3); // SO_TYPE: harmless, known to every socket
    if (result < 0) {
      return -result;
    }
    return cookie != 0 && readCookie(through, value) != cookie ? Errno.ENOTSOCK : 0;
  }

  /** Does without the queue of errors, for a reader that would not empty it. */
  void disableErrorQueue() {
    int unused =
        family == SocketAbi.AF_INET
            ? libc.setOption(fd, IPPROTO_IP, SocketAbi.IP_RECVERR, 0)
            : libc.setOption(fd, IPPROTO_IPV6, SocketAbi.IPV6_RECVERR, 0);
  }

  /** Does without the local addresses of what arrives, for a reader that has no room for them. */
  void disableDestinations() {
    if (wildcard) {
      int unused =
          family == SocketAbi.AF_INET
              ? libc.setOption(fd, IPPROTO_IP, SocketAbi.IP_PKTINFO, 0)
              : libc.setOption(fd, IPPROTO_IPV6, SocketAbi.IPV6_RECVPKTINFO, 0);
    }
  }

  /** Closes the descriptor if it is still ours, or what {@link #sever} left in its place. */
  void close() {
    synchronized (closing) {
      if (severed || whyLost() == 0) {
        int unused = libc.close(fd);
      }
      closed = true;
    }
  }

  /**
   * Closes the socket, but keeps its number, from any thread: whoever still uses the number must
   * not meet another file there. Does nothing if somebody else has put another file there before.
   */
  void sever() {
    Libc own = new Libc(); // that of the thread that hangs is in use
    MemorySegment value = Arena.ofAuto().allocate(8, 8);
    synchronized (closing) {
      if (closed || severed || whyLost(own, value) != 0) {
        return;
      }
      int nothing = own.eventfd(0, SocketAbi.EFD_NONBLOCK | SocketAbi.EFD_CLOEXEC);
      if (nothing >= 0) {
        severed = own.dup3(nothing, fd, SocketAbi.EFD_CLOEXEC) >= 0;
        int unused = own.close(nothing);
      }
    }
  }

  int fd() {
    return fd;
  }

  int family() {
    return family;
  }

  /** The bound address with its real port. */
  InetSocketAddress bound() {
    return bound;
  }

  /**
   * Whether it is bound to all addresses of this host, so that each packet has one of its own. What
   * is connected has one.
   */
  boolean isWildcard() {
    return wildcard;
  }

  int receiveBufferBytes() {
    return receiveBufferBytes;
  }

  int sendBufferBytes() {
    return sendBufferBytes;
  }
}

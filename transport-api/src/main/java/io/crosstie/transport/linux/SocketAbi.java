// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.linux;

/**
 * Numbers and structure layouts of the Linux socket interface, which are the same on x86-64 and
 * aarch64 (both little endian, LP64). Offsets and sizes are in bytes.
 */
public final class SocketAbi {
  /** Unix-domain addresses. */
  public static final int AF_UNIX = 1;

  /** IPv4. */
  public static final int AF_INET = 2;

  /** IPv6. */
  public static final int AF_INET6 = 10;

  /** Byte stream. */
  public static final int SOCK_STREAM = 1;

  /** Datagrams. */
  public static final int SOCK_DGRAM = 2;

  /** Flag of socket and accept4: non-blocking. */
  public static final int SOCK_NONBLOCK = 0x800;

  /** Flag of socket and accept4: closed on exec. */
  public static final int SOCK_CLOEXEC = 0x80000;

  /** Socket level of the general options. */
  public static final int SOL_SOCKET = 1;

  /**
   * Lets a closed connection's address be bound again (TCP); for UDP it lets two sockets share a
   * port.
   */
  public static final int SO_REUSEADDR = 2;

  /** Pending error of a socket; reading it clears it. */
  public static final int SO_ERROR = 4;

  /**
   * Send buffer. Linux grants twice what is asked, for its own book-keeping, and reports the
   * double.
   */
  public static final int SO_SNDBUF = 7;

  /** Receive buffer; see {@link #SO_SNDBUF}. */
  public static final int SO_RCVBUF = 8;

  /** Credentials of a connected Unix-domain peer: pid, uid, gid as three ints. */
  public static final int SO_PEERCRED = 17;

  /** As {@link #SO_SNDBUF} beyond the system's limit; needs CAP_NET_ADMIN. */
  public static final int SO_SNDBUFFORCE = 32;

  /** As {@link #SO_RCVBUF} beyond the system's limit; needs CAP_NET_ADMIN. */
  public static final int SO_RCVBUFFORCE = 33;

  /** A 64-bit number that no other socket of this boot has. */
  public static final int SO_COOKIE = 57;

  /** Level of IPv4 options. */
  public static final int IPPROTO_IP = 0;

  /**
   * {@link #IPPROTO_IP}: tells the local address of what arrives, and as a control message says
   * from which one to send: {@code struct in_pktinfo}.
   */
  public static final int IP_PKTINFO = 8;

  /** {@link #IPPROTO_IP}: path-MTU discovery. */
  public static final int IP_MTU_DISCOVER = 10;

  /**
   * {@link #IP_MTU_DISCOVER}: set the don't-fragment bit and ignore what ICMP says about the path's
   * MTU.
   */
  public static final int IP_PMTUDISC_PROBE = 3;

  /** {@link #IPPROTO_IP}: queue the errors that ICMP reports, with the address concerned. */
  public static final int IP_RECVERR = 11;

  /** Level of IPv6 options. */
  public static final int IPPROTO_IPV6 = 41;

  /**
   * {@link #IPPROTO_IPV6}: path-MTU discovery, with the same values as {@link #IP_MTU_DISCOVER}.
   */
  public static final int IPV6_MTU_DISCOVER = 23;

  /** {@link #IPPROTO_IPV6}: as {@link #IP_RECVERR}. */
  public static final int IPV6_RECVERR = 25;

  /** {@link #IPPROTO_IPV6}: whether the socket is for IPv6 only. */
  public static final int IPV6_V6ONLY = 26;

  /** {@link #IPPROTO_IPV6}: whether the local address of what arrives is told. */
  public static final int IPV6_RECVPKTINFO = 49;

  /** {@link #IPPROTO_IPV6}, type of a control message: {@code struct in6_pktinfo}. */
  public static final int IPV6_PKTINFO = 50;

  /** Level of UDP options. */
  public static final int SOL_UDP = 17;

  /** {@link #SOL_UDP}: segment size for sending, as option or (16-bit) control message. */
  public static final int UDP_SEGMENT = 103;

  /** {@link #SOL_UDP}: merge what arrives; the segment size comes as an (int) control message. */
  public static final int UDP_GRO = 104;

  /** Most segments in one send with {@link #UDP_SEGMENT}, on every kernel that has it. */
  public static final int UDP_MAX_SEGMENTS = 64;

  /** Flag of sendmsg and recvmsg: do not block. */
  public static final int MSG_DONTWAIT = 0x40;

  /** Flag of sendmsg: no SIGPIPE. */
  public static final int MSG_NOSIGNAL = 0x4000;

  /** Flag of recvmsg: descriptors that come along are closed on exec. */
  public static final int MSG_CMSG_CLOEXEC = 0x4000_0000;

  /** {@link #SOL_SOCKET}, type of a control message of a Unix-domain socket: descriptors. */
  public static final int SCM_RIGHTS = 1;

  /** Flag reported by recvmsg: the packet was longer than the buffer. */
  public static final int MSG_TRUNC = 0x20;

  /** Flag of recvmsg: take from the queue of errors. */
  public static final int MSG_ERRQUEUE = 0x2000;

  /** fcntl: get the file status flags. */
  public static final int F_GETFL = 3;

  /** fcntl: set the file status flags. */
  public static final int F_SETFL = 4;

  /** fcntl status flag: non-blocking. */
  public static final int O_NONBLOCK = 0x800;

  /** eventfd flag: non-blocking. */
  public static final int EFD_NONBLOCK = 0x800;

  /** eventfd flag: closed on exec. */
  public static final int EFD_CLOEXEC = 0x80000;

  /** poll event: readable. */
  public static final short POLLIN = 1;

  /** poll event: writable. */
  public static final short POLLOUT = 4;

  /** poll result: not an open descriptor. */
  public static final short POLLNVAL = 32;

  /**
   * struct sockaddr_in: family (2, host order), port (2, network order), address (4), 8 of padding.
   */
  public static final int SOCKADDR_IN_BYTES = 16;

  /**
   * struct sockaddr_in6: family (2), port (2, network order), flow (4), address (16), scope (4).
   */
  public static final int SOCKADDR_IN6_BYTES = 28;

  /** struct iovec: base (8), length (8). */
  public static final int IOVEC_BYTES = 16;

  /** struct msghdr. */
  public static final int MSGHDR_BYTES = 56;

  /** struct msghdr: void* name. */
  public static final int MSGHDR_NAME = 0;

  /** struct msghdr: int length of the name. */
  public static final int MSGHDR_NAMELEN = 8;

  /** struct msghdr: struct iovec*. */
  public static final int MSGHDR_IOV = 16;

  /** struct msghdr: size_t number of iovecs. */
  public static final int MSGHDR_IOVLEN = 24;

  /** struct msghdr: void* control messages. */
  public static final int MSGHDR_CONTROL = 32;

  /** struct msghdr: size_t length of the control messages. */
  public static final int MSGHDR_CONTROLLEN = 40;

  /** struct msghdr: int flags of what was received. */
  public static final int MSGHDR_FLAGS = 48;

  /** struct mmsghdr: a msghdr, then unsigned int bytes sent or received, then padding. */
  public static final int MMSGHDR_BYTES = 64;

  /** struct mmsghdr: bytes sent or received. */
  public static final int MMSGHDR_LEN = 56;

  /**
   * struct cmsghdr: size_t length with header (8), int level (4), int type (4); the data follows.
   */
  public static final int CMSGHDR_BYTES = 16;

  /** struct cmsghdr: level. */
  public static final int CMSGHDR_LEVEL = 8;

  /** struct cmsghdr: type. */
  public static final int CMSGHDR_TYPE = 12;

  /**
   * struct in_pktinfo: interface (4), local address (4), destination in the packet's header (4).
   * When sending, the local address is the source, and interface 0 leaves the way to the system.
   */
  public static final int IN_PKTINFO_BYTES = 12;

  /** struct in_pktinfo: local address. */
  public static final int IN_PKTINFO_LOCAL = 4;

  /** struct in6_pktinfo: address (16), interface (4). */
  public static final int IN6_PKTINFO_BYTES = 20;

  /** struct in6_pktinfo: interface. */
  public static final int IN6_PKTINFO_INTERFACE = 16;

  /** struct pollfd: int descriptor (4), short events (2), short returned events (2). */
  public static final int POLLFD_BYTES = 8;

  /** struct pollfd: events asked for. */
  public static final int POLLFD_EVENTS = 4;

  /** struct pollfd: events returned. */
  public static final int POLLFD_REVENTS = 6;

  private SocketAbi() {}
}

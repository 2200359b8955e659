// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/** UDP rails: Linux system calls with GSO and GRO, and portable Netty. */
module io.crosstie.transport.udp {
  requires transitive io.crosstie.transport;
  requires static transitive org.jspecify;
  requires io.netty.buffer;
  requires io.netty.common;
  requires io.netty.transport;
  requires io.netty.transport.classes.epoll;
  requires io.netty.transport.unix.common;
  requires jdk.net;

  provides io.crosstie.transport.RailDriver with
      io.crosstie.transport.udp.LinuxUdpDriver,
      io.crosstie.transport.udp.NettyUdpDriver;
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.link;

import io.crosstie.transport.linux.Libc;
import io.crosstie.transport.linux.SocketAbi;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** A connected UDP socket on loopback, without anything above it. */
final class UdpSocket implements AutoCloseable {
  /** What every subject asks for, in bytes. */
  static final int BUFFER_BYTES = 4 << 20;

  private static final int LOOPBACK = 0x7f00_0001;

  private final Libc libc = new Libc();
  private final Arena arena = Arena.ofConfined();
  private final int fd;

  UdpSocket() {
    fd = checked("socket", libc.socket(SocketAbi.AF_INET, SocketAbi.SOCK_DGRAM, 0));
    option(SocketAbi.SOL_SOCKET, SocketAbi.SO_RCVBUF, BUFFER_BYTES);
    option(SocketAbi.SOL_SOCKET, SocketAbi.SO_SNDBUF, BUFFER_BYTES);
    int unused = checked("bind", libc.bind(fd, address(0)));
  }

  private MemorySegment address(int port) {
    MemorySegment address = arena.allocate(SocketAbi.SOCKADDR_IN_BYTES, 8);
    address.set(ValueLayout.JAVA_SHORT, 0, (short) SocketAbi.AF_INET);
    address.set(ValueLayout.JAVA_SHORT, 2, Short.reverseBytes((short) port));
    address.set(ValueLayout.JAVA_INT, 4, Integer.reverseBytes(LOOPBACK));
    return address;
  }

  int fd() {
    return fd;
  }

  int port() {
    MemorySegment name = arena.allocate(SocketAbi.SOCKADDR_IN_BYTES, 8);
    int unused = checked("getsockname", libc.getsockname(fd, name));
    return Short.toUnsignedInt(Short.reverseBytes(name.get(ValueLayout.JAVA_SHORT, 2)));
  }

  void connect(int port) {
    int unused = checked("connect", libc.connect(fd, address(port)));
  }

  void option(int level, int option, int value) {
    int unused = checked("setsockopt " + option, libc.setOption(fd, level, option, value));
  }

  private static int checked(String call, int result) {
    if (result < 0) {
      throw new LinkException(call + " failed with errno " + -result);
    }
    return result;
  }

  @Override
  public void close() {
    int unused = libc.close(fd);
    arena.close();
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.lab;

import io.crosstie.transport.linux.Libc;
import io.crosstie.transport.linux.SocketAbi;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * Pings an address beside everything else, through the same queues; the other host's kernel
 * answers. Runs on the calling thread.
 */
final class Pings {
  private static final int IPPROTO_ICMP = 1;
  private static final byte ECHO_REQUEST = 8;
  private static final int BYTES = 64;
  private static final int SEQUENCE = 6;
  private static final long INTERVAL_NS = 10_000_000;

  private Pings() {}

  /** Pings for a while; round trips in milliseconds, of those that were answered within 10 ms. */
  static List<Double> roundTripsMs(String host, int count) {
    Libc libc = new Libc();
    int fd =
        libc.socket(
            SocketAbi.AF_INET,
            SocketAbi.SOCK_DGRAM | SocketAbi.SOCK_CLOEXEC | SocketAbi.SOCK_NONBLOCK,
            IPPROTO_ICMP);
    if (fd < 0) {
      throw new IllegalStateException("no socket to ping with: " + fd);
    }
    List<Double> trips = new ArrayList<>();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment address = arena.allocate(SocketAbi.SOCKADDR_IN_BYTES, 8);
      byte[] bytes = InetAddress.ofLiteral(host).getAddress();
      address.set(ValueLayout.JAVA_SHORT, 0, (short) SocketAbi.AF_INET);
      MemorySegment.copy(bytes, 0, address, ValueLayout.JAVA_BYTE, 4, bytes.length);
      int unused = libc.connect(fd, address);
      MemorySegment out = arena.allocate(BYTES, 8);
      MemorySegment in = arena.allocate(1500, 8);
      out.set(ValueLayout.JAVA_BYTE, 0, ECHO_REQUEST);
      for (short i = 0; i < count; i++) {
        out.set(ValueLayout.JAVA_SHORT, SEQUENCE, i);
        long begin = System.nanoTime();
        long sent = libc.write(fd, out, BYTES);
        while (sent > 0 && System.nanoTime() - begin < INTERVAL_NS) {
          LockSupport.parkNanos(20_000);
          if (libc.read(fd, in, 1500) > 0 && in.get(ValueLayout.JAVA_SHORT, SEQUENCE) == i) {
            trips.add((System.nanoTime() - begin) / 1e6);
            break;
          }
        }
        LockSupport.parkNanos(INTERVAL_NS - (System.nanoTime() - begin));
      }
    } finally {
      int unused = libc.close(fd);
    }
    return trips;
  }
}

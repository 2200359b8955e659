// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.launch;

import static java.lang.foreign.ValueLayout.ADDRESS_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.crosstie.transport.linux.NativeLibrary;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Looks host names up, anew each time. {@link InetAddress} remembers for ten seconds that a name is
 * unknown, and for thirty what its address was, which is wrong for names that appear late and for
 * those that move; so the C library is asked (getaddrinfo(3)), which follows /etc/hosts and
 * /etc/resolv.conf as they are now. Where native calls cannot be made, Java's answer has to do.
 */
final class Resolver {
  private static final int AF_INET = 2;
  private static final int AF_INET6 = 10;
  private static final int SOCK_STREAM = 1;

  // struct addrinfo of Linux, 64 bits
  private static final int HINTS_BYTES = 48;
  private static final int SOCKTYPE = 8;
  private static final int ADDRESS = 24;
  private static final int NEXT = 40;
  private static final int SOCKADDR_BYTES = 28; // of IPv6, the larger one
  private static final int IPV4_AT = 4;
  private static final int IPV6_AT = 8;

  /**
   * The addresses of a name, in the order of preference.
   *
   * @throws IOException if nobody knows it; says what was asked
   */
  List<InetAddress> find(String host) throws IOException {
    try {
      return List.of(InetAddress.ofLiteral(host));
    } catch (IllegalArgumentException e) {
      // it is a name
    }
    NativeLibrary c = NativeLibrary.c();
    if (c == null) {
      try {
        return List.of(InetAddress.getAllByName(host));
      } catch (UnknownHostException e) {
        throw new IOException("nobody knows the host name \"" + host + "\"", e);
      }
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment hints = arena.allocate(HINTS_BYTES, 8);
      hints.set(JAVA_INT, SOCKTYPE, SOCK_STREAM);
      MemorySegment result = arena.allocate(JAVA_LONG);
      int error =
          (int)
              c.call(
                  "getaddrinfo",
                  arena.allocateFrom(host).address(),
                  0,
                  hints.address(),
                  result.address());
      if (error != 0) {
        throw new IOException(
            "nobody knows the host name \""
                + host
                + "\" ("
                + NativeLibrary.text(c.call("gai_strerror", error))
                + ")");
      }
      long first = result.get(JAVA_LONG, 0);
      try {
        return addresses(first);
      } finally {
        long unused = c.call("freeaddrinfo", first);
      }
    }
  }

  private static List<InetAddress> addresses(long first) throws UnknownHostException {
    Set<InetAddress> found = new LinkedHashSet<>();
    for (long at = first; at != 0; ) {
      MemorySegment info = NativeLibrary.memory(at, HINTS_BYTES);
      MemorySegment address =
          NativeLibrary.memory(info.get(ADDRESS_UNALIGNED, ADDRESS).address(), SOCKADDR_BYTES);
      int family = address.get(JAVA_SHORT, 0);
      if (family == AF_INET) {
        found.add(InetAddress.getByAddress(bytes(address, IPV4_AT, 4)));
      } else if (family == AF_INET6) {
        found.add(InetAddress.getByAddress(bytes(address, IPV6_AT, 16)));
      }
      at = info.get(ADDRESS_UNALIGNED, NEXT).address();
    }
    return new ArrayList<>(found);
  }

  private static byte[] bytes(MemorySegment of, int at, int count) {
    return of.asSlice(at, count).toArray(java.lang.foreign.ValueLayout.JAVA_BYTE);
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.udp;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.crosstie.transport.linux.SocketAbi;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

/**
 * A {@code struct sockaddr_in} or {@code sockaddr_in6} as four words in native order, so that a
 * rail needs no native memory of its own and an address is copied by two or four stores.
 */
final class SockAddr {
  /** Room for either structure, in bytes. */
  static final int SLOT_BYTES = 32;

  private static final int PORT = 2;
  private static final int IPV4_ADDRESS = 4;
  private static final int IPV6_ADDRESS = 8;
  private static final int IPV6_SCOPE = 24;

  private final long word0;
  private final long word1;
  private final long word2;
  private final long word3;

  private SockAddr(MemorySegment slot, long offset) {
    word0 = slot.get(JAVA_LONG, offset);
    word1 = slot.get(JAVA_LONG, offset + 8);
    word2 = slot.get(JAVA_LONG, offset + 16);
    word3 = slot.get(JAVA_LONG, offset + 24);
  }

  static SockAddr of(InetSocketAddress address) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment slot = arena.allocate(SLOT_BYTES, 8);
      slot.set(JAVA_SHORT, 0, (short) family(address.getAddress()));
      slot.set(JAVA_SHORT, PORT, Short.reverseBytes((short) address.getPort()));
      byte[] bytes = address.getAddress().getAddress();
      if (address.getAddress() instanceof Inet6Address ipv6) {
        MemorySegment.copy(bytes, 0, slot, JAVA_BYTE, IPV6_ADDRESS, bytes.length);
        slot.set(java.lang.foreign.ValueLayout.JAVA_INT, IPV6_SCOPE, ipv6.getScopeId());
      } else {
        MemorySegment.copy(bytes, 0, slot, JAVA_BYTE, IPV4_ADDRESS, bytes.length);
      }
      return new SockAddr(slot, 0);
    }
  }

  /** Copies what the kernel wrote. */
  static SockAddr read(MemorySegment memory, long offset) {
    return new SockAddr(memory, offset);
  }

  static int family(InetAddress address) {
    return address instanceof Inet4Address ? SocketAbi.AF_INET : SocketAbi.AF_INET6;
  }

  /** Length of the structure, in bytes. */
  static int length(int family) {
    return family == SocketAbi.AF_INET ? SocketAbi.SOCKADDR_IN_BYTES : SocketAbi.SOCKADDR_IN6_BYTES;
  }

  int family() {
    return (int) (word0 & 0xffff);
  }

  /** Writes {@value #SLOT_BYTES} bytes. */
  void write(MemorySegment memory, long offset) {
    memory.set(JAVA_LONG, offset, word0);
    memory.set(JAVA_LONG, offset + 8, word1);
    if (family() != SocketAbi.AF_INET) {
      memory.set(JAVA_LONG, offset + 16, word2);
      memory.set(JAVA_LONG, offset + 24, word3);
    }
  }

  /** {@link SourceKeys} of the sender that the kernel wrote. */
  static long key(MemorySegment memory, long offset, long seed) {
    long word0 = memory.get(JAVA_LONG, offset);
    int port = Short.toUnsignedInt(Short.reverseBytes((short) (word0 >>> 16)));
    if ((word0 & 0xffff) == SocketAbi.AF_INET) {
      return SourceKeys.ipv4(Integer.reverseBytes((int) (word0 >>> 32)), port);
    }
    return SourceKeys.ipv6(
        Long.reverseBytes(memory.get(JAVA_LONG, offset + 8)),
        Long.reverseBytes(memory.get(JAVA_LONG, offset + 16)),
        port,
        (int) memory.get(JAVA_LONG, offset + IPV6_SCOPE),
        seed);
  }

  InetSocketAddress toInet() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment slot = arena.allocate(SLOT_BYTES, 8);
      write(slot, 0);
      int port = Short.toUnsignedInt(Short.reverseBytes(slot.get(JAVA_SHORT, PORT)));
      byte[] bytes = new byte[family() == SocketAbi.AF_INET ? 4 : 16];
      int start = family() == SocketAbi.AF_INET ? IPV4_ADDRESS : IPV6_ADDRESS;
      MemorySegment.copy(slot, JAVA_BYTE, start, bytes, 0, bytes.length);
      return new InetSocketAddress(inet(bytes, (int) word3), port);
    }
  }

  private static InetAddress inet(byte[] bytes, int scope) {
    try {
      return bytes.length == 4
          ? InetAddress.getByAddress(bytes)
          : Inet6Address.getByAddress(null, bytes, scope);
    } catch (UnknownHostException e) {
      throw new AssertionError(e); // only for a wrong length
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.udp;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.nio.ByteOrder;

/**
 * The 64-bit key of a sender: exact for IPv4 (48 bits of address and port), a keyed hash for IPv6,
 * whose top bit is set so that the two never meet. A hash can collide; packets are found by
 * connection id, so that a collision costs no correctness.
 */
final class SourceKeys {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private SourceKeys() {}

  static long ipv4(int address, int port) {
    return (address & 0xffff_ffffL) << 16 | port;
  }

  static long ipv6(long high, long low, int port, int scope, long seed) {
    long hash = mix(seed ^ high);
    hash = mix(hash ^ low);
    hash = mix(hash ^ (((long) scope << 16) | port));
    return hash | Long.MIN_VALUE;
  }

  static long of(InetSocketAddress address, long seed) {
    byte[] bytes = address.getAddress().getAddress();
    if (address.getAddress() instanceof Inet4Address) {
      int ip =
          bytes[0] << 24 | (bytes[1] & 0xff) << 16 | (bytes[2] & 0xff) << 8 | (bytes[3] & 0xff);
      return ipv4(ip, address.getPort());
    }
    int scope = ((Inet6Address) address.getAddress()).getScopeId();
    return ipv6(
        (long) LONG.get(bytes, 0), (long) LONG.get(bytes, 8), address.getPort(), scope, seed);
  }

  /** The finaliser of splitmix64: every bit of the input reaches every bit of the output. */
  private static long mix(long z) {
    z += 0x9e37_79b9_7f4a_7c15L;
    z = (z ^ (z >>> 30)) * 0xbf58_476d_1ce4_e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d0_49bb_1331_11ebL;
    return z ^ (z >>> 31);
  }
}

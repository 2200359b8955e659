// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class UdpAddressTest {

  @ParameterizedTest
  @CsvSource({
    "::, [::]",
    "::1, [::1]",
    "1::, [1::]",
    "2001:db8::1, [2001:db8::1]",
    "2001:db8:0:1:1:1:1:1, [2001:db8:0:1:1:1:1:1]",
    "2001:0:0:1:0:0:0:1, [2001:0:0:1::1]",
    "2001:db8:0:0:1:0:0:1, [2001:db8::1:0:0:1]",
    "FD00::ABCD, [fd00::abcd]",
    "198.18.1.1, 198.18.1.1",
  })
  void oneTextPerAddress(String written, String canonical) {
    InetSocketAddress address = new InetSocketAddress(InetAddress.ofLiteral(written), 7400);
    assertEquals("udp://" + canonical + ":7400", UdpAddress.text(address));
  }

  @Test
  void literalsAreToldFromNames() {
    assertNull(UdpAddress.literal("node7"));
    assertNull(UdpAddress.literal("198.18.1.300"));
    assertEquals("198.18.1.3", UdpAddress.hostText(UdpAddress.literal("198.18.1.3")));
  }

  @Test
  void keysOfIpv4AreExactAndNeverThoseOfIpv6() {
    InetSocketAddress ipv4 = new InetSocketAddress(InetAddress.ofLiteral("255.1.2.3"), 65535);
    assertEquals(0xff01_0203_ffffL, SourceKeys.of(ipv4, 99));
    InetSocketAddress ipv6 = new InetSocketAddress(InetAddress.ofLiteral("fd00::1"), 7400);
    assertTrue(SourceKeys.of(ipv6, 99) < 0);
    assertNotEquals(SourceKeys.of(ipv6, 99), SourceKeys.of(ipv6, 100), "it is keyed");
    Set<Long> keys = new HashSet<>();
    for (int port = 1; port < 20_000; port++) {
      keys.add(SourceKeys.of(new InetSocketAddress(ipv6.getAddress(), port), 7));
    }
    assertEquals(19_999, keys.size());
  }

  @Test
  void socketAddressesSurviveTheKernelsForm() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment slot = arena.allocate(SockAddr.SLOT_BYTES, 8);
      for (String host : new String[] {"198.18.1.1", "fd00::1234", "fe80::1"}) {
        InetSocketAddress address = new InetSocketAddress(InetAddress.ofLiteral(host), 7400);
        SockAddr.of(address).write(slot, 0);
        assertEquals(address, SockAddr.read(slot, 0).toInet());
        assertEquals(SourceKeys.of(address, 5), SockAddr.key(slot, 0, 5));
      }
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class NetworkTest {
  @Test
  void knowsItsAddresses() {
    Network network = Network.parse("rail-1=198.18.11.0/23");
    assertEquals("rail-1", network.name());
    assertEquals("198.18.11.0/23", network.text());
    assertTrue(network.contains(InetAddress.ofLiteral("198.18.10.255")));
    assertTrue(network.contains(InetAddress.ofLiteral("198.18.11.1")));
    assertFalse(network.contains(InetAddress.ofLiteral("198.18.12.1")));
    assertFalse(network.contains(InetAddress.ofLiteral("::1")));
    assertTrue(network.containsRail("udp://198.18.11.7:7400"));
    assertFalse(network.containsRail("udp://198.18.13.7:7400"));
    assertFalse(network.containsRail("shm:/dev/shm"));
    assertTrue(Network.parse("six=2001:db8::/32").containsRail("udp://[2001:db8::7]:7400"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "rail1",
        "=198.18.11.0/24",
        "rail1=198.18.11.0",
        "rail1=198.18.11.0/0",
        "rail1=198.18.11.0/33",
        "rail1=198.18.11.0/x",
        "rail1=example.org/24",
        "a/b=198.18.11.0/24",
        "rail 1=198.18.11.0/24",
        "../x=198.18.11.0/24"
      })
  void refusesOthers(String text) {
    assertThrows(IllegalArgumentException.class, () -> Network.parse(text));
  }
}

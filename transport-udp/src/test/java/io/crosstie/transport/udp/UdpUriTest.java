// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.udp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.testkit.Facility;
import io.crosstie.transport.PortContext;
import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailDriver;
import io.crosstie.transport.RailException;
import io.crosstie.transport.RailPort;
import io.crosstie.transport.RailUri;
import io.crosstie.transport.Station;
import io.crosstie.transport.linux.Errno;
import java.util.List;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What the URIs of UDP rails mean, and what is said about those that mean nothing. */
class UdpUriTest {

  static List<RailDriver> drivers() {
    return List.of(new LinuxUdpDriver(), new NettyUdpDriver(), new NettyUdpDriver(false));
  }

  private static RailPort open(RailDriver driver, String uri) throws RailException {
    Facility.require(driver.whyUnavailable() == null, driver.whyUnavailable());
    return driver.open(RailUri.parse(uri), new PortContext("test", 1, 2), new Station());
  }

  @Test
  void driversAreFoundAsServices() {
    Set<String> names = new TreeSet<>();
    for (RailDriver driver : ServiceLoader.load(RailDriver.class)) {
      if (driver.scheme().equals("udp")) {
        names.add(driver.name() + " " + driver.priority());
      }
    }
    assertEquals(Set.of("linux 100", "netty 50"), names);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "udp://127.0.0.1:0?colour=red          | unknown option \"colour\"; known are [advertise,",
        "udp://127.0.0.1:0?mtu=100             | mtu=100 must be a whole number from 1280",
        "udp://127.0.0.1:0?mtu=big             | mtu=big must be a whole number",
        "udp://127.0.0.1:0?rcvbuf=1            | rcvbuf=1 must be",
        "udp://127.0.0.1:0?gso=maybe           | gso=maybe must be one of auto, off",
        "udp://127.0.0.1:0?gro=on              | gro=on must be one of auto, off",
        "udp://127.0.0.1:0?driver=carrot       | driver=carrot must be one of auto, linux, netty",
        "udp://127.0.0.1:0?advertise=0.0.0.0   | no address that peers can send to",
        "udp://127.0.0.1:0?advertise=1.2.3.4:x | port \"x\" is not a number from 0 to 65535",
        "udp://127.0.0.1:70000                 | port \"70000\" is not a number from 0 to 65535",
        "udp://127.0.0.1:-1                    | port \"-1\" is not",
        "udp://127.0.0.1                       | it has no port",
        "udp:127.0.0.1:0                       | host and port follow \"//\"",
        "udp://:7400                           | it names no host",
        "udp://::1:7400                        | an IPv6 address is written in brackets",
        "udp://[::1:7400                       | bracket of the IPv6 address is not closed",
        "udp://[::1]7400                       | stands behind the bracket",
        "udp://224.0.0.1:7400                  | multicast",
        "shm:here                              | not of scheme udp",
      })
  void malformedOnesSayWhatIsWrong(String uri, String expected) {
    for (RailDriver driver : drivers()) {
      var e = assertThrows(IllegalArgumentException.class, () -> open(driver, uri));
      assertNotNull(e.getMessage());
      assertTrue(e.getMessage().contains(expected), e.getMessage());
      assertTrue(e.getMessage().contains(uri), e.getMessage());
    }
  }

  @ParameterizedTest
  @MethodSource("drivers")
  void anUnknownHostIsSaid(RailDriver driver) {
    var e = assertThrows(RailException.class, () -> open(driver, "udp://no-such.invalid:7400"));
    assertTrue(e.getMessage().contains("\"no-such.invalid\" is unknown"), e.getMessage());
    var f =
        assertThrows(
            RailException.class,
            () -> open(driver, "udp://127.0.0.1:0?advertise=no-such.invalid:7400"));
    assertTrue(f.getMessage().contains("advertise=no-such.invalid"), f.getMessage());
  }

  @ParameterizedTest
  @MethodSource("drivers")
  void anAddressOfAnotherMachineIsSaid(RailDriver driver) {
    var e = assertThrows(RailException.class, () -> open(driver, "udp://198.51.100.77:7400"));
    assertEquals(Errno.EADDRNOTAVAIL, e.errno(), e.getMessage());
    assertTrue(e.getMessage().contains("198.51.100.77 is not an address of this machine"));
    assertTrue(e.getMessage().contains("EADDRNOTAVAIL"), e.getMessage());
    assertTrue(e.getMessage().contains("127.0.0.1"), "what it has: " + e.getMessage());
    assertTrue(e.getMessage().contains("advertise="), e.getMessage());
  }

  @ParameterizedTest
  @MethodSource("drivers")
  void aPortIsNeverShared(RailDriver driver) throws Exception {
    for (RailDriver second : drivers()) {
      Facility.require(second.whyUnavailable() == null, second.whyUnavailable());
      try (RailPort port = open(driver, "udp://127.0.0.1:0")) {
        String address = port.localAddress().text();
        var e = assertThrows(RailException.class, () -> open(second, address));
        assertEquals(Errno.EADDRINUSE, e.errno(), e.getMessage());
        assertTrue(e.getMessage().contains("is taken by another socket"), e.getMessage());
        assertTrue(e.getMessage().contains("EADDRINUSE"), e.getMessage());
        assertTrue(e.getMessage().contains("port 0"), e.getMessage());
        assertTrue(e.getMessage().contains(address), e.getMessage());
      }
    }
  }

  @ParameterizedTest
  @MethodSource("drivers")
  void theWrongDriverIsSaid(RailDriver driver) {
    String other = driver.name().equals("netty") ? "linux" : "netty";
    assertThrows(
        IllegalArgumentException.class, () -> open(driver, "udp://127.0.0.1:0?driver=" + other));
  }

  @ParameterizedTest
  @MethodSource("drivers")
  void sizesFollowTheMtu(RailDriver driver) throws Exception {
    try (RailPort port = open(driver, "udp://127.0.0.1:0?mtu=1500")) {
      assertEquals(1472, port.connect(new RailAddress("udp://127.0.0.1:9")).maxPacketLength());
    }
    try (RailPort port = open(driver, "udp://127.0.0.1:0")) {
      assertEquals(65507, port.connect(new RailAddress("udp://127.0.0.1:9")).maxPacketLength());
    }
  }

  @ParameterizedTest
  @MethodSource("drivers")
  void whatPeersAreToldCanBeGiven(RailDriver driver) throws Exception {
    try (RailPort port = open(driver, "udp://0.0.0.0:0?advertise=198.18.1.1:7400")) {
      assertEquals("udp://198.18.1.1:7400", port.localAddress().text());
    }
    try (RailPort port = open(driver, "udp://127.0.0.1:0?advertise=198.18.1.1")) {
      assertTrue(port.localAddress().text().matches("udp://198\\.18\\.1\\.1:[1-9][0-9]*"));
    }
  }

  @ParameterizedTest
  @MethodSource("drivers")
  void aWildcardTellsAnAddressOfItsOwn(RailDriver driver) throws Exception {
    try (RailPort port = open(driver, "udp://0.0.0.0:0")) {
      String text = port.localAddress().text();
      assertFalse(text.contains("0.0.0.0"), text);
      assertNull(port.whyUnreachable(new RailAddress("udp://127.0.0.1:9")));
    }
  }

  @ParameterizedTest
  @MethodSource("drivers")
  void hostNamesAreResolved(RailDriver driver) throws Exception {
    try (RailPort port = open(driver, "udp://localhost:0")) {
      assertInstanceOf(RailAddress.class, port.localAddress());
      assertFalse(port.localAddress().text().contains("localhost"));
    }
  }

  @ParameterizedTest
  @MethodSource("drivers")
  void aNameIsLookedUpOnlyByWhoAsksForThat(RailDriver driver) throws Exception {
    RailAddress name = new RailAddress("udp://localhost:9");
    assertTrue(driver.namesHost(name));
    List<RailAddress> found = driver.lookUp(name);
    assertFalse(found.isEmpty());
    for (RailAddress address : found) {
      assertFalse(driver.namesHost(address), address.text());
      assertTrue(address.text().endsWith(":9"), address.text());
    }
    for (String number : List.of("udp://127.0.0.1:9", "udp://[::1]:9", "udp:nonsense", "shm:/x")) {
      assertFalse(driver.namesHost(new RailAddress(number)), number);
    }
  }

  @ParameterizedTest
  @MethodSource("drivers")
  void unreachableAddressesSayWhy(RailDriver driver) throws Exception {
    try (RailPort port = open(driver, "udp://127.0.0.1:0")) {
      for (String remote :
          List.of(
              "udp://[::1]:9",
              "udp://127.0.0.1:0",
              "udp://0.0.0.0:9",
              "udp://198.18.1.1:9",
              "udp://224.0.0.1:9",
              "udp://127.0.0.1",
              "udp:nonsense",
              "shm:/x")) {
        RailAddress address = new RailAddress(remote);
        String why = port.whyUnreachable(address);
        assertNotNull(why, remote);
        assertFalse(why.isBlank());
        assertThrows(RailException.class, () -> port.connect(address));
      }
      // R37: nothing is looked up that a peer may have told
      RailAddress name = new RailAddress("udp://localhost:9");
      assertNotNull(port.whyUnreachable(name));
      RailException refused = assertThrows(RailException.class, () -> port.connect(name));
      assertTrue(refused.getMessage().contains("name of a host"), refused.getMessage());
    }
  }
}

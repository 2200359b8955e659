// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.multirail.config.EndpointConfig;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A configuration is right as a whole, or says what is wrong with it and what to write instead. */
final class NodeConfigTest {
  private static NodeConfigBuilder builder() {
    return without().driver(FakeDriver.udp()).driver(FakeDriver.shm());
  }

  private static NodeConfigBuilder without() {
    NodeConfigBuilder builder = NodeConfig.builder().name("a");
    builder.findDrivers = false;
    return builder;
  }

  private static void refused(NodeConfigBuilder builder, String... parts) {
    var e = assertThrows(CrosstieException.class, builder::build);
    for (String part : parts) {
      assertTrue(e.getMessage().contains(part), () -> "no \"" + part + "\" in: " + e.getMessage());
    }
  }

  @Test
  void defaults() {
    NodeConfig config = builder().build();
    assertEquals("a", config.name());
    assertEquals(-1, config.rank());
    assertEquals(List.of("shm:", "udp://127.0.0.1:0"), config.rails());
    assertTrue(config.hasDefaultRails());
    assertFalse(config.progress().isCaller());
    assertEquals("ect", config.scheduler());
    assertEquals("crc32c", config.checksum());
    assertEquals(Duration.ofSeconds(30), config.peerTimeout());
    assertTrue(config.reinjection());
    assertTrue(config.acceptUnknownPeers());
    assertTrue(config.accelerator());
    assertTrue(config.shutdownHook());
    assertEquals(77, config.core(77).incarnation());
  }

  @Test
  void everythingGiven() {
    NodeConfig config =
        builder()
            .name("sim-0")
            .rank(3)
            .rail("udp://198.18.1.1:7400?driver=linux&weight=3&mtu=1500")
            .rail("shm:")
            .peer("sim-1", "udp://198.18.1.2:7400")
            .peer("sim-1", "udp://198.18.2.2:7400", "udp://198.18.1.2:7400")
            .peer("sim-2")
            .progress(Progress.caller(Idle.spin()))
            .scheduler("weighted")
            .checksum("adler32")
            .maxMessageBytes(1 << 20)
            .largePoolBytes(1 << 20)
            .peerTimeout(Duration.ofSeconds(2))
            .reinjection(false)
            .acceptUnknownPeers(false)
            .shutdownHook(false)
            .build();
    RailSpec udp = config.railSpecs().getFirst();
    assertEquals(3, udp.weight());
    assertEquals("linux", udp.driver());
    assertEquals("udp://198.18.1.1:7400?mtu=1500", udp.forDriver().toString());
    assertEquals("udp://198.18.1.1:7400?driver=linux&weight=3&mtu=1500", config.rails().getFirst());
    assertEquals(
        List.of(new NodeAddress("udp://198.18.1.2:7400"), new NodeAddress("udp://198.18.2.2:7400")),
        config.peers().get("sim-1"));
    assertEquals(List.of(), config.peers().get("sim-2"));
    assertEquals("adler32", config.checksum());
    assertEquals(2_000_000_000L, config.core(1).peerTimeoutNs());
    assertFalse(config.core(1).reinjection());
  }

  @Test
  void nameIsNeeded() {
    refused(NodeConfig.builder(), "name is \"\"", "1 to 64 bytes", "name(...)");
    refused(builder().name("é".repeat(33)), "66 bytes");
    refused(builder().name("a\nb"), "control characters");
    refused(builder().name("  "), "blank");
  }

  /** The rule itself is that of the wire: NodeNameTest. */
  @Test
  void whatCannotBeSeenInANameIsNamed() {
    refused(builder().name("\uFEFFnode"), "name is \"<U+FEFF>node\"", "position 1 is U+FEFF");
    refused(builder().name("no\u200Bde"), "name is", "position 3 is U+200B", "ZERO WIDTH SPACE");
    refused(builder().name("a\u2028x"), "name is", "position 2 is U+2028");
    refused(builder().name("a\uD800"), "name is", "position 2 is U+D800");
    refused(builder().name("e\u0301"), "name is", "NFC");
    refused(
        builder().peer("b\u200B", "udp://127.0.0.1:1"),
        "the peer's name is",
        "position 2 is U+200B");
    refused(builder().peer("\u202Eb"), "the peer's name is", "position 1 is U+202E");
  }

  @Test
  void railIsMalformed() {
    refused(builder().rail("198.18.1.1"), "no scheme", "udp://198.18.1.1:7400");
    refused(builder().rail("udp://h:1?mtu"), "not key=value");
    refused(builder().rail("udp://h:1?weight=0"), "weight=0", "1 to 1000");
    refused(builder().rail("udp://h:1?thread=mine"), "thread=mine", "inline or own");
    refused(builder().rail("udp://h:1?thread=own"), "thread=own", "driver=linux");
  }

  @Test
  void railHasUnknownSchemeOrDriver() {
    refused(builder().rail("rdma://h:1"), "\"rdma\"", "shm: (shm), udp: (linux)");
    refused(builder().rail("udp://h:1?driver=dpdk"), "driver=dpdk", "auto, linux");
  }

  @Test
  void noTransportAtAll() {
    refused(without(), "shm:", "io.crosstie:crosstie");
    refused(without().rail("udp://h:1"), "io.crosstie:crosstie");
  }

  @Test
  void driverDoesNotWorkHere() {
    refused(
        without()
            .driver(new FakeDriver("udp", "linux", 9, "native access is denied; add a flag"))
            .rail("udp://h:1?driver=linux"),
        "driver=linux does not work here",
        "add a flag",
        "leave out");
  }

  @Test
  void railStandsTwice() {
    refused(builder().rail("udp://h:1").rail("udp://h:1?weight=2"), "udp://h:1", "twice");
    assertEquals(2, builder().rail("udp://h:0").rail("udp://h:0").build().rails().size());
  }

  @Test
  void seedIsWrong() {
    refused(builder().peer("b", "198.18.1.2"), "seed \"198.18.1.2\"", "udp://198.18.1.2:7400");
    refused(builder().peer("b", "198.18.1.2:7400"), "no driver", "udp://198.18.1.2:7400");
    refused(builder().peer("b", "rdma://x:1"), "rdma", "udp: (linux)");
    refused(builder().peer("b", "udp://127.0.0.1:1?mtu=9"), "no options");
    refused(builder().rail("shm:").peer("b", "udp://h:1"), "no rail of scheme udp", "rail(\"udp:");
    refused(builder().peer("b", "udp://198.18.1.2:1"), "another host", "rail(\"udp://0.0.0.0:0\")");
    refused(builder().peer("a", "udp://127.0.0.1:1"), "own name");
  }

  @Test
  void numbersOutOfRange() {
    refused(builder().rank(-2), "rank is -2");
    refused(builder().maxMessageBytes(-1), "maxMessageBytes is -1");
    refused(builder().maxMessageBytes(0), "maxMessageBytes is 0", "from 1");
    refused(builder().maxMessageBytes(2L << 30), "largePoolBytes is 1073741824", "from 2147483648");
    refused(builder().channelWindowBytes(1000), "channelWindowBytes", "131072");
    refused(builder().sendLogBytes(1000), "sendLogBytes");
    refused(builder().sendLogBytes(3 << 20), "power of two", "2097152");
    refused(builder().maxMessageBytes(700 << 20).largePoolBytes(800 << 20), "from 1073741824");
    refused(builder().maxConnections(0), "maxConnections is 0");
    refused(builder().peerTimeout(Duration.ofMillis(1)), "peerTimeout is 1 ms", "100 ms");
    refused(
        builder().peerTimeout(Duration.ofSeconds(1)).downAfter(Duration.ofSeconds(2)),
        "downAfter 2 s",
        "raise peerTimeout");
    refused(builder().closeLinger(Duration.ofSeconds(-1)), "closeLinger is -1 s");
  }

  /** What nobody set follows from what the JVM has, and one setting from the other. */
  @Test
  void memoryByDefault() {
    long jvm = JvmMemory.bytes();
    assertTrue(jvm > 0 && jvm <= Runtime.getRuntime().maxMemory());
    EndpointConfig byDefault = builder().build().core(1);
    assertTrue(byDefault.memoryBytes() <= Math.max(2 << 20, jvm / 4));
    assertTrue(byDefault.largePoolBytes() <= Math.max(1 << 20, jvm / 2));
    assertTrue(byDefault.maxMessageBytes() <= byDefault.largePoolBytes() / 2);
    EndpointConfig small = builder().largePoolBytes(3 << 20).build().core(1);
    assertEquals(1 << 20, small.maxMessageBytes());
    assertEquals(2L << 20, builder().memoryBytes(2 << 20).build().core(1).memoryBytes());
    refused(builder().memoryBytes(1 << 20), "memoryBytes is 1048576", "from 2097152");
    assertEquals(64L << 20, JvmMemory.parse("64m"));
    assertEquals(3L << 30, JvmMemory.parse("3G"));
    assertEquals(1000, JvmMemory.parse("1000"));
    assertEquals(0, JvmMemory.parse("m"));
  }

  @Test
  void namesToChooseFrom() {
    refused(builder().scheduler("fastest"), "ect, weighted, min-rtt, primary-backup, redundant");
    refused(builder().checksum("md5"), "crc32c", "adler32");
  }
}

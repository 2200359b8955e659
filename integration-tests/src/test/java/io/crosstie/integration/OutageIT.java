// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.testkit.Facility;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Processes that stop for a while and networks that do: nobody is blamed, nothing is lost. */
final class OutageIT extends ProcessScene {
  @ParameterizedTest
  @ValueSource(strings = {"sender", "receiver"})
  void stoppedForThreeSeconds(String which) {
    Facility.TIME.require("three seconds of stop");
    String rails = TWO_UDP_RAILS + " rail=shm:" + PATIENT;
    WorkerProcess b = node("b", rails);
    WorkerProcess a = node("a", rails + " peer=b@" + address(b, 0));
    a.awaitUp("b");
    b.awaitUp("a");
    a.awaitActiveRails("b", 3);
    b.awaitActiveRails("a", 3);
    b.ask("sink s peer=a");
    a.ask("source s peer=b sizes=24-20000");
    awaitReceived(b, "s", 500);
    WorkerProcess stopped = which.equals("sender") ? a : b;
    stopped.signal("STOP");
    Await.pass(Duration.ofSeconds(3));
    stopped.signal("CONT");
    long before = b.number("s", "received");
    awaitReceived(b, "s", before + 2000);
    a.ask("pause s");
    long sent = a.number("s", "next");
    awaitReceived(b, "s", sent);
    assertEquals(sent, b.number("s", "received"));
    assertEquals(0, a.railSum("b", "FAILOVERS"), () -> a.describe("b"));
    assertEquals(0, b.railSum("a", "FAILOVERS"), () -> b.describe("a"));
    assertEquals(0, a.events("PeerLost").size() + b.events("PeerLost").size());
    assertTrue(
        WorkerProcess.counter(stopped.ask("node"), "SELF_PAUSES") > 0,
        () -> "it has not noticed its own pause: " + stopped.ask("node"));
  }

  @Test
  void allRailsGoneForTenSecondsThenOneBack() {
    Facility.TIME.require("ten seconds without a rail");
    WorkerProcess b = node("b", TWO_UDP_RAILS);
    WorkerProcess a = node("a", TWO_UDP_RAILS + " peer=b@" + address(b, 0));
    awaitStream(a, b);
    assertTrue(a.ask("deaf all").get("sockets").getAsInt() >= 2);
    assertTrue(b.ask("deaf all").get("sockets").getAsInt() >= 2);
    Await.pass(Duration.ofSeconds(10));
    long before = b.number("s", "received");
    assertEquals("UP", a.state("b"));
    assertEquals("UP", b.state("a"));
    a.ask("heal " + port(address(a, 1)));
    b.ask("heal " + port(address(b, 1)));
    awaitReceived(b, "s", before + 2000);
    a.ask("pause s");
    long sent = a.number("s", "next");
    awaitReceived(b, "s", sent);
    assertEquals(sent, b.number("s", "received"));
    a.ask("heal all");
    b.ask("heal all");
    a.awaitActiveRails("b", 2);
    b.awaitActiveRails("a", 2);
    assertEquals(0, a.events("PeerLost").size() + b.events("PeerLost").size());
  }

  @Test
  void oneRailGoneFailsOverAndBack() {
    WorkerProcess b = node("b", TWO_UDP_RAILS);
    WorkerProcess a = node("a", TWO_UDP_RAILS + " peer=b@" + address(b, 0));
    a.awaitUp("b");
    b.awaitUp("a");
    a.awaitActiveRails("b", 2);
    b.ask("sink s peer=a");
    a.ask("source s peer=b sizes=24-20000");
    awaitReceived(b, "s", 500);
    a.ask("deaf " + port(address(a, 0)));
    b.ask("deaf " + port(address(b, 0)));
    Await.until(() -> a.railSum("b", "FAILOVERS") >= 1, () -> "no failover: " + a.describe("b"));
    awaitReceived(b, "s", b.number("s", "received") + 2000);
    a.ask("heal all");
    b.ask("heal all");
    a.awaitActiveRails("b", 2);
    a.ask("pause s");
    awaitReceived(b, "s", a.number("s", "next"));
    awaitAccepted(a, "s");
    Await.until( // one may go and come back at any time
        () -> a.railSum("b", "FAILOVERS") == a.railSum("b", "FAILBACKS"),
        () -> "not all have come back: " + a.describe("b"));
  }

  /** The peer is lost meanwhile; when the process goes on, both find each other anew. */
  @Test
  void stoppedForLongerThanThePeerTimeout() {
    Facility.TIME.require("a stop longer than the peer timeout");
    WorkerProcess b = node("b", TWO_UDP_RAILS);
    WorkerProcess a = node("a", TWO_UDP_RAILS + " peerTimeoutMs=6000 peer=b@" + address(b, 0));
    a.awaitUp("b");
    b.awaitUp("a");
    b.ask("sink s peer=a");
    a.ask("source s peer=b sizes=24-20000");
    awaitReceived(b, "s", 500);
    b.signal("STOP");
    a.awaitEvent("PeerLost");
    b.signal("CONT");
    Await.until(
        () -> a.ask("task s").get("status").getAsString().equals("PEER_LOST"),
        () -> "the old channel answers " + a.ask("task s"));
    a.awaitUp("b");
    a.ask("source again peer=b seed=2 end=1000");
    Await.until(() -> !b.events("PeerLost").isEmpty(), () -> "b is not told: " + b.describe("a"));
    assertSound(b, "s");
    b.awaitUp("a");
    b.ask("sink again peer=a");
    awaitReceived(b, "again", 1000);
    awaitAccepted(a, "again");
    assertSound(b, "s");
    assertEquals(
        b.number("s", "received") + 1000, b.number("again", "distinct"), () -> b.describe("a"));
  }
}

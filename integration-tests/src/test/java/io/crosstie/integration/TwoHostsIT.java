// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonElement;
import io.crosstie.testkit.Facility;
import io.crosstie.testkit.process.Namespaces;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Two hosts in network namespaces, joined by a cable. */
final class TwoHostsIT extends ProcessScene {
  private static final String NAME = "it" + ProcessHandle.current().pid();

  private static Namespaces hosts() {
    Namespaces hosts = new Namespaces(NAME);
    hosts.join("r1", "198.18.77.1/24", "198.18.77.2/24");
    return hosts;
  }

  private WorkerProcess inside(String space, String name) {
    List<String> options = new java.util.ArrayList<>(WorkerProcess.SMALL);
    options.addAll(WorkerProcess.NATIVE);
    return keep(
        WorkerProcess.startCommand(name, Namespaces.on(space), options, Worker.class.getName()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"linux", "netty"})
  void mtuSmallerThanConfigured(String driver) throws Exception {
    Facility.TIME.require("a small MTU");
    Facility.NETWORKS.require("an MTU smaller than configured, driver=" + driver);
    try (Namespaces hosts = hosts()) {
      try {
        String options = ":7400?mtu=9000&driver=" + driver;
        WorkerProcess b = inside(hosts.b(), "b");
        List<String> unused = startNode(b, "rail=udp://198.18.77.2" + options + PATIENT);
        WorkerProcess a = inside(hosts.a(), "a");
        unused =
            startNode(
                a, "rail=udp://198.18.77.1" + options + " peer=b@udp://198.18.77.2:7400" + PATIENT);
        a.awaitUp("b");
        b.awaitUp("a");
        b.ask("sink small peer=a");
        b.ask("sink large peer=a channel=2");
        a.ask("source small peer=b end=2000");
        a.ask("source large peer=b channel=2 seed=2 end=10 sizes=1000000-2000000");
        awaitReceived(b, "small", 2000);
        awaitReceived(b, "large", 10);
        awaitAccepted(a, "small");
        awaitAccepted(a, "large");
        for (JsonElement rail : a.rails("b")) {
          long size = WorkerProcess.counter(rail.getAsJsonObject(), "PACKET_SIZE");
          assertTrue(size >= 1200 && size <= 1472, () -> a.describe("b"));
        }
        assertEquals(0, a.railSum("b", "FAILOVERS"), () -> a.describe("b"));
      } finally {
        endProcesses();
      }
    }
  }

  @Test
  void cableOutAndIn() throws Exception {
    Facility.NETWORKS.require("a cable that is pulled");
    try (Namespaces hosts = hosts()) {
      try {
        WorkerProcess b = inside(hosts.b(), "b");
        List<String> unused = startNode(b, "rail=udp://198.18.77.2:7400");
        WorkerProcess a = inside(hosts.a(), "a");
        unused = startNode(a, "rail=udp://198.18.77.1:7400 peer=b@udp://198.18.77.2:7400");
        a.awaitUp("b");
        b.awaitUp("a");
        b.ask("sink s peer=a");
        a.ask("source s peer=b");
        awaitReceived(b, "s", 500);
        Facility.run("ip", "-n", hosts.a(), "link", "set", "r1", "down");
        Await.pass(java.time.Duration.ofSeconds(2));
        Facility.run("ip", "-n", hosts.a(), "link", "set", "r1", "up");
        awaitReceived(b, "s", b.number("s", "received") + 1000);
        a.ask("pause s");
        awaitReceived(b, "s", a.number("s", "next"));
        awaitAccepted(a, "s");
        assertEquals("UP", b.state("a"));
      } finally {
        endProcesses();
      }
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonElement;
import io.crosstie.testkit.Facility;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Two hosts in network namespaces, joined by a cable. */
final class TwoHostsIT extends ProcessScene {
  private static final String NAME = "it" + ProcessHandle.current().pid();
  private static final String A = NAME + "a";
  private static final String B = NAME + "b";

  /** Two namespaces and a pair of interfaces, which go with them. */
  private static final class Cable implements AutoCloseable {
    Cable(int mtu) throws IOException, InterruptedException {
      Facility.run("ip", "netns", "add", A);
      try {
        Facility.run("ip", "netns", "add", B);
        Facility.run(
            "ip", "link", "add", "r1", "netns", A, "type", "veth", "peer", "name", "r1", "netns",
            B);
        end(A, "198.18.77.1/24", mtu);
        end(B, "198.18.77.2/24", mtu);
      } catch (IOException e) {
        close();
        throw e;
      }
    }

    private static void end(String space, String address, int mtu)
        throws IOException, InterruptedException {
      Facility.run("ip", "-n", space, "addr", "add", address, "dev", "r1");
      Facility.run("ip", "-n", space, "link", "set", "r1", "mtu", Integer.toString(mtu));
      Facility.run("ip", "-n", space, "link", "set", "r1", "up");
      Facility.run("ip", "-n", space, "link", "set", "lo", "up");
    }

    @Override
    public void close() throws IOException, InterruptedException {
      for (String space : List.of(A, B)) {
        try {
          Facility.run("ip", "netns", "delete", space);
        } catch (IOException e) {
          System.err.println(e.getMessage());
        }
      }
    }
  }

  private WorkerProcess inside(String space, String name) {
    List<String> options = new java.util.ArrayList<>(WorkerProcess.SMALL);
    options.addAll(WorkerProcess.NATIVE);
    return keep(
        WorkerProcess.startCommand(
            name, List.of("ip", "netns", "exec", space), options, Worker.class.getName()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"linux", "netty"})
  void mtuSmallerThanConfigured(String driver) throws Exception {
    Facility.NETWORKS.require("an MTU smaller than configured, driver=" + driver);
    try (Cable cable = new Cable(1500)) {
      try {
        String options = ":7400?mtu=9000&driver=" + driver;
        WorkerProcess b = inside(B, "b");
        List<String> unused = startNode(b, "rail=udp://198.18.77.2" + options);
        WorkerProcess a = inside(A, "a");
        unused =
            startNode(a, "rail=udp://198.18.77.1" + options + " peer=b@udp://198.18.77.2:7400");
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
    try (Cable cable = new Cable(1500)) {
      try {
        WorkerProcess b = inside(B, "b");
        List<String> unused = startNode(b, "rail=udp://198.18.77.2:7400");
        WorkerProcess a = inside(A, "a");
        unused = startNode(a, "rail=udp://198.18.77.1:7400 peer=b@udp://198.18.77.2:7400");
        a.awaitUp("b");
        b.awaitUp("a");
        b.ask("sink s peer=a");
        a.ask("source s peer=b");
        awaitReceived(b, "s", 500);
        Facility.run("ip", "-n", A, "link", "set", "r1", "down");
        Await.pass(java.time.Duration.ofSeconds(2));
        Facility.run("ip", "-n", A, "link", "set", "r1", "up");
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

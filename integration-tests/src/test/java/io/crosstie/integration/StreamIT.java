// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.crosstie.testkit.Facility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages between two processes, over rails of each kind. */
final class StreamIT extends ProcessScene {
  /** The rails of a, the rails of b, and how many pairs of them come up. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "udp://127.0.0.1:0 | udp://127.0.0.1:0 | 1",
        "shm: | shm: | 1",
        "shm:?copy=cma | shm:?copy=cma | 1",
        "shm:?memory=file | shm: | 1",
        "shm: | shm:?sockets=nio | 1",
        "shm: udp://127.0.0.1:0 udp://127.0.0.2:0 | shm: udp://127.0.0.1:0 udp://127.0.0.2:0 | 3",
        "udp://[::1]:0 | udp://[::1]:0 | 1",
        "udp://localhost:0 | udp://localhost:0 | 1",
        "udp://0.0.0.0:0?advertise=127.0.0.1 | udp://0.0.0.0:0?advertise=localhost | 1",
        "udp://[::]:0?advertise=[::1] | udp://[::]:0?advertise=[::1] | 1",
        "udp://127.0.0.1:0?driver=netty | udp://127.0.0.1:0?driver=netty | 1",
        "udp://127.0.0.1:0?driver=netty | udp://127.0.0.1:0?driver=linux | 1",
      })
  void mixedSizesArrive(String scene) {
    if (!scene.startsWith("shm: udp") && !scene.startsWith("udp://127.0.0.1:0 |")) {
      Facility.TIME.require("rails of other kinds");
    }
    if (scene.contains("::")) {
      Facility.IPV6.require(scene);
    }
    String[] parts = scene.split(" \\| ", 3);
    WorkerProcess b = node("b", rails(parts[1]));
    WorkerProcess a = node("a", rails(parts[0]) + " peer=b@" + address(b, 0));
    a.awaitUp("b");
    b.awaitUp("a");
    a.awaitActiveRails("b", Integer.parseInt(parts[2]));
    b.ask("sink small peer=a channel=1");
    b.ask("sink large peer=a channel=2");
    a.ask("source small peer=b channel=1 sizes=24-3000 end=3000 seed=7");
    a.ask("source large peer=b channel=2 sizes=100000-3000000 end=8 seed=8");
    awaitReceived(b, "small", 3000);
    awaitReceived(b, "large", 8);
    awaitAccepted(a, "small");
    awaitAccepted(a, "large");
    assertEquals(3008, WorkerProcess.counter(b.ask("peer a"), "MESSAGES_IN"));
    assertEquals(
        b.number("small", "bytes") + b.number("large", "bytes"),
        WorkerProcess.counter(b.ask("peer a"), "BYTES_IN"));
    a.ask("exit");
    a.awaitExit();
    assertEquals(0, a.exitValue(), a::errors);
    b.awaitEvent("PeerClosed");
    b.ask("exit");
    b.awaitExit();
    assertEquals(0, b.exitValue(), b::errors);
  }

  private static String rails(String uris) {
    return "rail=" + uris.replace(" ", " rail=");
  }

  @Test
  void bothWaysAndBack() {
    WorkerProcess b = node("b", TWO_UDP_RAILS);
    WorkerProcess a = node("a", TWO_UDP_RAILS + " progress=caller peer=b@" + address(b, 0));
    a.awaitUp("b");
    b.awaitUp("a");
    b.ask("echo e peer=a");
    a.ask("sink back peer=b");
    a.ask("source out peer=b end=2000");
    awaitReceived(a, "back", 2000);
    awaitAccepted(a, "out");
  }
}

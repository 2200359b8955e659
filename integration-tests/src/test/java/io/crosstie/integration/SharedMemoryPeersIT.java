// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.crosstie.testkit.Facility;
import io.crosstie.testkit.process.Ports;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Peers that share memory with a node and freeze, die, or live in namespaces of their own. */
final class SharedMemoryPeersIT extends ProcessScene {
  private static final long SEED = 78;
  private static final String BOTH_SIZES = " sizes=24-150000";

  /** For a process that has to hold what it offered in several lives of a peer. */
  private static final String SMALL_SIZES = " sizes=24-5000";

  @TempDir private Path folder;

  private String rails() {
    return "rail=udp://127.0.0.1:0 rail=shm:" + folder + PATIENT;
  }

  /** What was not known to be accepted is unknown, nothing comes twice, and no file is left. */
  @Test
  void killedInMidStreamAndStartedAgain() throws IOException {
    int port = Ports.free();
    String place = "rail=udp://127.0.0.1:" + port + " rail=shm:" + folder;
    WorkerProcess b = node("b", place);
    WorkerProcess a = node("a", rails() + " peer=b@udp://127.0.0.1:" + port);
    a.awaitUp("b");
    b.awaitUp("a");
    a.awaitActiveRails("b", 2);
    b.ask("sink s peer=a");
    a.ask("source s peer=b seed=1" + BOTH_SIZES);
    awaitReceived(b, "s", 500);
    b.kill();
    WorkerProcess again = node("b", place);
    a.awaitEvent("PeerRestarted");
    again.awaitUp("a");
    a.awaitUp("b");
    Await.until(
        () -> a.ask("task s").get("status").getAsString().equals("PEER_RESTARTED"),
        () -> "the old channel still answers " + a.ask("task s"));
    JsonObject old = a.ask("task s");
    JsonObject event = a.events("PeerRestarted").getFirst();
    JsonObject unknown = event.getAsJsonArray("unknown").get(0).getAsJsonObject();
    assertEquals(old.get("accepted").getAsLong() + 1, unknown.get("first").getAsLong());
    assertEquals(old.get("next").getAsLong(), unknown.get("last").getAsLong());
    a.ask("pause s");
    a.awaitActiveRails("b", 2);
    again.ask("sink s peer=a");
    a.ask("source s2 peer=b seed=2 end=1000" + BOTH_SIZES);
    awaitReceived(again, "s", 1000);
    awaitAccepted(a, "s2");
    JsonObject state = again.ask("task s");
    assertEquals(1000, state.get("received").getAsLong(), state::toString);
    assertEquals(1000, state.get("distinct").getAsLong(), state::toString);
    a.ask("exit");
    again.ask("exit");
    a.awaitExit();
    again.awaitExit();
    try (Stream<Path> left = Files.walk(folder)) {
      assertEquals(List.of(folder), left.toList());
    }
  }

  /** Neither waits for the other, and nobody loses a rail for it. */
  @Test
  void frozenPeerHoldsUpNobodyElse() {
    Facility.TIME.require("a frozen peer");
    WorkerProcess b = node("b", rails());
    String peer = " peer=b@" + address(b, 0);
    WorkerProcess a = node("a", rails() + peer);
    WorkerProcess c = node("c", rails() + peer);
    for (WorkerProcess other : List.of(a, c)) {
      other.awaitUp("b");
      b.awaitUp(other.name());
      other.awaitActiveRails("b", 2);
      b.awaitActiveRails(other.name(), 2);
      b.ask("sink from-" + other.name() + " peer=" + other.name());
      b.ask("source to-" + other.name() + " peer=" + other.name() + " seed=" + other.pid());
      other.ask("source s peer=b seed=1" + other.pid() + BOTH_SIZES);
      other.ask("sink t peer=b");
      awaitReceived(b, "from-" + other.name(), 300);
      awaitReceived(other, "t", 300);
    }
    a.signal("STOP");
    awaitReceived(b, "from-c", b.number("from-c", "received") + 3000);
    awaitReceived(c, "t", c.number("t", "received") + 3000);
    c.awaitActiveRails("b", 2);
    a.signal("CONT");
    awaitReceived(b, "from-a", b.number("from-a", "received") + 1000);
    awaitReceived(a, "t", a.number("t", "received") + 1000);
    assertEquals(0, c.railSum("b", "FAILOVERS"), () -> c.describe("b"));
    assertEquals(0, c.railSum("b", "RESTARTS"), () -> c.describe("b"));
  }

  /** Killed wherever it stands, in either role; each time the next one connects. */
  @ParameterizedTest
  @ValueSource(strings = {"connects", "is connected to"})
  void deathAtAnyPointCostsNobodyElse(String role) {
    Facility.TIME.require("death at any point");
    SplittableRandom random = new SplittableRandom(SEED);
    boolean connects = role.equals("connects");
    int[] ports = Ports.free(1);
    String fixed = "rail=udp://127.0.0.1:" + ports[0] + " rail=shm:" + folder;
    WorkerProcess b =
        node("b", connects ? rails() : rails() + " peer=a@udp://127.0.0.1:" + ports[0]);
    WorkerProcess c = node("c", rails() + " peer=b@" + address(b, 0));
    c.awaitUp("b");
    b.awaitUp("c");
    c.awaitActiveRails("b", 2);
    b.ask("sink from-c peer=c");
    c.ask("source s peer=b" + SMALL_SIZES);
    for (int life = 0; life < 4; life++) {
      WorkerProcess a = node("a", connects ? rails() + " peer=b@" + address(b, 0) : fixed);
      a.awaitUp("b");
      b.awaitUp("a");
      a.ask("source s peer=b seed=" + (100 + life) + SMALL_SIZES);
      a.ask("sink t peer=b");
      String incarnation = a.ask("node").get("incarnation").getAsString();
      Await.until(
          () -> b.ask("peer a").get("incarnation").getAsString().equals(incarnation),
          () -> "the new a is not known: " + b.describe("a"));
      b.ask("sink from-a" + life + " peer=a");
      b.ask("source to-a" + life + " peer=a seed=" + (200 + life) + SMALL_SIZES);
      awaitReceived(b, "from-a" + life, 1 + random.nextInt(300));
      a.kill();
      awaitReceived(b, "from-c", b.number("from-c", "received") + 300);
      assertSound(b, "from-a" + life);
    }
    assertEquals(0, c.railSum("b", "FAILOVERS"), () -> c.describe("b"));
    assertEquals(0, c.railSum("b", "RESTARTS"), () -> c.describe("b"));
    assertEquals(
        0,
        WorkerProcess.counter(b.ask("node"), "INTERNAL_ERRORS"),
        () -> b.ask("node") + b.errors());
  }

  /** Process ids, host names and what else a namespace hides mean nothing: the folder decides. */
  @Test
  void namespacesThatShareTheFolderShareMemory() {
    Facility.TIME.require("namespaces that share a folder");
    Facility.NAMESPACES.require("namespaces of one's own");
    WorkerProcess b = node("b", rails());
    WorkerProcess a = inNamespaces("a", "exec \"$@\"");
    List<String> unused = startNode(a, rails() + " peer=b@" + address(b, 0));
    a.awaitUp("b");
    b.awaitUp("a");
    a.awaitActiveRails("b", 2);
    b.ask("sink s peer=a");
    a.ask("source s peer=b end=2000" + BOTH_SIZES);
    awaitReceived(b, "s", 2000);
    awaitAccepted(a, "s");
    assertTrue(payloadBy(b, "a", "shm") > 0, () -> b.describe("a"));
    assertEquals(0, a.events("RailDeclined").size() + b.events("RailDeclined").size());
  }

  /** Each has a folder of that name, but not the same. */
  @Test
  void namespacesThatHideTheFolderAreToldApart() {
    Facility.NAMESPACES.require("namespaces of one's own");
    WorkerProcess b = node("b", rails());
    WorkerProcess a = inNamespaces("a", "mount -t tmpfs tmpfs " + folder + " && exec \"$@\"");
    List<String> unused = startNode(a, rails() + " peer=b@" + address(b, 0));
    a.awaitUp("b");
    b.awaitUp("a");
    b.ask("sink s peer=a");
    a.ask("source s peer=b end=2000" + BOTH_SIZES);
    awaitReceived(b, "s", 2000);
    awaitAccepted(a, "s");
    a.awaitActiveRails("b", 1);
    for (WorkerProcess side : List.of(a, b)) {
      List<JsonObject> declined = side.events("RailDeclined");
      assertEquals(1, declined.size(), () -> side.ask("events").toString());
      String why = declined.getFirst().get("why").getAsString();
      assertTrue(why.contains("another mount namespace (container)"), why);
    }
  }

  /** A worker with PID, mount and IPC namespaces of its own, behind some words of shell. */
  private WorkerProcess inNamespaces(String name, String shell) {
    List<String> words =
        List.of(
            "unshare",
            "--pid",
            "--fork",
            "--kill-child",
            "--mount-proc",
            "--mount",
            "--ipc",
            "sh",
            "-c",
            shell,
            "sh");
    List<String> options = new ArrayList<>(WorkerProcess.SMALL);
    options.addAll(WorkerProcess.NATIVE);
    return keep(WorkerProcess.startCommand(name, words, options, Worker.class.getName()));
  }

  private static long payloadBy(WorkerProcess worker, String peer, String scheme) {
    long bytes = 0;
    for (JsonElement rail : worker.rails(peer)) {
      JsonObject json = rail.getAsJsonObject();
      if (json.get("local").getAsString().startsWith(scheme)) {
        bytes += WorkerProcess.counter(json, "PAYLOAD_IN");
      }
    }
    return bytes;
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.crosstie.testkit.Facility;
import io.crosstie.testkit.process.Ports;
import io.crosstie.testkit.process.SharedSegment;
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

/** Shared memory that somebody else spoils, that is full, and that has to be left clean. */
final class SharedMemoryIT extends ProcessScene {
  private static final long SEED = 77;

  /** What both sides write about themselves lies before. */
  private static final long RINGS_BEGIN = 4096;

  @TempDir private Path folder;

  /** What lies in the segment is untrusted input, of which nothing may reach the application. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "garbage in sealed memory",
        "zeros in sealed memory",
        "garbage in a file",
        "zeros in a file",
        "truncated file"
      })
  void spoiledSegment(String what) throws IOException {
    Facility.TIME.require("segments that are spoiled");
    String how = what.split(" ", 2)[0];
    String memory = what.endsWith("file") ? "?memory=file" : "?memory=sealed";
    String rails = "rail=shm:" + folder + memory + " rail=udp://127.0.0.1:0";
    WorkerProcess b = node("b", rails);
    WorkerProcess a = node("a", rails + " peer=b@" + address(b, 1));
    awaitStream(a, b);
    List<SharedSegment> segments = segments(a.pid(), folder);
    assertFalse(segments.isEmpty(), "no segment is open");
    for (SharedSegment segment : segments) {
      spoil(segment, how);
    }
    awaitReceived(b, "s", b.number("s", "received") + 1000);
    // The rail comes back with a segment of its own.
    a.awaitActiveRails("b", 2);
    awaitReceived(b, "s", b.number("s", "received") + 1000);
    long noticed = a.railSum("b", "RESTARTS") + b.railSum("a", "RESTARTS");
    assertTrue(noticed > 0 || how.equals("zeros"), () -> a.describe("b") + b.describe("a"));
    a.ask("pause s");
    awaitReceived(b, "s", a.number("s", "next"));
    awaitAccepted(a, "s");
    assertEquals(a.number("s", "next"), b.number("s", "received"));
    for (WorkerProcess worker : List.of(a, b)) {
      assertEquals(
          0,
          WorkerProcess.counter(worker.ask("node"), "INTERNAL_ERRORS"),
          () -> worker.ask("node") + worker.errors());
    }
  }

  private static void spoil(SharedSegment segment, String how) throws IOException {
    switch (how) {
      case "garbage" -> segment.overwrite(0, new SplittableRandom(SEED)::nextBytes);
      case "zeros" -> segment.overwrite(0, zeros -> {});
      default -> segment.truncate(0);
    }
  }

  /**
   * Records that the peer has not taken yet are no more, and every position is sound: the peer
   * waits for them for ever, there is no room for a probe, and nothing but silence ends that rail.
   */
  @Test
  void recordsAreErased() throws IOException {
    // One that holds a part only of what may be offered: whatever was in it before, it gets full.
    String rails = "rail=shm:" + folder + "?size=64KiB rail=udp://127.0.0.1:0";
    WorkerProcess b = node("b", rails);
    WorkerProcess a = node("a", rails + " peer=b@" + address(b, 1));
    awaitStream(a, b);
    long before = claimsRefused(a);
    b.signal("STOP");
    try {
      // Nothing is taken any more, so that the source is refused at last, and for good.
      long[] last = {-1, 0};
      Await.until(
          () -> {
            JsonObject state = a.ask("task s");
            long next = state.get("next").getAsLong();
            last[1] = next == last[0] ? last[1] + 1 : 0; // each look is a turn of its engine
            last[0] = next;
            return last[1] >= 50
                && state.get("status").getAsString().equals("BACK_PRESSURED")
                && claimsRefused(a) > before
                && flight(a, "shm") > 0;
          },
          () -> "the ring is not filled: " + a.ask("task s") + a.describe("b"));
      for (SharedSegment segment : segments(a.pid(), folder)) {
        segment.overwrite(RINGS_BEGIN, zeros -> {});
      }
    } finally {
      b.signal("CONT");
    }
    Await.until(
        () -> a.railSum("b", "RESTARTS") + b.railSum("a", "RESTARTS") > 0,
        Await.PATIENCE,
        () -> "the rail was not opened anew: " + a.describe("b"));
    a.awaitActiveRails("b", 2);
    awaitReceived(b, "s", b.number("s", "received") + 1000);
    a.ask("pause s");
    awaitReceived(b, "s", a.number("s", "next"));
    assertEquals(a.number("s", "next"), b.number("s", "received"));
  }

  /** Bytes that were sent by such rails and are not known to have been taken. */
  private static long flight(WorkerProcess worker, String scheme) {
    long bytes = 0;
    for (JsonElement rail : worker.rails("b")) {
      JsonObject json = rail.getAsJsonObject();
      if (json.get("local").getAsString().startsWith(scheme)) {
        bytes += WorkerProcess.counter(json, "FLIGHT_BYTES");
      }
    }
    return bytes;
  }

  /** By the first port. */
  private static long claimsRefused(WorkerProcess worker) {
    return WorkerProcess.counter(
        worker.ask("node").getAsJsonArray("ports").get(0).getAsJsonObject(), "CLAIMS_REFUSED");
  }

  @Test
  void fullFileSystemLeavesTheOtherRails() throws Exception {
    Facility.MOUNTS.require("a file system that is full");
    Path small = Files.createDirectory(folder.resolve("small"));
    Facility.run("mount", "-t", "tmpfs", "-o", "size=32k", "tmpfs", small.toString());
    try {
      String rails = "rail=udp://127.0.0.1:0 rail=shm:" + small + "?memory=file";
      WorkerProcess b = node("b", rails);
      WorkerProcess a = node("a", rails + " peer=b@" + address(b, 0));
      a.awaitUp("b");
      b.awaitUp("a");
      b.ask("sink s peer=a");
      a.ask("source s peer=b end=1000");
      awaitReceived(b, "s", 1000);
      awaitAccepted(a, "s");
      a.awaitActiveRails("b", 1);
      a.ask("exit");
      b.ask("exit");
      a.awaitExit();
      b.awaitExit();
      assertEquals(0, a.exitValue(), a::errors);
    } finally {
      endProcesses();
      Facility.run("umount", small.toString());
    }
  }

  /** Ctrl-C. */
  @Test
  void interruptLeavesNothing() throws IOException {
    Facility.TIME.require("interrupts");
    Facility.GNU_ENV.require("an interrupt of a process that a shell has started");
    String shm = " rail=shm:" + folder;
    WorkerProcess b = interruptible("b");
    List<String> addresses = startNode(b, "rail=udp://127.0.0.1:0" + shm);
    WorkerProcess a = interruptible("a");
    int port = Ports.free(); // afterwards it is this test's again
    String own = "rail=udp://127.0.0.1:" + port;
    List<String> unused = startNode(a, own + shm + " peer=b@" + addresses.getFirst());
    a.awaitUp("b");
    b.awaitUp("a");
    a.awaitActiveRails("b", 2);
    b.ask("sink s peer=a");
    a.ask("source s peer=b");
    awaitReceived(b, "s", 500);
    a.signal("INT");
    a.awaitExit();
    assertEquals(130, a.exitValue(), a::errors);
    Await.until(
        () -> !b.events("PeerClosed").isEmpty() || !b.events("PeerLost").isEmpty(),
        () -> "b is not told: " + b.describe("a"));
    assertSound(b, "s");
    b.signal("INT");
    b.awaitExit();
    try (Stream<Path> left = Files.walk(folder)) {
      assertEquals(List.of(folder), left.toList());
    }
    try (var again = new java.net.DatagramSocket(port)) {
      assertTrue(again.isBound());
    }
  }

  /** A shell lets what it starts in the background ignore SIGINT, and children inherit that. */
  private WorkerProcess interruptible(String name) {
    List<String> options = new ArrayList<>(WorkerProcess.SMALL);
    options.addAll(WorkerProcess.NATIVE);
    return keep(
        WorkerProcess.startCommand(
            name, List.of("env", "--default-signal=INT"), options, Worker.class.getName()));
  }
}

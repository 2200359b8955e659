// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.messaging.stat.CounterFile;
import io.crosstie.messaging.stat.CounterFolder;
import io.crosstie.messaging.stat.CounterSet;
import io.crosstie.messaging.stat.CounterSnapshot;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whoever is the same user reads a node's counters from its file. */
final class CounterFileTest {
  private static final List<List<String>> SCHEMA =
      List.of(List.of("A", "B"), List.of("C"), List.of(), List.of(), List.of("D"));
  private static final int PID_AT = 8;
  private static final int REFRESH_AT = 32;

  @TempDir private Path folder;

  private static List<CounterSnapshot> of(Node node) throws IOException {
    return CounterFolder.read().stream()
        .filter(snapshot -> snapshot.pid() == ProcessHandle.current().pid())
        .filter(snapshot -> snapshot.startedMs() > 0 && snapshot.node().equals(node.name()))
        .toList();
  }

  @Test
  void aNodeWithAThreadOfItsOwnIsShownUntilItIsClosed() throws IOException {
    try (TwoNodes nodes = new TwoNodes(List.of("udp://127.0.0.1:0"), false)) {
      nodes.up();
      long unused = nodes.offer(nodes.aToB().channel(1), new byte[100]);
      CounterSnapshot[] seen = new CounterSnapshot[1];
      nodes.until(
          "the message is counted in the file",
          () -> {
            try {
              seen[0] = of(nodes.a).getFirst();
            } catch (IOException e) {
              throw new AssertionError(e);
            }
            return seen[0].sets().stream()
                .anyMatch(
                    set -> set.kind().equals("connection") && set.get("MESSAGES_ACCEPTED") == 1);
          });
      assertTrue(seen[0].alive());
      CounterSnapshot.Values rail =
          seen[0].sets().stream().filter(s -> s.kind().equals("rail")).findFirst().orElseThrow();
      assertEquals("b", rail.name().getFirst());
      assertEquals("ACTIVE", rail.name().getLast());
      assertTrue(rail.get("PACKETS_OUT") > 0);
      Node a = nodes.a;
      a.close();
      assertEquals(List.of(), of(a));
    }
  }

  @Test
  void aCallersNodeHasNoneUnlessItIsAsked() throws IOException {
    NodeConfigBuilder config = TwoNodes.config("quiet", List.of("udp://127.0.0.1:0"), true);
    try (Node node = Node.start(config.build())) {
      assertEquals(List.of(), of(node));
    }
    try (Node node = Node.start(config.statistics(true).build())) {
      assertEquals(1, of(node).size());
    }
  }

  /** What a process counted outlives it, and is swept when it is old. */
  @Test
  void theFileOutlivesACrashAndIsSwept() throws IOException {
    CounterFile file = CounterFile.create(folder, "crashed", 1, SCHEMA);
    file.refresh(
        List.of(new CounterSet(0, "crashed", i -> 10 + i), new CounterSet(4, "x\ty", i -> 7)));
    Path path = Path.of(file.toString());
    assertEquals("rw-------", permissions(path));
    CounterSnapshot alive = CounterFolder.read(folder).getFirst();
    assertTrue(alive.alive());
    poke(path, PID_AT, deadPid());
    CounterSnapshot dead = CounterFolder.read(folder).getFirst();
    assertFalse(dead.alive());
    assertEquals(11, dead.sets().getFirst().get("B"));
    assertEquals(List.of("x", "y"), dead.sets().getLast().name());
    assertEquals(7, dead.sets().getLast().get("D"));
    poke(path, REFRESH_AT, System.currentTimeMillis() - 2 * CounterFolder.KEPT.toMillis());
    assertEquals(List.of(), CounterFolder.read(folder));
    assertFalse(Files.exists(path));
  }

  /** Sets come and go; values alone are plain stores. */
  @Test
  void anotherListOfSetsIsReadAsAWhole() throws IOException {
    CounterFile file = CounterFile.create(folder, "n", 2, SCHEMA);
    for (int count = 1; count < 500; count += 37) {
      int sets = count;
      file.refresh(
          java.util.stream.IntStream.range(0, sets)
              .mapToObj(n -> new CounterSet(4, "rail " + n, i -> n))
              .toList());
      CounterSnapshot snapshot = CounterSnapshot.read(Path.of(file.toString()));
      assertNotNull(snapshot);
      int shown = snapshot.sets().size();
      assertEquals(Math.min(sets, 384), shown);
      assertEquals(shown - 1, snapshot.sets().getLast().get("D"));
    }
    file.close();
  }

  private static String permissions(Path path) throws IOException {
    return java.nio.file.attribute.PosixFilePermissions.toString(
        Files.getPosixFilePermissions(path));
  }

  /** A process that was, and is no more. */
  private static long deadPid() throws IOException {
    Process process = new ProcessBuilder("true").start();
    try {
      int unused = process.waitFor();
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
    return process.pid();
  }

  private static void poke(Path file, int at, long value) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder()).putLong(at, value);
    Files.write(file, bytes);
  }
}

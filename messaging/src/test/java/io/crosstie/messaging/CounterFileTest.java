// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.messaging.stat.CounterFile;
import io.crosstie.messaging.stat.CounterFolder;
import io.crosstie.messaging.stat.CounterSet;
import io.crosstie.messaging.stat.CounterSnapshot;
import io.crosstie.testkit.Facility;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whoever is the same user reads a node's counters from its file. */
final class CounterFileTest {
  private static final List<List<String>> SCHEMA =
      List.of(List.of("A", "B"), List.of("C"), List.of(), List.of(), List.of("D"));
  private static final int PID_AT = 8;
  private static final int REFRESH_AT = 32;

  @TempDir private Path folder;

  /** By the name of the file: other tests of this process have nodes of the same name. */
  private static List<CounterSnapshot> of(Node node) throws IOException {
    String file =
        ProcessHandle.current().pid() + "-" + Long.toHexString(node.incarnation()) + ".counters";
    List<CounterSnapshot> found =
        CounterFolder.read().stream()
            .filter(snapshot -> snapshot.path().getFileName().toString().equals(file))
            .toList();
    for (CounterSnapshot snapshot : found) {
      assertEquals(node.name(), snapshot.node());
      assertEquals(ProcessHandle.current().pid(), snapshot.pid());
      assertTrue(snapshot.startedMs() > 0);
    }
    return found;
  }

  @Test
  void twoNodesOfOneNameAreNotMistaken() throws IOException {
    NodeConfigBuilder config = TwoNodes.config("twin", List.of("udp://127.0.0.1:0"), true);
    try (Node left = Node.start(config.build());
        Node other = Node.start(config.build())) {
      awaitShown(left);
      awaitShown(other);
      left.close();
      assertEquals(List.of(), of(left));
      assertEquals(1, of(other).size());
    }
  }

  /** A link to nothing stands for a file that goes between the look and the reading. */
  @Test
  void aFileThatAnotherProcessSweepsStopsNoSweep() throws IOException {
    Path gone = folder.resolve("999999999-1.counters");
    Path unused = Files.createSymbolicLink(gone, folder.resolve("none"));
    CounterFolder.sweep(folder);
    assertEquals(List.of(), CounterFolder.read(folder));
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
              List<CounterSnapshot> shown = of(nodes.a); // its file is made beside, by a thread
              if (shown.isEmpty()) {
                return false;
              }
              seen[0] = shown.getFirst();
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
  void aCallersNodeIsShownTooUnlessItIsNotToBe() throws IOException {
    NodeConfigBuilder config = TwoNodes.config("quiet", List.of("udp://127.0.0.1:0"), true);
    try (Node left = Node.start(config.statistics(false).build());
        Node node = Node.start(config.name("shown").statistics(true).build())) {
      awaitShown(node);
      assertEquals(List.of(), of(left));
    }
  }

  /** The caller's interrupt would close the file's channel, and is not lost. */
  @Test
  void anInterruptedStartIsShownToo() throws IOException {
    NodeConfigBuilder config = TwoNodes.config("interrupted", List.of("udp://127.0.0.1:0"), true);
    Thread.currentThread().interrupt();
    try (Node node = Node.start(config.build())) {
      assertTrue(Thread.interrupted());
      awaitShown(node);
    }
  }

  private static void awaitShown(Node node) throws IOException {
    long endNs = System.nanoTime() + 60_000_000_000L;
    while (of(node).isEmpty()) {
      assertTrue(System.nanoTime() < endNs, "its file was not made within 60 s");
      node.idle();
    }
  }

  /** No folder, or none to write to: nodes work without, and the log says so once. */
  @Test
  void whatCannotBeWrittenIsToldOnceAndHarmsNobody() throws InterruptedException {
    AtomicInteger tried = new AtomicInteger();
    CounterPublisher publisher =
        new CounterPublisher(
            () -> {
              int unused = tried.incrementAndGet();
              throw new IOException("read-only");
            });
    Lines lines = new Lines();
    Logger logger = Logger.getLogger("io.crosstie");
    logger.addHandler(lines);
    try (TwoNodes nodes = new TwoNodes(List.of("udp://127.0.0.1:0"), true)) {
      publisher.add(nodes.a);
      publisher.add(nodes.b);
      nodes.until("both were tried", () -> tried.get() == 2);
      publisher.remove(nodes.b); // waits for the one that tells
      EngineLog.log(System.Logger.Level.INFO, "the end", null); // in order behind the others
      List<String> told = new ArrayList<>();
      for (String line = lines.next(); !line.equals("the end"); line = lines.next()) {
        told.add(line);
      }
      told.removeIf(line -> !line.contains("read-only"));
      assertEquals(1, told.size(), told::toString);
      assertTrue(told.getFirst().contains("works without the file of counters"));
      nodes.up();
    } finally {
      logger.removeHandler(lines);
    }
  }

  /** A folder with files of others that cannot be swept. */
  private final class Unswept implements CounterPublisher.Place {
    private final int failures;
    private final AtomicInteger sweeps = new AtomicInteger();

    Unswept(int failures) {
      this.failures = failures;
    }

    @Override
    public Path make() {
      return folder;
    }

    @Override
    public void sweep(Path in) throws IOException {
      assertEquals(folder, in);
      if (sweeps.incrementAndGet() <= failures) {
        throw new IOException("somebody else's file");
      }
    }
  }

  /** What cannot be swept is told once and tried again, and costs no node its own file. */
  @ParameterizedTest
  @CsvSource({"2, 3", "1000, 5"})
  void aSweepThatFailsLeavesNodesTheirFiles(int failures, int sweeps) throws Exception {
    Unswept place = new Unswept(failures);
    CounterPublisher publisher = new CounterPublisher(place, 1);
    Lines lines = new Lines();
    Logger logger = Logger.getLogger("io.crosstie");
    logger.addHandler(lines);
    try (TwoNodes nodes = new TwoNodes(List.of("udp://127.0.0.1:0"), true)) {
      publisher.add(nodes.a);
      nodes.until("the last sweep", () -> place.sweeps.get() == sweeps);
      for (int i = 0; i < 3; i++) { // each in another turn of the publisher's thread
        long before = refreshedMs();
        nodes.until("a refresh", () -> refreshedMs() > before);
      }
      assertEquals(sweeps, place.sweeps.get());
      publisher.remove(nodes.a);
      assertEquals(List.of(), CounterFolder.read(folder));
      EngineLog.log(System.Logger.Level.INFO, "the end", null); // in order behind the others
      int told = 0;
      for (String line = lines.next(); !line.equals("the end"); line = lines.next()) {
        assertFalse(line.contains("works without"), line);
        told += line.contains("somebody else's file") ? 1 : 0;
      }
      assertEquals(1, told);
    } finally {
      logger.removeHandler(lines);
    }
  }

  /** Of the only node in the folder; 0 as long as it has no file. */
  private long refreshedMs() {
    try {
      List<CounterSnapshot> found = CounterFolder.read(folder);
      return found.isEmpty() ? 0 : found.getFirst().refreshedMs();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aFileThatCannotBeReadIsToldAndKeepsNoOtherFromBeingSwept() throws IOException {
    List<Path> unreadable = new ArrayList<>();
    for (int n = 1; n <= 2; n++) { // the folder lists them before and behind the other, perhaps
      unreadable.add(Files.createDirectory(folder.resolve("99999999" + n + "-1.counters")));
    }
    Path stale = stale();
    assertThrows(IOException.class, () -> CounterFolder.sweep(folder));
    assertFalse(Files.exists(stale));
    for (Path directory : unreadable) {
      Files.delete(directory);
    }
    CounterFolder.sweep(folder);
  }

  /** A file that is old enough to be swept. */
  private Path stale() throws IOException {
    CounterFile file = CounterFile.create(folder, "crashed", 1, SCHEMA);
    file.refresh(sets(1));
    long pid = deadPid();
    Path path = Files.move(Path.of(file.toString()), folder.resolve(pid + "-1.counters"));
    poke(path, PID_AT, pid);
    poke(path, REFRESH_AT, System.currentTimeMillis() - 2 * CounterFolder.KEPT.toMillis());
    return path;
  }

  /** A store into a hole of a full disk would be a signal; blocks are taken by writes before. */
  @Test
  void aFullDiskIsAnExceptionAndNoFault() throws Exception {
    Facility.MOUNTS.require("a file of counters on a full disk");
    Path small = Files.createDirectory(folder.resolve("small"));
    run("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", small.toString());
    try {
      CounterFile file = CounterFile.create(small, "n", 3, SCHEMA);
      file.refresh(sets(1));
      assertThrows(IOException.class, () -> file.refresh(sets(384)));
      assertThrows(
          IOException.class,
          () -> {
            for (int n = 4; n < 100; n++) {
              CounterFile.create(small, "n", n, SCHEMA).refresh(sets(1));
            }
          });
      file.close();
    } finally {
      run("umount", "-l", small.toString());
    }
  }

  private static List<CounterSet> sets(int count) {
    return IntStream.range(0, count).mapToObj(n -> new CounterSet(4, "rail " + n, i -> n)).toList();
  }

  private static void run(String... words) throws IOException, InterruptedException {
    assertEquals(0, new ProcessBuilder(words).inheritIO().start().waitFor());
  }

  private static final class Lines extends Handler {
    private final LinkedBlockingQueue<String> lines = new LinkedBlockingQueue<>();

    String next() throws InterruptedException {
      return Objects.requireNonNull(lines.poll(60, TimeUnit.SECONDS), "no line came");
    }

    @Override
    public void publish(LogRecord line) {
      lines.add(line.getMessage());
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
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
      file.refresh(sets(sets));
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

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.testkit.Interrupts;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Threads that are interrupted, virtual, or not to be had: none of them harms a node. */
@Timeout(180)
@Isolated // it looks at all threads
final class ThreadsTest {
  private static final int MESSAGES = 100;

  @AfterEach
  void calm() {
    boolean unused = Thread.interrupted();
  }

  // ------------------------------------------------------------------ interrupts

  /** Every method on a thread with the flag set does what it does without, and the flag stays. */
  @ParameterizedTest
  @CsvSource({
    "udp://127.0.0.1:0?driver=linux, false",
    "udp://127.0.0.1:0?driver=linux, true",
    "udp://127.0.0.1:0?driver=netty, true",
    "udp://127.0.0.1:0?thread=own, true",
    "shm:FOLDER, false",
    "shm:FOLDER?memory=file, true",
    "shm:FOLDER?sockets=nio, true",
  })
  void everythingWithTheFlagSet(String rail, boolean caller, @TempDir Path folder) {
    scene(rail.replace("FOLDER", folder.toString()), caller);
  }

  /** The same by the portable drivers, where native calls are denied. */
  @Test
  void everythingWithTheFlagSetByPortableDrivers(@TempDir Path folder) throws Exception {
    List<String> command = java("--illegal-native-access=deny");
    command.addAll(List.of(Interrupted.class.getName(), folder.toString()));
    run(command);
  }

  /** The process without native calls. */
  static final class Interrupted {
    private Interrupted() {}

    public static void main(String[] args) {
      for (boolean caller : new boolean[] {false, true}) {
        scene("shm:" + args[0], caller);
        scene("udp://127.0.0.1:0", caller);
      }
      System.exit(0);
    }
  }

  private static void scene(String rail, boolean caller) {
    List<Long> got = new ArrayList<>();
    MessageHandler take =
        (message, offset, length, sequence) -> {
          got.add(sequence);
          return Channel.CONTINUE;
        };
    Node b = Node.start(TwoNodes.config("b", List.of(rail), false).build());
    try {
      flag();
      NodeConfigBuilder config = TwoNodes.config("a", List.of(rail), caller);
      b.localAddresses().forEach(address -> config.peer("b", address.text()));
      Node a = Node.start(config.build());
      flagged("start");
      a.peer("b").awaitUp(TwoNodes.PATIENCE);
      flagged("awaitUp");
      Channel out = a.peer("b").channel(1);
      while (!TwoNodes.isKnown(b, "a")) {
        b.idle();
      }
      Channel in = b.peer("a").channel(1);
      for (int i = 1; i <= MESSAGES; i++) {
        while (out.offer(new byte[100]) < 0) {
          a.idle();
        }
        int unused = out.poll(take, 1) + a.pollEvents(event -> {});
        flagged("offer, idle and poll");
      }
      out.awaitAccepted(MESSAGES, TwoNodes.PATIENCE);
      flagged("awaitAccepted");
      int added = a.addRail("udp://127.0.0.1:0");
      a.removeRail(added);
      a.setReinjection(true);
      flagged("addRail, removeRail and setReinjection");
      assertTrue(out.offer(new byte[100]) > 0);
      a.close(TwoNodes.PATIENCE); // drains first
      flagged("close");
      assertEquals(MESSAGES + 1, out.acceptedSequence(), "what was offered before the close");
      assertTrue(
          Thread.getAllStackTraces().keySet().stream()
              .noneMatch(thread -> thread.getName().equals("crosstie-a")),
          "the close has waited for the thread");
      while (got.size() <= MESSAGES && in.status() == 0) {
        b.idle(in.poll(take, 10));
      }
      int unused = in.poll(take, 1000);
      assertEquals(MESSAGES + 1, got.size());
      assertEquals(0, b.ports().stream().filter(port -> !port.open()).count());
      b.close();
      flagged("close");
    } finally {
      boolean unused = Thread.interrupted();
      b.close();
    }
  }

  private static void flag() {
    Thread.currentThread().interrupt();
  }

  private static void flagged(String after) {
    assertTrue(Thread.currentThread().isInterrupted(), "the flag is gone after " + after);
  }

  /** Interrupts at any time. */
  @ParameterizedTest
  @CsvSource({
    "udp://127.0.0.1:0?driver=netty, true",
    "shm:FOLDER?sockets=nio, true",
    "shm:FOLDER?memory=file, true",
    "udp://127.0.0.1:0?driver=linux, false",
  })
  @SuppressWarnings("try") // they come beside it
  void interruptsWithoutEnd(String rail, boolean caller, @TempDir Path folder) throws Exception {
    String uri = rail.replace("FOLDER", folder.toString());
    try (var interrupts = new Interrupts(Thread.currentThread());
        var nodes = new TwoNodes(List.of(uri), caller)) {
      nodes.up();
      Channel there = nodes.aToB().channel(1);
      Channel here = nodes.bToA().channel(1);
      for (int i = 1; i <= 200; i++) {
        assertEquals(i, nodes.offer(there, new byte[i]));
        assertEquals(i, nodes.receive(here).length);
      }
    }
  }

  // ------------------------------------------------------------------ virtual threads

  /** Two nodes, each on a virtual thread of its own, on one carrier: neither keeps it. */
  @Test
  void virtualCallersShareACarrier() throws Exception {
    List<String> command =
        java(
            "--enable-native-access=ALL-UNNAMED",
            "-Djdk.virtualThreadScheduler.parallelism=1",
            "-Djdk.virtualThreadScheduler.maxPoolSize=1");
    command.add(Virtual.class.getName());
    run(command);
  }

  /** The process with one carrier. */
  static final class Virtual {
    private Virtual() {}

    public static void main(String[] args) throws Exception {
      Node b = Node.start(TwoNodes.config("b", List.of("udp://127.0.0.1:0"), true).build());
      Node a =
          Node.start(
              TwoNodes.config("a", List.of("udp://127.0.0.1:0"), true)
                  .peer("b", b.localAddresses().getFirst().text())
                  .build());
      AtomicBoolean over = new AtomicBoolean();
      AtomicReference<Throwable> failure = new AtomicReference<>();
      Thread pong = virtual(failure, () -> pong(b, over));
      Thread ping = virtual(failure, () -> ping(a, 50));
      ping.join();
      over.set(true);
      pong.join();
      if (failure.get() != null) {
        failure.get().printStackTrace();
        System.exit(1);
      }
      assertEquals(0, a.engineCounters().get(NodeCounter.BLOCKS));
      assertEquals(0, b.engineCounters().get(NodeCounter.BLOCKS));
      System.exit(0);
    }

    private static Thread virtual(AtomicReference<Throwable> failure, Runnable work) {
      return Thread.ofVirtual()
          .start(
              () -> {
                try {
                  work.run();
                } catch (Throwable t) {
                  failure.compareAndSet(null, t);
                }
              });
    }

    private static void ping(Node node, int rounds) {
      node.peer("b").awaitUp(TwoNodes.PATIENCE);
      Channel channel = node.peer("b").channel(1);
      long answers = 0;
      for (int i = 0; i < rounds; i++) {
        assertTrue(channel.offer(new byte[10]) > 0);
        while (answers <= i) {
          int polled = channel.poll((m, o, l, s) -> Channel.CONTINUE, 1);
          answers += polled;
          node.idle(polled);
        }
      }
      node.close();
    }

    private static void pong(Node node, AtomicBoolean over) {
      while (!over.get() && !TwoNodes.isKnown(node, "a")) {
        node.idle();
      }
      Channel channel = node.peer("a").channel(1);
      MessageHandler echo =
          (m, o, l, s) -> channel.offer(m, o, l) > 0 ? Channel.CONTINUE : Channel.RETRY_LATER;
      while (!over.get()) {
        node.idle(channel.poll(echo, 1));
      }
      node.close(Duration.ZERO);
    }
  }

  // ------------------------------------------------------------------ no thread to be had

  /** In a process that can start no more threads nodes fail to start, say so, and leave nothing. */
  @Test
  void noThreadToBeHad() throws Exception {
    List<String> command = new ArrayList<>();
    command.addAll(List.of("sh", "-c", "ulimit -v 12000000 && exec \"$0\" \"$@\""));
    command.addAll(java("--enable-native-access=ALL-UNNAMED", "-Xss1g", "-Xmx64m"));
    command.add(Threadless.class.getName());
    run(command);
  }

  /** The process that can start no more threads: there is no address space for their stacks. */
  static final class Threadless {
    private Threadless() {}

    public static void main(String[] args) throws Exception {
      Node.start(config("first", Progress.thread()).statistics(false).build()).close();
      awaitNoThreads(); // all classes are loaded, and no stack is given back later
      int descriptors = descriptors();
      CountDownLatch release = new CountDownLatch(1);
      List<Thread> hogs = hog(release);
      var e =
          assertThrows(
              CrosstieException.class, () -> Node.start(config("a", Progress.thread()).build()));
      assertTrue(e.getMessage().contains("ulimit -u"), e::getMessage);
      var own =
          assertThrows(
              CrosstieException.class,
              () ->
                  Node.start(
                      TwoNodes.config("a", List.of("udp://127.0.0.1:0?thread=own"), true).build()));
      assertTrue(own.getMessage().contains("ulimit -u"), own::getMessage);
      assertEquals(descriptors, descriptors(), "nothing stays open");
      Node caller = Node.start(config("a", Progress.caller()).build());
      caller.idle();
      caller.close();
      release.countDown();
      for (Thread hog : hogs) {
        hog.join();
      }
      startSoon().close();
      System.exit(0);
    }

    /** Until the system has ended the node's threads, too. */
    @SuppressWarnings("ThreadPriorityCheck") // a yield only saves time; nothing relies on it
    private static void awaitNoThreads() throws IOException {
      long end = System.nanoTime() + TwoNodes.PATIENCE.toNanos();
      while (names().anyMatch(name -> name.startsWith("crosstie"))) {
        assertTrue(System.nanoTime() < end, "the node's threads do not end");
        Thread.yield();
      }
    }

    private static Stream<String> names() throws IOException {
      List<String> names = new ArrayList<>();
      File[] tasks = new File("/proc/self/task").listFiles();
      for (File task : tasks == null ? new File[0] : tasks) {
        try {
          names.add(Files.readString(task.toPath().resolve("comm")));
        } catch (IOException e) {
          if (task.exists()) {
            throw e;
          } // else it has ended
        }
      }
      return names.stream();
    }

    /** The system takes the stacks of threads that have ended back a little later. */
    @SuppressWarnings("ThreadPriorityCheck") // a yield only saves time; nothing relies on it
    private static Node startSoon() {
      long end = System.nanoTime() + TwoNodes.PATIENCE.toNanos();
      while (true) {
        try {
          return Node.start(config("a", Progress.thread()).build());
        } catch (CrosstieException e) {
          if (System.nanoTime() > end) {
            throw e;
          }
          Thread.yield();
        }
      }
    }

    private static NodeConfigBuilder config(String name, Progress progress) {
      return TwoNodes.config(name, List.of("udp://127.0.0.1:0"), false).progress(progress);
    }

    @SuppressWarnings("ThreadPriorityCheck") // a yield only saves time; nothing relies on it
    private static List<Thread> hog(CountDownLatch release) {
      List<Thread> hogs = new ArrayList<>();
      int failures = 0; // in a row: what ends meanwhile leaves room for one more
      while (hogs.size() < 100) {
        Thread hog =
            new Thread(
                () -> {
                  try {
                    release.await();
                  } catch (InterruptedException e) {
                    throw new AssertionError(e);
                  }
                });
        hog.setDaemon(true);
        try {
          hog.start();
          hogs.add(hog);
          failures = 0;
        } catch (OutOfMemoryError e) {
          if (++failures == 200) {
            return hogs;
          }
          Thread.yield();
        }
      }
      throw new AssertionError("there are always more threads");
    }

    private static int descriptors() {
      String[] all = new File("/proc/self/fd").list();
      return all == null ? -1 : all.length;
    }
  }

  // ------------------------------------------------------------------ processes

  private static List<String> java(String... options) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-ea", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.addAll(List.of(options));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    return command;
  }

  private static void run(List<String> command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    try {
      process.getOutputStream().close();
      String output = new String(process.getInputStream().readAllBytes(), UTF_8);
      assertEquals(0, process.waitFor(), output);
    } finally {
      process.destroyForcibly();
    }
  }
}

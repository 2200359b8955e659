// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Bad input: Ctrl-C. No file is left, and the peer is told at once. */
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT) // in processes of their own
final class ExitTest {
  /** What the process does when the signal comes. */
  enum Habit {
    /** The node has a thread. */
    THREAD,
    /** The caller's thread is inside the library again and again. */
    CALLER_AT_WORK,
    /** The caller's thread is elsewhere, and does not come back. */
    CALLER_AWAY
  }

  /** The process that ends: its habit, a folder, and the address of the peer. */
  static final class Child {
    private Child() {}

    public static void main(String[] args) {
      Habit habit = Habit.valueOf(args[0]);
      Node node =
          Node.start(
              NodeConfig.builder()
                  .name("child")
                  .rail("shm:" + args[1])
                  .rail("udp://127.0.0.1:0")
                  .peer("parent", args[2])
                  .progress(habit == Habit.THREAD ? Progress.thread() : Progress.caller())
                  .build());
      node.peer("parent").awaitUp(TwoNodes.PATIENCE);
      System.out.println("up");
      while (true) {
        if (habit == Habit.CALLER_AT_WORK) {
          node.idle();
        } else {
          LockSupport.park();
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void leavesNothingAndSaysGoodBye(Habit habit, @TempDir Path directory)
      throws IOException, InterruptedException {
    NodeConfigBuilder config =
        TwoNodes.config("parent", List.of("shm:" + directory, "udp://127.0.0.1:0"), false);
    try (Node parent = Node.start(config.build())) {
      Process child = start(habit, directory, parent.localAddresses().getLast().text());
      try (BufferedReader out =
          new BufferedReader(new InputStreamReader(child.getInputStream(), UTF_8))) {
        assertEquals("up", out.readLine());
        assertTrue(files(directory) > 1);
        child.destroy(); // SIGTERM
        assertTrue(child.waitFor(60, TimeUnit.SECONDS), "the process did not end");
      } finally {
        child.destroyForcibly();
      }
      List<NodeEvent> events = new ArrayList<>();
      long end = System.nanoTime() + TwoNodes.PATIENCE.toNanos();
      while (!events.contains(new NodeEvent.PeerClosed("child"))) {
        assertTrue(System.nanoTime() < end, events::toString);
        parent.idle(parent.pollEvents(events::add));
      }
    }
    assertEquals(0, files(directory));
    assertFalse(Files.notExists(directory));
  }

  private static Process start(Habit habit, Path directory, String address) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "--enable-native-access=ALL-UNNAMED",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            Child.class.getName(),
            habit.name(),
            directory.toString(),
            address)
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  private static int files(Path directory) throws IOException {
    try (Stream<Path> all = Files.walk(directory)) {
      return (int) all.count() - 1;
    }
  }
}

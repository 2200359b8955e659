// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.multirail.config.EndpointConfig;
import io.crosstie.testkit.Facility;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Processes with little memory: messages that nobody reads push back, and all of them arrive. */
@Timeout(300)
@Tag("R31")
@Execution(ExecutionMode.CONCURRENT) // in processes of their own
final class SmallMemoryTest {
  private static final int CHANNELS = 32;
  private static final int MESSAGES = 60;
  private static final int BYTES = 32_000;

  /** So many rounds in a row in which no channel takes anything. */
  private static final int PUSHED_BACK = 300;

  /** What a JVM takes besides heap and messages: code, classes, threads, its own tables. */
  private static final long JVM_BYTES = 120L << 20;

  private static final Path GROUPS = Path.of("/sys/fs/cgroup");

  /** A control group with a bound of memory, of either version. */
  private static final Facility GROUP =
      Facility.of(
          () -> {
            try {
              Files.delete(group("crosstie-probe-" + ProcessHandle.current().pid(), 64L << 20));
              return null;
            } catch (IOException e) {
              return "root and a memory controller of control groups needed";
            }
          });

  private static Path group(String name, long bytes) throws IOException {
    Path second = GROUPS.resolve("cgroup.controllers");
    Path parent = Files.exists(second) ? GROUPS : GROUPS.resolve("memory");
    Path group = Files.createDirectory(parent.resolve(name));
    try {
      Path limit = group.resolve(Files.exists(second) ? "memory.max" : "memory.limit_in_bytes");
      Files.writeString(limit, Long.toString(bytes));
      return group;
    } catch (IOException e) {
      Files.delete(group);
      throw e;
    }
  }

  /** The process with little memory: says its address, and polls once it is told to. */
  static final class Receiver {
    private Receiver() {}

    public static void main(String[] args) throws IOException {
      NodeConfig config =
          NodeConfig.builder().name("r").rail("udp://127.0.0.1:0").peer("s").build();
      EndpointConfig core = config.core(1);
      try (Node node = Node.start(config);
          BufferedReader in = new BufferedReader(new InputStreamReader(System.in, UTF_8))) {
        System.out.println(node.localAddresses().getFirst().text());
        System.out.println(core.memoryBytes() + " " + core.largePoolBytes());
        String unused = in.readLine();
        long[] got = new long[CHANNELS];
        long wrong = 0;
        Peer peer = node.peer("s");
        while (Arrays.stream(got).sum() < (long) CHANNELS * MESSAGES) {
          int work = 0;
          for (int c = 0; c < CHANNELS; c++) {
            int channel = c;
            long[] bad = new long[1];
            MessageHandler handler =
                (message, offset, length, sequence) -> {
                  long expected = ++got[channel];
                  boolean right =
                      sequence == expected
                          && length == BYTES
                          && message.get(ValueLayout.JAVA_BYTE, offset) == (byte) channel
                          && message.get(ValueLayout.JAVA_BYTE, offset + BYTES - 1)
                              == (byte) expected;
                  bad[0] += right ? 0 : 1;
                  return Channel.CONTINUE;
                };
            work += peer.channel(c).poll(handler, 16);
            wrong += bad[0];
          }
          node.idle(work);
        }
        String peak =
            Files.readAllLines(Path.of("/proc/self/status")).stream()
                .filter(line -> line.startsWith("VmHWM:"))
                .findFirst()
                .orElseThrow()
                .replaceAll("[^0-9]", "");
        System.out.println(
            Arrays.stream(got).sum()
                + " "
                + wrong
                + " "
                + node.counters().get(EndpointCounter.INTERNAL_ERRORS)
                + " "
                + Long.parseLong(peak) * 1024);
        unused = in.readLine();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"-Xmx64m", "-Xmx128m -XX:MaxDirectMemorySize=12m"})
  void messagesThatNobodyReadsPushBackAndAllArrive(String options) throws Exception {
    Facility.LINUX.require("memory that a process takes");
    if (options.contains("Direct")) {
      Facility.TIME.require("a bound of direct memory beside a large heap");
    }
    pushBackAndDeliver(List.of(options.split(" ")), null);
  }

  /** The kernel would kill whoever takes more. */
  @Test
  void theBoundHoldsInAControlGroup() throws Exception {
    GROUP.require("memory that a process takes under a control group's limit");
    Path group = group("crosstie-" + ProcessHandle.current().pid(), 256L << 20);
    try {
      pushBackAndDeliver(List.of("-Xmx64m"), group);
    } finally {
      Files.delete(group);
    }
  }

  private static void pushBackAndDeliver(List<String> options, @Nullable Path group)
      throws Exception {
    Process child = start(options, group);
    try (BufferedReader out =
        new BufferedReader(new InputStreamReader(child.getInputStream(), UTF_8))) {
      String address = out.readLine();
      long[] bounds = numbers(out.readLine());
      NodeConfig config =
          TwoNodes.config("s", List.of("udp://127.0.0.1:0"), false)
              .peer("r", address)
              .sendLogBytes(1 << 18)
              .memoryBytes(128 << 20)
              .build();
      try (Node node = Node.start(config)) {
        Peer peer = node.peer("r");
        peer.awaitUp(TwoNodes.PATIENCE);
        int[] offered = new int[CHANNELS];
        offer(node, offered, rounds -> rounds >= PUSHED_BACK);
        assertTrue(Arrays.stream(offered).allMatch(n -> n > 0 && n < MESSAGES));
        long held =
            IntStream.range(0, CHANNELS).mapToLong(c -> peer.channel(c).acceptedSequence()).sum();
        assertTrue(held * BYTES <= bounds[0], held + " messages in " + bounds[0] + " bytes");
        command(child);
        offer(node, offered, rounds -> Arrays.stream(offered).allMatch(n -> n == MESSAGES));
        String line = null;
        while (line == null) {
          node.idle(node.pollEvents(e -> {}));
          line = out.ready() || !child.isAlive() ? out.readLine() : null;
          assertTrue(line != null || child.isAlive(), "the process with little memory died");
        }
        long[] result = numbers(line);
        assertEquals((long) CHANNELS * MESSAGES, result[0]);
        assertEquals(0, result[1], "wrong messages");
        assertEquals(0, result[2], "internal errors");
        long heap = 1L << 20;
        heap *= Long.parseLong(options.getFirst().replaceAll("[^0-9]", ""));
        long stated = heap + bounds[0] * 9 / 8 + 2 * bounds[1] + JVM_BYTES;
        assertTrue(result[3] <= stated, result[3] + " bytes resident, stated are " + stated);
        command(child);
        assertTrue(child.waitFor(60, TimeUnit.SECONDS), "it did not end");
        assertEquals(0, child.exitValue());
      }
    } finally {
      int unused = child.destroyForcibly().waitFor();
    }
  }

  private static void offer(Node node, int[] offered, IntPredicate until) {
    int rounds = 0; // in which nothing was taken
    byte[] message = new byte[BYTES];
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(120);
    while (!until.test(rounds)) {
      int work = 0;
      for (int c = 0; c < CHANNELS; c++) {
        message[0] = (byte) c;
        message[BYTES - 1] = (byte) (offered[c] + 1);
        if (offered[c] < MESSAGES && node.peer("r").channel(c).offer(message) > 0) {
          offered[c]++;
          work++;
        }
      }
      rounds = work > 0 ? 0 : rounds + 1;
      node.idle(work);
      assertTrue(System.nanoTime() < end, () -> "offered " + Arrays.toString(offered));
    }
  }

  private static void command(Process child) throws IOException {
    child.getOutputStream().write('\n');
    child.getOutputStream().flush();
  }

  private static long[] numbers(String line) {
    return Arrays.stream(line.split(" ")).mapToLong(Long::parseLong).toArray();
  }

  private static Process start(List<String> options, @Nullable Path group) throws IOException {
    List<String> command = new ArrayList<>();
    if (group != null) {
      command.addAll(
          List.of(
              "sh",
              "-c",
              "echo $$ > \"$0\" && exec \"$@\"",
              group.resolve("cgroup.procs").toString()));
    }
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(options);
    command.addAll(
        List.of(
            "--enable-native-access=ALL-UNNAMED",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            Receiver.class.getName()));
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }
}

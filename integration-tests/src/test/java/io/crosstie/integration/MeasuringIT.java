// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.benchmarks.process.Bench;
import io.crosstie.benchmarks.process.BenchRun;
import io.crosstie.benchmarks.process.BenchSettings;
import io.crosstie.benchmarks.process.Rail;
import io.crosstie.cli.Main;
import io.crosstie.testkit.process.ChildProcess;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The measuring tools measure; what they measure in a test means nothing. */
@Timeout(600) // the JVMs of a bench have to compile, whoever else wants the processors
final class MeasuringIT {
  private static final String SERVING = "serving at ";

  @TempDir Path folder;

  private Process crosstie(String name, String... words) throws IOException {
    List<String> line = ChildProcess.java(WorkerProcess.NATIVE, Main.class, words);
    return new ProcessBuilder(line).redirectError(folder.resolve(name + ".err").toFile()).start();
  }

  /** Two processes, two rails, so many messages of each test. */
  @Test
  void perfBetweenTwoProcesses() throws IOException, InterruptedException {
    Path json = folder.resolve("perf.jsonl");
    Path distribution = folder.resolve("perf.hgrm");
    Process server =
        crosstie(
            "server", "perf", "server", "--once", "--rail", "udp://127.0.0.1:0", "--rail", "shm:");
    try (BufferedReader said = server.inputReader(StandardCharsets.UTF_8)) {
      String first = said.readLine();
      assertNotNull(first, () -> "server: " + read("server.err"));
      assertTrue(first.startsWith(SERVING), first);
      Process client =
          crosstie(
              "client",
              "perf",
              "client",
              first.substring(SERVING.length()),
              "--rail",
              "udp://127.0.0.1:0",
              "--rail",
              "shm:",
              "--count",
              "300",
              "--stream-size",
              "200000",
              "--json",
              json.toString(),
              "--hgrm",
              distribution.toString());
      String table = new String(client.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertEquals(0, client.waitFor(), () -> table + read("client.err"));
      List<String> lines = Files.readAllLines(json);
      assertEquals(4, lines.size(), lines.toString());
      for (String test : List.of("latency", "out", "in", "rate")) {
        assertTrue(
            lines.stream().anyMatch(line -> line.contains("\"bench\":\"perf-" + test + "\"")),
            lines.toString());
        assertTrue(table.contains(test), table);
      }
      assertTrue(lines.getFirst().contains("\"messages\":300"), lines.toString());
      assertTrue(Files.readString(distribution).contains("Percentile"), "no distribution");
      assertTrue(server.waitFor(30, TimeUnit.SECONDS), "the server did not end with its client");
    } finally {
      server.destroyForcibly();
    }
  }

  private String read(String file) {
    try {
      return Files.readString(folder.resolve(file));
    } catch (IOException e) {
      return e.toString();
    }
  }

  @Test
  void benchOfTwoSubjects() throws IOException {
    List<String> lines =
        bench(Rail.UDP, List.of("bare", "crosstie-linux"), List.of(Bench.RTT), List.of(8L));
    assertEquals(2, lines.size(), lines.toString());
    assertTrue(lines.getLast().contains("\"subject\":\"crosstie-linux\""), lines.toString());
  }

  /** The stream that is measured is the one that fails over: what is quick is what is safe. */
  @Test
  void benchLosesItsSegmentHalfWay() throws IOException {
    List<String> lines =
        bench(Rail.SHM, List.of("crosstie-udp2"), List.of(Bench.LOSS), List.of(64L, 1L << 20));
    assertEquals(2, lines.size(), lines.toString());
    for (String line : lines) {
      assertTrue(line.contains("rails lost: shm; sent by the others: "), line);
    }
  }

  private List<String> bench(
      Rail rail, List<String> subjects, List<Bench> benches, List<Long> sizes) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    BenchSettings settings =
        BenchSettings.of(
            rail, true, subjects, benches, sizes, 1, false, 0, null, folder.resolve("results"));
    int status = BenchRun.run(settings, new PrintStream(bytes, true, StandardCharsets.UTF_8));
    assertEquals(BenchRun.DONE, status, () -> bytes.toString(StandardCharsets.UTF_8));
    return Files.readAllLines(folder.resolve("results/results.jsonl"));
  }
}

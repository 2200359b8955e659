// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.benchmarks.BusyBench;
import io.crosstie.benchmarks.perf.PerfTest;
import io.crosstie.benchmarks.process.Bench;
import io.crosstie.benchmarks.process.BenchRun;
import io.crosstie.benchmarks.process.BenchSettings;
import io.crosstie.benchmarks.process.CollectivesRun;
import io.crosstie.benchmarks.process.Rail;
import io.crosstie.benchmarks.process.RankCase;
import io.crosstie.benchmarks.process.RankCase.What;
import io.crosstie.benchmarks.process.RankSettings;
import io.crosstie.benchmarks.process.RanksRun;
import io.crosstie.cli.Main;
import io.crosstie.testkit.Campaign;
import io.crosstie.testkit.Facility;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The measuring tools measure; what they measure in a test means nothing. */
@Timeout(600) // the JVMs of a bench have to compile, whoever else wants the processors
final class MeasuringIT extends ProcessScene {
  private static final String SERVING = "serving at ";

  /** No figure is looked at. */
  private static final long WARM_UP_NS = Campaign.count(250, 4_000) * 1_000_000L;

  @TempDir Path folder;

  private WorkerProcess crosstie(String name, String... words) {
    return keep(
        WorkerProcess.startProgram(name, WorkerProcess.NATIVE, Main.class.getName(), words));
  }

  /** Two processes, two rails, so many messages of each test. */
  @Test
  void perfBetweenTwoProcesses() throws IOException {
    Path json = folder.resolve("perf.jsonl");
    Path distribution = folder.resolve("perf.hgrm");
    WorkerProcess server =
        crosstie(
            "server", "perf", "server", "--once", "--rail", "udp://127.0.0.1:0", "--rail", "shm:");
    String first = server.readLine("its start");
    assertTrue(first.startsWith(SERVING), first);
    WorkerProcess client =
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
    client.awaitExit();
    String table = client.output();
    assertEquals(0, client.exitValue(), () -> table + client.errors());
    List<String> lines = Files.readAllLines(json);
    assertEquals(PerfTest.values().length, lines.size(), lines.toString());
    for (PerfTest test : PerfTest.values()) {
      assertTrue(
          lines.stream().anyMatch(line -> line.contains("\"bench\":\"perf-" + test.label() + "\"")),
          lines.toString());
      assertTrue(table.contains(test.label()), table);
    }
    assertTrue(lines.getFirst().contains("\"messages\":300"), lines.toString());
    assertTrue(Files.readString(distribution).contains("Percentile"), "no distribution");
    server.awaitExit(); // with its client
  }

  @Test
  void benchOfTwoSubjects() throws IOException {
    Facility.TIME.require("bench");
    List<String> lines =
        bench(Rail.UDP, List.of("bare", "crosstie-linux"), List.of(Bench.RTT), List.of(8L));
    assertEquals(2, lines.size(), lines.toString());
    assertTrue(lines.getLast().contains("\"subject\":\"crosstie-linux\""), lines.toString());
  }

  /** The stream that is measured is the one that fails over: what is quick is what is safe. */
  @Test
  void benchLosesItsSegmentHalfWay() throws IOException {
    Facility.TIME.require("bench");
    List<String> lines =
        bench(Rail.SHM, List.of("crosstie-udp2"), List.of(Bench.LOSS), List.of(64L, 1L << 20));
    assertEquals(2, lines.size(), lines.toString());
    for (String line : lines) {
      assertTrue(line.contains("rails lost: shm; sent by the others: "), line);
    }
  }

  @Test
  void busyOfTwoNumbers() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    PrintStream table = new PrintStream(bytes, true, StandardCharsets.UTF_8);
    BusyBench.run(List.of(0, 1), 1, 20_000_000, false, table);
    List<String> rows =
        bytes.toString(StandardCharsets.UTF_8).lines().filter(l -> l.matches(" +[01] .*")).toList();
    assertEquals(4, rows.size(), bytes.toString(StandardCharsets.UTF_8)); // round trips, arrivals
    for (String row : rows) {
      String[] figures = row.replace("!", " ").strip().split(" +", -1);
      assertEquals(10, figures.length, row);
      for (int i = 1; i < figures.length; i++) {
        double figure = Double.parseDouble(figures[i]);
        boolean mayBeSmall = i % 2 == 1 && i >= 3; // a ratio of round trips, to two places
        assertTrue(mayBeSmall ? figure >= 0 : figure > 0, row);
      }
    }
  }

  /** The launcher's processes, each kind of case once; Open MPI beside them where there is one. */
  @Test
  void ranksOfOneRound() throws IOException {
    Facility.TIME.require("ranks");
    List<RankCase> cases =
        List.of(
            new RankCase(What.RTT, 8),
            new RankCase(What.POSTED, 100),
            new RankCase(What.UNEXPECTED, 100),
            new RankCase(What.STREAM, 64 << 10));
    Path json = folder.resolve("ranks.jsonl");
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    int status = RanksRun.run(rankSettings(2, cases, List.of(), json), stream(bytes));
    String table = bytes.toString(StandardCharsets.UTF_8);
    assertEquals(RanksRun.DONE, status, table);
    assertFigures(Files.readAllLines(json), "ranks", 4);
    assertFigures(Files.readAllLines(json), "channel, put", 2);
    assertTrue(table.contains("goal"), table);
  }

  @Test
  void collectivesOfOneRound() throws IOException {
    Facility.TIME.require("collectives");
    List<RankCase> cases =
        List.of(new RankCase(What.BARRIER, 0), new RankCase(What.ALLREDUCE, 4096));
    Path json = folder.resolve("collectives.jsonl");
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    List<String> choice = List.of("allreduce=ring");
    int status = CollectivesRun.run(rankSettings(2, cases, choice, json), stream(bytes));
    assertEquals(CollectivesRun.DONE, status, () -> bytes.toString(StandardCharsets.UTF_8));
    assertFigures(Files.readAllLines(json), "usual", 2);
    assertFigures(Files.readAllLines(json), "allreduce=ring", 1);
  }

  private static RankSettings rankSettings(
      int ranks, List<RankCase> cases, List<String> algorithms, Path json) {
    return new RankSettings(
        List.of(ranks), List.of(Rail.SHM), cases, algorithms, 1, false, 1_000_000, 1_000_000, json);
  }

  private static PrintStream stream(ByteArrayOutputStream bytes) {
    return new PrintStream(bytes, true, StandardCharsets.UTF_8);
  }

  private static void assertFigures(List<String> lines, String subject, int count) {
    List<String> of =
        lines.stream().filter(line -> line.contains("\"subject\":\"" + subject + "\"")).toList();
    assertEquals(count, of.size(), lines.toString());
    for (String line : of) {
      String median = line.replaceAll(".*\"median\":([^,]*),.*", "$1");
      assertTrue(Double.parseDouble(median) > 0, line);
    }
  }

  private List<String> bench(
      Rail rail, List<String> subjects, List<Bench> benches, List<Long> sizes) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    BenchSettings settings =
        BenchSettings.of(
                rail, true, subjects, benches, sizes, 1, false, 0, null, folder.resolve("results"))
            .withWarmUp(WARM_UP_NS);
    int status = BenchRun.run(settings, new PrintStream(bytes, true, StandardCharsets.UTF_8));
    assertEquals(BenchRun.DONE, status, () -> bytes.toString(StandardCharsets.UTF_8));
    return Files.readAllLines(folder.resolve("results/results.jsonl"));
  }
}

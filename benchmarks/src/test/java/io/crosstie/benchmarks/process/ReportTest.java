// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is printed and kept, and how the programs of others are understood. */
final class ReportTest {
  @TempDir Path folder;

  @Test
  void keepsLinesTablesCurvesAndHistograms() throws IOException {
    BenchSettings settings = settings(folder.resolve("copy.jsonl"));
    Results results = new Results();
    results.add(new CaseKey(Bench.RTT, "bare", 8, 0), SummaryTest.roundTrips(4_000));
    results.add(new CaseKey(Bench.RTT, "crosstie-linux", 8, 0), SummaryTest.roundTrips(4_200));
    results.addLeftOut("ucx: not installed");
    Report report = new Report(settings, new Plan(settings), results, List.of("# CPU: some"));
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    report.print(new PrintStream(text, true, StandardCharsets.UTF_8));
    report.save();

    String printed = text.toString(StandardCharsets.UTF_8);
    for (String part :
        List.of("Loopback only", "# CPU: some", "1.050", "met", "Where we lose", "ucx: not")) {
      assertTrue(printed.contains(part), () -> part + " is not in " + printed);
    }
    assertEquals(2, Files.readAllLines(folder.resolve("results.jsonl")).size());
    assertEquals(
        Files.readString(folder.resolve("results.jsonl")),
        Files.readString(folder.resolve("copy.jsonl")));
    assertTrue(Files.exists(folder.resolve("udp-rtt.crosstie-linux.8.hgrm")));
    String page = Files.readString(folder.resolve("report.html"));
    assertTrue(page.contains("\"label\":\"crosstie-linux\""), "no curve");
    assertTrue(page.contains("Chart.js v"), "no library");
  }

  private BenchSettings settings(@Nullable Path json) {
    return BenchSettings.of(
        Rail.UDP,
        true,
        List.of("bare", "crosstie-linux"),
        List.of(Bench.RTT),
        List.of(8L),
        1,
        false,
        0,
        json,
        folder);
  }

  private Report report(Results results) {
    BenchSettings settings = settings(null);
    return new Report(settings, new Plan(settings), results, List.of());
  }

  private static String printed(Report report) {
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    report.print(new PrintStream(text, true, StandardCharsets.UTF_8));
    return text.toString(StandardCharsets.UTF_8);
  }

  @Test
  void oneWordTellsTheOnlyPlacement() throws IOException {
    Results results = new Results();
    results.add(new CaseKey(Bench.RTT, "bare", 8, 0), SummaryTest.between(80, 90, 4_000));
    results.add(new CaseKey(Bench.RTT, "crosstie-linux", 8, 0), SummaryTest.between(70, 60, 4_200));
    String text = printed(report(results));
    assertTrue(text.contains("one at a time; processors near\n  subject       "), text);
    assertTrue(text.contains("= 1.050, goal <= 1.15\n"), text);
    report(results).save();
    assertTrue(Files.exists(folder.resolve("udp-rtt.bare.8.hgrm")));
  }

  @Test
  void eachPlacementHasItsRowsAndGoals() throws IOException {
    Results results = new Results();
    CaseKey bare = new CaseKey(Bench.RTT, "bare", 8, 0);
    CaseKey ours = new CaseKey(Bench.RTT, "crosstie-linux", 8, 0);
    results.add(bare, SummaryTest.between(80, 90, 4_000));
    results.add(bare, SummaryTest.between(400, 500, 6_000));
    results.add(ours, SummaryTest.between(80, 90, 4_200));
    results.add(ours, SummaryTest.between(80, 90, 4_200));
    results.add(ours, SummaryTest.between(400, 500, 7_200));
    results.add(ours, SummaryTest.between(80, 500, 9_999));
    Report report = report(results);
    String text = printed(report);
    for (String part :
        List.of(
            "one at a time\n  subject                    rounds ",
            "  bare                       near x1      4001 ns",
            "  bare                       far x1       6003 ns",
            "  crosstie-linux             near x2      4203 ns",
            "  crosstie-linux             far x1       7203 ns",
            "  crosstie-linux             mixed x1     9999 ns",
            "= 1.050, goal <= 1.15 (near)",
            "= 1.200, goal <= 1.15 (far)")) {
      assertTrue(text.contains(part), () -> part + " is not in " + text);
    }
    assertEquals(2, text.split("goal <=", -1).length - 1, text);
    report.save();
    List<String> lines = Files.readAllLines(folder.resolve("results.jsonl"));
    assertEquals(5, lines.size());
    assertTrue(
        lines.getFirst().contains("\"placement\":\"near\",\"bounceNs\":85"), lines.getFirst());
    assertTrue(Files.exists(folder.resolve("udp-rtt.crosstie-linux.8.mixed.hgrm")));
    assertTrue(Files.readString(folder.resolve("report.html")).contains("\"bare (far)\""));
  }

  @Test
  void readsUcx() {
    String output =
        """
        iterations,50.0_percentile_lat,avg_lat,overall_lat,avg_bw,overall_bw,avg_mr,overall_mr
          20,6.574,833.851,833.851,0.01,0.25,1199,1200
        """;
    assertEquals(new Ucx.Row(6.574, 0.25, 1200), Ucx.parse(output));
    assertThrows(CaseException.class, () -> Ucx.parse("no such device"));
  }

  @Test
  void readsOpenMpi() {
    CaseSpec rtt = new CaseSpec(Bench.RTT, "openmpi", 8, 0, false, 0, 0, 0);
    Measured measured = OpenMpi.parse(rtt, List.of("sample 505 3", "noise", "sample 90005 1"));
    assertEquals(4, Histograms.decode(measured.near().histogram()).getTotalCount());
    CaseSpec stream = new CaseSpec(Bench.STREAM, "openmpi", 8, 0, false, 0, 0, 0);
    Measured flow = OpenMpi.parse(stream, List.of("flow 2000000000 250000000 1000000000 5"));
    assertEquals(2000, flow.megabytesPerSecond(Bench.STREAM), 0.001);
    assertThrows(CaseException.class, () -> OpenMpi.parse(stream, List.of("mpirun: no")));
  }

  @Test
  void readsProcessorTime() {
    assertEquals(
        (1 + 2 + 3 + 8) * 1e7, ForeignLoad.busyNs("cpu  1 2 3 4 5 6 7 8 0 0\ncpu0 1\n"), 1);
  }
}

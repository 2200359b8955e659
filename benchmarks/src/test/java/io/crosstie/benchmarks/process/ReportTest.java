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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is printed and kept, and how the programs of others are understood. */
final class ReportTest {
  @TempDir Path folder;

  @Test
  void keepsLinesTablesCurvesAndHistograms() throws IOException {
    BenchSettings settings =
        BenchSettings.of(
            Rail.UDP,
            true,
            List.of("bare", "crosstie-linux"),
            List.of(Bench.RTT),
            List.of(8L),
            1,
            0,
            folder.resolve("copy.jsonl"),
            folder);
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

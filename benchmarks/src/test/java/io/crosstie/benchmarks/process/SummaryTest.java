// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.Gson;
import java.util.List;
import java.util.Optional;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

/** What a result line says, and what is concluded from results. */
final class SummaryTest {
  private static final Gson GSON = new Gson();

  static Measured roundTrips(long... valuesNs) {
    Histogram histogram = Histograms.create();
    for (long value : valuesNs) {
      Histograms.record(histogram, value);
    }
    return new Measured(
        new Tally(0, 0, 1, 0, 0, 0, Histograms.encode(histogram), ""),
        new Tally(0, 0, 0, 0, 0, 0, "", ""));
  }

  /** Round trips between two bounces, in ns. */
  static Measured between(double beforeNs, double afterNs, long valueNs) {
    return roundTrips(valueNs).between(beforeNs, afterNs);
  }

  /** Arrival of that many megabytes in a second, by one and a half processors. */
  private static Measured stream(long megabytes) {
    return new Measured(
        new Tally(0, 0, 1_000_000_000, 500_000_000, 0, 0, "", ""),
        new Tally(megabytes * 1_000_000, megabytes, 1_000_000_000, 1_000_000_000, 0, 0, "", ""));
  }

  @Test
  void latencyLine() {
    CaseKey key = new CaseKey(Bench.RTT, "crosstie-linux", 8, 0);
    Summary summary =
        new Summary(key, List.of(roundTrips(100), roundTrips(300, 300, 500), roundTrips(200)));
    assertEquals(
        "{\"bench\":\"udp-rtt\",\"subject\":\"crosstie-linux\",\"size\":8,\"unit\":\"ns\","
            + "\"p50\":200,\"p90\":200,\"p99\":200,\"p999\":200,\"mean\":200,"
            + "\"p50min\":100,\"p50max\":300,\"rounds\":3,\"foreignLoad\":0.0}",
        GSON.toJson(summary.fields(Rail.UDP)));
    assertEquals(5, summary.allValues().getTotalCount());
  }

  @Test
  void streamLine() {
    CaseKey key = new CaseKey(Bench.STREAM, "aeron", 1000, 0);
    Summary summary = new Summary(key, List.of(stream(1000), stream(3000), stream(2000)));
    assertEquals(
        "{\"bench\":\"shm-stream\",\"subject\":\"aeron\",\"size\":1000,\"unit\":\"MB/s\","
            + "\"median\":2000.0,\"min\":1000.0,\"max\":3000.0,\"msgsPerSecond\":2000,"
            + "\"cpuSecondsPerGB\":0.75,\"rounds\":3,\"foreignLoad\":0.0}",
        GSON.toJson(summary.fields(Rail.SHM)));
  }

  /** Two processes that each used that share of a processor in a second, and allocated so much. */
  private static Measured waited(double percent, long bytes) {
    Tally tally = new Tally(0, 0, 1_000_000_000, (long) (percent * 10_000_000), bytes, 0, "", "");
    return new Measured(tally, tally);
  }

  @Test
  void goalsThatAreNoRatio() {
    Results results = new Results();
    results.add(new CaseKey(Bench.RTT, "crosstie-linux", 8, 0), roundTrips(1_050));
    results.add(new CaseKey(Bench.RTT, "crosstie-linux-nocrc", 8, 0), roundTrips(1_000));
    results.add(new CaseKey(Bench.IDLE, "bare", 8, 0), waited(2, 0));
    results.add(new CaseKey(Bench.IDLE, "crosstie-linux-block", 8, 0), waited(3.5, 0));
    results.add(new CaseKey(Bench.IDLE, "crosstie-linux-thread", 8, 0), waited(1.5, 0));
    results.add(new CaseKey(Bench.ALLOC, "crosstie-linux", 32, 0), waited(100, 30_000));
    assertEquals(
        List.of(
            "met    udp-rtt           8 B p50  crosstie-linux - crosstie-linux-nocrc = 50.00,"
                + " goal <= 60 ns",
            "MISSED udp-idle          8 B      crosstie-linux-block - bare = 1.50,"
                + " goal <= 1 % of a core",
            "met    udp-idle          8 B      crosstie-linux-thread - bare = -0.50,"
                + " goal <= 1 % of a core",
            "met    udp-alloc        32 B      crosstie-linux = 60000.00, goal <= 65536 B"),
        Goal.judge(Rail.UDP, results));
  }

  @Test
  void goalsLossesAndVoids() {
    Results results = new Results();
    results.add(new CaseKey(Bench.RTT, "bare", 8, 0), roundTrips(4_000));
    results.add(new CaseKey(Bench.RTT, "aeron", 8, 0), roundTrips(5_000));
    results.add(new CaseKey(Bench.RTT, "crosstie-linux", 8, 0), roundTrips(6_000));
    List<String> goals = Goal.judge(Rail.UDP, results);
    assertEquals(3, goals.size(), goals.toString());
    assertTrue(goals.getFirst().startsWith("MISSED"), goals.toString());
    assertTrue(goals.getFirst().contains("= 1.500, goal <= 1.15"), goals.toString());
    assertEquals(List.of(), Reference.voids(Rail.UDP, results));
    Plan plan = PlanTest.plan("bare", "aeron", "crosstie-linux");
    List<String> losses = Losses.find(plan, results);
    assertEquals(1, losses.size(), losses.toString());
    assertTrue(losses.getFirst().contains("1.20 times worse"), losses.toString());

    results.add(new CaseKey(Bench.STREAM, "bare-gso", 1 << 20, 0), stream(6_800));
    results.add(new CaseKey(Bench.STREAM, "aeron", 1 << 20, 0), stream(200));
    assertEquals(1, Reference.voids(Rail.UDP, results).size());
    Results.Group streams = new Results.Group(Bench.STREAM, 1 << 20, 0);
    assertEquals(Optional.empty(), results.ratio(streams, "aeron", "tcp"));
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.lab;

import com.google.gson.Gson;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.crosstie.testkit.process.ToolException;
import io.crosstie.testkit.stream.StreamVerifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What high priority is worth on a full rail: round trips of small messages beside saturating
 * streams of normal priority, with either priority in turn.
 */
public final class PriorityLab {
  private static final long SECOND_NS = 1_000_000_000L;
  private static final long GAP_NS = 2_000_000;
  private static final int MOST_STREAMS = 256;

  /**
   * What to do.
   *
   * @param rate of the rail, as for tc
   * @param streams how many channels of normal priority are kept full
   * @param messageBytes of their messages
   * @param trips of each kind in a round
   * @param rounds of all kinds, of which medians are taken
   * @param warmUpSeconds before the first
   */
  public record Options(
      String rate, int streams, int messageBytes, int trips, int rounds, int warmUpSeconds) {}

  /** One kind of round trips. */
  private static final class Kind {
    final String name;
    final boolean high;
    final List<Double> p50 = new ArrayList<>();
    final List<Double> p99 = new ArrayList<>();

    Kind(String name, boolean high) {
      this.name = name;
      this.high = high;
    }

    void measure(Scene scene, int count) {
      List<Double> trips = new ArrayList<>();
      String command = "trips " + (high ? "high" : "normal") + " " + count + " " + GAP_NS;
      for (JsonElement ms : scene.sender().ask(command).getAsJsonArray("ms")) {
        trips.add(ms.getAsDouble());
      }
      p50.add(Report.percentile(trips, 0.5));
      p99.add(Report.percentile(trips, 0.99));
    }

    JsonObject json() {
      JsonObject object = new JsonObject();
      object.addProperty("kind", name);
      object.addProperty("p50Ms", Report.round(Report.median(p50), 3));
      object.addProperty("p99Ms", Report.round(Report.median(p99), 3));
      return object;
    }

    String line() {
      return String.format(
          Locale.ROOT,
          "%s: p50 %.2f ms, p99 %.2f ms (medians of %d rounds)",
          name,
          Report.median(p50),
          Report.median(p99),
          p50.size());
    }
  }

  private PriorityLab() {}

  /**
   * Measures.
   *
   * @return the result, as one line
   * @throws ToolException if the lab cannot be built or a process of it fails
   */
  public static Result run(Options options, Report report) {
    if (options.streams < 1 || options.streams > MOST_STREAMS) {
      throw new ToolException(
          ToolException.USAGE,
          "--streams " + options.streams + " is not between 1 and " + MOST_STREAMS);
    }
    List<RailPlan> rails = RailPlan.parse(options.rate);
    if (rails.size() != 1) {
      throw new ToolException(
          ToolException.USAGE, "--rate " + options.rate + " names more than one rail");
    }
    Requirements.check();
    TwoHosts.sweep();
    List<Setup.StreamPlan> streams = new ArrayList<>();
    for (int i = 0; i < options.streams; i++) {
      streams.add(new Setup.StreamPlan("bulk" + i, options.messageBytes, 0));
    }
    List<Kind> kinds =
        List.of(new Kind("normal beside bulk", false), new Kind("high beside bulk", true));
    List<Kind> idle = List.of(new Kind("normal, idle rail", false), new Kind("high, idle", true));
    Setup.More more = new Setup.More(0, true);
    StreamVerifier.Account account;
    double share = 0;
    try (Scene scene = Scene.build(Subject.CROSSTIE, rails, streams, 1, false, more)) {
      for (int round = 0; round < 2 * options.rounds; round++) { // the first half warms up
        idle.forEach(kind -> kind.measure(scene, options.trips));
      }
      idle.forEach(kind -> forget(kind, options.rounds));
      scene.go();
      scene.warmUp(options.warmUpSeconds * SECOND_NS);
      long from = System.nanoTime();
      for (int round = 0; round < options.rounds; round++) {
        kinds.forEach(kind -> kind.measure(scene, options.trips));
      }
      for (Timeline.Stretch stretch : scene.stretches(from, System.nanoTime())) {
        share += Goodput.megabits(stretch) * 1e6 / rails.getFirst().bitsPerSecond();
      }
      report.detail("sender", scene.sender().ask("counters"));
      account = scene.finish(600 * SECOND_NS);
    }
    JsonObject result = new JsonObject();
    JsonArray rows = new JsonArray();
    for (List<Kind> some : List.of(idle, kinds)) {
      for (Kind kind : some) {
        report.say(kind.line());
        rows.add(kind.json());
      }
    }
    result.add("kinds", rows);
    result.addProperty("bulkShareOfRate", Report.round(share, 4));
    Report.write(account, result);
    report.say("bulk meanwhile: " + Report.percents(share) + " of the rate; " + account);
    return new Result(new Gson().toJson(result), account.isClean());
  }

  private static void forget(Kind kind, int rounds) {
    kind.p50.subList(0, rounds).clear();
    kind.p99.subList(0, rounds).clear();
  }
}

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

/** How one rail of a given rate is used: alone, with loss, and together with others. */
public final class LinkLab {
  private static final int LOAD_BYTES = 60 << 10;
  private static final int PINGS_PER_SECOND = 100;
  private static final int IDLE_PINGS = 100;
  private static final long SECOND_NS = 1_000_000_000L;
  private static final List<Setup.StreamPlan> LOAD =
      List.of(new Setup.StreamPlan("load", LOAD_BYTES, 0));

  /**
   * What to do.
   *
   * @param rate as for tc
   * @param seconds of each measurement
   * @param warmUpSeconds before each
   */
  public record Options(String rate, int seconds, int warmUpSeconds) {}

  private final Options options;
  private final RailPlan rail;
  private final Report report;
  private final JsonObject result = new JsonObject();
  private StreamVerifier.Account account = StreamVerifier.Account.NONE;

  private LinkLab(Options options, Report report) {
    this.options = options;
    List<RailPlan> rails = RailPlan.parse(options.rate);
    if (rails.size() != 1) {
      throw new ToolException(
          ToolException.USAGE, "--rate " + options.rate + " names more than one rail");
    }
    this.rail = rails.getFirst();
    this.report = report;
  }

  /**
   * Measures.
   *
   * @return the result, as one line
   * @throws ToolException if the lab cannot be built or a process of it fails
   */
  public static Result run(Options options, Report report) {
    LinkLab lab = new LinkLab(options, report);
    Requirements.check();
    TwoHosts.sweep();
    lab.alone();
    lab.lossy(1);
    lab.lossy(5);
    lab.beside(Subject.CROSSTIE, "twoConnections");
    lab.beside(Subject.MPTCP, "besideTcp");
    Report.write(lab.account, lab.result);
    report.say(lab.account.toString());
    return new Result(new Gson().toJson(lab.result), lab.account.isClean());
  }

  private Scene scene() {
    return Scene.build(Subject.CROSSTIE, List.of(rail), LOAD, 1, false);
  }

  private double share(Timeline.Stretch stretch) {
    return Report.round(Goodput.megabits(stretch) * 1e6 / rail.bitsPerSecond(), 4);
  }

  private static Timeline.Stretch load(Scene scene, long fromNs) {
    return scene.stretches(fromNs, System.nanoTime()).getFirst();
  }

  private void warmUp() {
    Scene.pass(options.warmUpSeconds * SECOND_NS);
  }

  private void alone() {
    try (Scene scene = scene()) {
      scene.hosts().allowPings();
      double idleMs = Report.median(pings(scene, IDLE_PINGS));
      scene.go();
      warmUp();
      RailCounts before = RailCounts.of(scene.sender().ask("counters"));
      long from = System.nanoTime();
      List<Double> busyMs = pings(scene, options.seconds * PINGS_PER_SECOND);
      double share = share(load(scene, from));
      JsonObject counters = scene.sender().ask("counters");
      report.detail("sender", counters);
      RailCounts counts = RailCounts.of(counters).minus(before);
      account = account.plus(scene.finish());
      List<Double> queueMs = busyMs.stream().map(ms -> Math.max(0, ms - idleMs)).toList();
      result.addProperty("shareOfRate", share);
      result.addProperty("retransmittedShare", Report.round(counts.retransmittedShare(), 5));
      result.addProperty("spuriousShare", Report.round(counts.spuriousShare(), 5));
      result.add("queueMs", Report.spread(queueMs));
      report.say(
          "alone: %s of the rate in application bytes; sent again %s; queue %s ms by ping"
              .formatted(
                  Report.percents(share),
                  Report.percents(counts.retransmittedShare()),
                  Report.spread(queueMs)));
    }
  }

  private List<Double> pings(Scene scene, int count) {
    List<Double> trips = new ArrayList<>();
    for (JsonElement ms :
        scene.sender().ask("ping " + rail.there() + " " + count).getAsJsonArray("ms")) {
      trips.add(ms.getAsDouble());
    }
    return trips;
  }

  private void lossy(int percent) {
    try (Scene scene = scene()) {
      scene.hosts().lose(rail, percent);
      scene.go();
      warmUp();
      long from = System.nanoTime();
      Scene.pass(options.seconds * SECOND_NS);
      double share = share(load(scene, from));
      report.detail("sender", scene.sender().ask("counters"));
      account = account.plus(scene.finish());
      result.addProperty("shareWithLoss" + percent, share);
      report.say("with %d %% loss: %s of the rate".formatted(percent, Report.percents(share)));
    }
  }

  private void beside(Subject other, String name) {
    try (Scene scene = scene();
        Scene second = scene.beside(other, LOAD)) {
      scene.go();
      second.go();
      warmUp();
      long from = System.nanoTime();
      Scene.pass(options.seconds * SECOND_NS);
      double ours = share(load(scene, from));
      double others = share(load(second, from));
      account = account.plus(scene.finish());
      account = account.plus(second.finish());
      JsonArray shares = new JsonArray();
      shares.add(ours);
      shares.add(others);
      result.add(name, shares);
      report.say("%s: shares of the rate %s".formatted(name, Report.percents(ours, others)));
    }
  }
}

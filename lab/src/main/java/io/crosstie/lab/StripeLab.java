// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.lab;

import com.google.gson.Gson;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.crosstie.testkit.process.ToolException;
import io.crosstie.testkit.stream.StreamVerifier;
import java.util.ArrayList;
import java.util.List;

/** How much of the sum of its rails a stream of large messages gets. */
public final class StripeLab {
  /**
   * What to do.
   *
   * @param rates of the rails, as for tc, separated by commas
   * @param delays of the rails, one way, likewise; empty for none
   * @param warmUpSeconds before each measurement
   * @param seconds of each measurement
   * @param rounds of all measurements, of which medians are taken
   * @param messageBytes of each message
   * @param subjects what to measure, in turn
   * @param ownThreads whether each of Crosstie's rails has a thread of its own
   */
  public record Options(
      String rates,
      String delays,
      int warmUpSeconds,
      int seconds,
      int rounds,
      int messageBytes,
      List<Subject> subjects,
      boolean ownThreads) {}

  /** One measurement. */
  private record Run(
      double megabits,
      List<Double> railShares,
      RailCounts counts,
      StreamVerifier.Account account) {}

  private final Options options;
  private final List<RailPlan> rails;
  private final Report report;
  private boolean clean = true;

  private StripeLab(Options options, Report report) {
    this.options = options;
    this.rails = RailPlan.parse(options.rates, options.delays);
    this.report = report;
  }

  /**
   * Measures.
   *
   * @return the result, as one line
   * @throws ToolException if the lab cannot be built or a process of it fails
   */
  public static Result run(Options options, Report report) {
    StripeLab lab = new StripeLab(options, report);
    Requirements.check();
    TwoHosts.sweep();
    JsonObject result = null;
    for (Subject subject : options.subjects) {
      JsonObject one = lab.measure(subject);
      if (result == null) {
        result = one;
      } else {
        result.add(subject.name().toLowerCase(java.util.Locale.ROOT), one);
      }
    }
    return new Result(new Gson().toJson(result), lab.clean);
  }

  private JsonObject measure(Subject subject) {
    List<List<Double>> alone = new ArrayList<>();
    rails.forEach(rail -> alone.add(new ArrayList<>()));
    List<Run> together = new ArrayList<>();
    StreamVerifier.Account account = StreamVerifier.Account.NONE;
    for (int round = 1; round <= options.rounds; round++) {
      for (int i = 0; i < rails.size(); i++) {
        Run run = run(subject, List.of(rails.get(i)));
        alone.get(i).add(run.megabits);
        account = account.plus(run.account);
        report.say(
            "%s, round %d: rail %d (%s) alone %.0f Mbit/s"
                .formatted(subject, round, i + 1, rails.get(i).rate(), run.megabits));
      }
      Run run = run(subject, rails);
      together.add(run);
      account = account.plus(run.account);
      report.say(
          "%s, round %d: all rails %.0f Mbit/s; by rail %s; sent again %s, in vain %s"
              .formatted(
                  subject,
                  round,
                  run.megabits,
                  Report.percents(
                      run.railShares.stream().mapToDouble(Double::doubleValue).toArray()),
                  Report.percents(run.counts.retransmittedShare()),
                  Report.percents(run.counts.spuriousShare())));
    }
    JsonObject result = new JsonObject();
    double sum = alone.stream().mapToDouble(Report::median).sum();
    double all = Report.median(together.stream().map(Run::megabits).toList());
    result.addProperty("shareOfSum", sum == 0 ? 0 : Report.round(all / sum, 4));
    JsonArray perRail = new JsonArray();
    for (int i = 0; i < rails.size(); i++) {
      int rail = i;
      perRail.add(
          Report.round(
              Report.median(together.stream().map(run -> run.railShares.get(rail)).toList()), 4));
    }
    result.add("perRail", perRail);
    result.addProperty(
        "spuriousShare",
        Report.round(
            Report.median(together.stream().map(run -> run.counts.spuriousShare()).toList()), 5));
    result.addProperty(
        "retransmittedShare",
        Report.round(
            Report.median(together.stream().map(run -> run.counts.retransmittedShare()).toList()),
            5));
    result.addProperty("goodputMbit", Report.round(all, 1));
    JsonArray single = new JsonArray();
    alone.forEach(values -> single.add(Report.round(Report.median(values), 1)));
    result.add("singleMbit", single);
    result.addProperty("subject", subject.name().toLowerCase(java.util.Locale.ROOT));
    Report.write(account, result);
    report.say(
        "%s: %.0f Mbit/s, %s of the sum of single rails; %s"
            .formatted(subject, all, Report.percents(sum == 0 ? 0 : all / sum), account));
    clean &= account.isClean();
    return result;
  }

  private Run run(Subject subject, List<RailPlan> some) {
    List<Setup.StreamPlan> streams = List.of(new Setup.StreamPlan("load", options.messageBytes, 0));
    try (Scene scene = Scene.build(subject, some, streams, 1, options.ownThreads)) {
      scene.go();
      scene.warmUp(options.warmUpSeconds * 1_000_000_000L);
      RailCounts before = RailCounts.of(scene.sender().ask("counters"));
      List<Long> bytesBefore = scene.hosts().bytesReceived();
      long from = System.nanoTime();
      Scene.pass(options.seconds * 1_000_000_000L);
      long to = System.nanoTime();
      JsonObject counters = scene.sender().ask("counters");
      report.detail("sender", counters);
      RailCounts counts = RailCounts.of(counters).minus(before);
      List<Long> bytes = scene.hosts().bytesReceived();
      Timeline.Stretch stretch = scene.stretches(from, to).getFirst();
      StreamVerifier.Account account = scene.finish();
      double total = 0;
      for (int i = 0; i < bytes.size(); i++) {
        total += bytes.get(i) - bytesBefore.get(i);
      }
      List<Double> shares = new ArrayList<>();
      for (int i = 0; i < bytes.size(); i++) {
        shares.add(total == 0 ? 0 : (bytes.get(i) - bytesBefore.get(i)) / total);
      }
      return new Run(Goodput.megabits(stretch), shares, counts, account);
    }
  }
}

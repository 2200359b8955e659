// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.lab;

import com.google.gson.Gson;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.crosstie.testkit.process.ToolException;
import io.crosstie.testkit.stream.StreamVerifier;
import java.util.List;
import java.util.Locale;

/**
 * How a slow or long path is used: a stream of messages of one size after the other over a rail of
 * a given rate, delay, MTU and order.
 */
public final class PathLab {
  private static final long SECOND_NS = 1_000_000_000L;
  private static final int LONGEST_PERCENT = 90;

  /** Queues of slow links hold at least that. */
  private static final long LEAST_QUEUE = 64 << 10;

  /** What waits at the sender of messages that leave at once: as little as can be configured. */
  private static final int SMALL_LOG = 256 << 10;

  /**
   * Where a rail brings less, the usual log would take minutes to drain. There no more is offered
   * than a quarter above the rate, so that what waits is bounded by the time.
   */
  private static final long SLOW = 5_000_000;

  /** Messages that are larger wait for a grant, and are not in the log. */
  private static final int EAGER_BYTES = 64 << 10;

  /** Large messages that wait at the sender, at most. */
  private static final long LARGE_BYTES = 17L << 20;

  private static final long DRAIN_SECONDS = 60;

  /**
   * What to do.
   *
   * @param rate as for tc
   * @param delay from one end to the other, as {@code 300ms}, or 0
   * @param mtu of the interfaces
   * @param queueBytes what waits where the rate is limited; 0 for 300 ms of the rate, 64 KiB at
   *     least
   * @param overtaken percent of packets that others overtake, 0 to 90
   * @param by so many others each
   * @param messageBytes sizes, measured one after the other
   * @param seconds of each measurement
   * @param warmUpSeconds before each
   */
  public record Options(
      String rate,
      String delay,
      int mtu,
      long queueBytes,
      int overtaken,
      int by,
      List<Integer> messageBytes,
      int seconds,
      int warmUpSeconds) {}

  private final Options options;
  private final RailPlan rail;
  private final Report report;
  private final JsonArray rows = new JsonArray();
  private StreamVerifier.Account account = StreamVerifier.Account.NONE;

  private PathLab(Options options, Report report) {
    if (options.overtaken < 0 || options.overtaken > LONGEST_PERCENT) {
      throw new ToolException(
          ToolException.USAGE,
          "--overtaken " + options.overtaken + " is not between 0 and " + LONGEST_PERCENT);
    }
    if (options.mtu < 576 || options.mtu > 65535) {
      throw new ToolException(
          ToolException.USAGE, "--mtu " + options.mtu + " is not between 576 and 65535");
    }
    this.options = options;
    long bits = RailPlan.parse(options.rate).getFirst().bitsPerSecond();
    long queue =
        options.queueBytes > 0 ? options.queueBytes : Math.max(LEAST_QUEUE, bits / 8 * 3 / 10);
    RailPlan.Disorder disorder =
        options.overtaken == 0
            ? RailPlan.Disorder.NONE
            : new RailPlan.Disorder(options.overtaken, options.by);
    this.rail =
        RailPlan.over(
            options.rate,
            new RailPlan.Path(RailPlan.delayNs(options.delay), options.mtu, queue, disorder));
    this.report = report;
  }

  /**
   * Measures.
   *
   * @return the result, as one line
   * @throws ToolException if the lab cannot be built or a process of it fails
   */
  public static Result run(Options options, Report report) {
    PathLab lab = new PathLab(options, report);
    Requirements.check();
    TwoHosts.sweep();
    for (int bytes : options.messageBytes) {
      lab.measure(bytes);
    }
    JsonObject result = new JsonObject();
    result.add("rows", lab.rows);
    Report.write(lab.account, result);
    report.say(lab.account.toString());
    return new Result(new Gson().toJson(result), lab.account.isClean());
  }

  private void measure(int bytes) {
    boolean slow = rail.bitsPerSecond() < SLOW;
    int perSecond = slow ? (int) (rail.bitsPerSecond() * 5 / 4 / 8 / bytes) + 1 : 0;
    List<Setup.StreamPlan> streams = List.of(new Setup.StreamPlan("load", bytes, perSecond));
    Setup.More more = new Setup.More(slow ? SMALL_LOG : 0, false);
    try (Scene scene = Scene.build(Subject.CROSSTIE, List.of(rail), streams, 1, false, more)) {
      if (options.overtaken > 0) {
        scene.hosts().sendSingly(rail);
      }
      RailCounts before = RailCounts.of(scene.sender().ask("counters"));
      scene.go();
      Scene.pass(options.warmUpSeconds * SECOND_NS);
      long from = System.nanoTime();
      Scene.pass(options.seconds * SECOND_NS);
      Timeline.Stretch stretch = scene.stretches(from, System.nanoTime()).getFirst();
      JsonObject counters = scene.sender().ask("counters");
      report.detail("sender", counters);
      RailCounts counts = RailCounts.of(counters).minus(before); // the start is part of it
      double share = Goodput.megabits(stretch) * 1e6 / rail.bitsPerSecond();
      StreamVerifier.Account judged = scene.finish(drainNs(bytes));
      account = account.plus(judged);
      row(bytes, share, counts, judged);
    }
  }

  /** As long as it was sent for and a minute, and what large messages may still take. */
  private long drainNs(int bytes) {
    long sendingNs = ((long) options.warmUpSeconds + options.seconds) * SECOND_NS;
    long large = bytes > EAGER_BYTES ? LARGE_BYTES * 8 * SECOND_NS / rail.bitsPerSecond() : 0;
    return DRAIN_SECONDS * SECOND_NS + sendingNs + large;
  }

  private void row(int bytes, double share, RailCounts counts, StreamVerifier.Account judged) {
    JsonObject row = new JsonObject();
    row.addProperty("rate", options.rate);
    row.addProperty("delay", options.delay);
    row.addProperty("mtu", options.mtu);
    row.addProperty("overtaken", options.overtaken);
    row.addProperty("by", options.overtaken == 0 ? 0 : options.by);
    row.addProperty("messageBytes", bytes);
    row.addProperty("shareOfRate", Report.round(share, 4));
    row.addProperty("spuriousShare", Report.round(counts.spuriousShare(), 5));
    row.addProperty("retransmittedShare", Report.round(counts.retransmittedShare(), 5));
    row.addProperty("packets", counts.packets());
    Report.write(judged, row);
    rows.add(row);
    report.say(
        String.format(
            Locale.ROOT,
            "%s, %s one way, MTU %d%s, messages of %d B: %s of the rate in application bytes;"
                + " sent again for nothing %s of %d packets, payload sent again %s; %s",
            options.rate,
            options.delay,
            options.mtu,
            options.overtaken == 0
                ? ""
                : ", " + options.overtaken + " % overtaken by " + options.by,
            bytes,
            Report.percents(share),
            Report.percents(counts.spuriousShare()),
            counts.packets(),
            Report.percents(counts.retransmittedShare()),
            judged));
  }
}

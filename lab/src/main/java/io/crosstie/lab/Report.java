// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.lab;

import com.google.gson.JsonObject;
import io.crosstie.testkit.stream.StreamVerifier;
import java.io.PrintStream;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Where the lab tells what it does and what came of it. */
public final class Report {
  private final PrintStream progress;
  private final boolean verbose;

  /**
   * Makes one.
   *
   * @param progress gets lines for a person
   * @param verbose whether counters are among them
   */
  public Report(PrintStream progress, boolean verbose) {
    this.progress = progress;
    this.verbose = verbose;
  }

  /** What a subject counts by itself, if anybody wants to know. */
  void detail(String what, JsonObject counters) {
    if (verbose) {
      progress.println(what + " " + counters);
      progress.flush();
    }
  }

  void say(String line) {
    progress.println(line);
    progress.flush();
  }

  static double median(List<Double> values) {
    double[] sorted = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
    return sorted.length == 0
        ? 0
        : (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
  }

  /** The value below which a share of the values lie; nearest rank. */
  static double percentile(List<Double> values, double share) {
    double[] sorted = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
    return sorted.length == 0 ? 0 : sorted[Math.max(0, (int) Math.ceil(share * sorted.length) - 1)];
  }

  /** Rounded to so many places, for a person's eye in JSON. */
  static double round(double value, int places) {
    double scale = Math.pow(10, places);
    return Math.round(value * scale) / scale;
  }

  /** Adds p50, p99 and max. */
  static JsonObject spread(List<Double> values) {
    JsonObject object = new JsonObject();
    object.addProperty("p50", round(percentile(values, 0.5), 2));
    object.addProperty("p99", round(percentile(values, 0.99), 2));
    object.addProperty("max", round(percentile(values, 1), 2));
    return object;
  }

  static String percents(double... shares) {
    return String.join(
        ", ",
        Arrays.stream(shares)
            .mapToObj(share -> String.format(Locale.ROOT, "%.1f %%", 100 * share))
            .toList());
  }

  /** Adds what receivers judged. */
  static void write(StreamVerifier.Account account, JsonObject object) {
    object.addProperty("delivered", account.delivered());
    object.addProperty("lost", account.lost());
    object.addProperty("duplicated", account.duplicated());
    object.addProperty("corrupt", account.corrupt());
    object.addProperty("outOfOrder", account.outOfOrder());
  }
}

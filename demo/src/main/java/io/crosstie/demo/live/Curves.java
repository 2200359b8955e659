// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo.live;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Rates out of counters, and the last two minutes of them. */
final class Curves {
  private static final int KEPT = 480;

  /** Without an account of the receiver for so long, nothing is known to arrive. */
  private static final double SILENT_MS = 1_000;

  private final ArrayDeque<LiveState.Sample> samples = new ArrayDeque<>();
  private final int rails;
  private @Nullable Report lastReport;
  private List<RailView> lastRails = List.of();
  private long lastNs;
  private List<Double> goodput;
  private double tcp;

  Curves(int rails) {
    this.rails = rails;
    this.goodput = zeros();
  }

  private List<Double> zeros() {
    return java.util.Collections.nCopies(rails, 0.0);
  }

  /** Takes the counters of a moment. */
  synchronized LiveState.Sample add(
      @Nullable Report report, double ageMs, List<RailView> views, long nowNs) {
    if (report == null || ageMs > SILENT_MS) {
      goodput = zeros();
      tcp = 0;
    } else {
      Report before = lastReport;
      double ms = before == null ? 0 : report.timeMs() - before.timeMs();
      if (before != null && ms > 0) {
        goodput = new ArrayList<>();
        for (int rail = 0; rail < rails; rail++) {
          goodput.add(
              mbit(
                  report.rails().get(rail).payloadIn() - before.rails().get(rail).payloadIn(), ms));
        }
        tcp = mbit(report.tcp().bytes() - before.tcp().bytes(), ms);
      }
      lastReport = report;
    }
    List<Double> kernel = new ArrayList<>();
    for (int rail = 0; rail < rails; rail++) {
      boolean known = lastRails.size() == rails;
      kernel.add(
          known
              ? mbit(
                  views.get(rail).txBytes() - lastRails.get(rail).txBytes(), (nowNs - lastNs) / 1e6)
              : 0);
    }
    lastRails = views;
    lastNs = nowNs;
    LiveState.Sample sample =
        new LiveState.Sample(
            System.currentTimeMillis(),
            goodput,
            goodput.stream().mapToDouble(Double::doubleValue).sum(),
            kernel,
            tcp);
    if (samples.size() == KEPT) {
      samples.removeFirst();
    }
    samples.addLast(sample);
    return sample;
  }

  /** A counter that begins anew, as with a new process or interface, gives no negative rate. */
  private static double mbit(long bytes, double ms) {
    return Math.round(Math.max(0, bytes) * 8 / ms) / 1e3;
  }

  /** Oldest first. */
  synchronized List<LiveState.Sample> samples() {
    return List.copyOf(samples);
  }
}

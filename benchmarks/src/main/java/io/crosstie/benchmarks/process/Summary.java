// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.HdrHistogram.Histogram;

/** All rounds of one case: medians over the rounds, and all raw values together. */
final class Summary {
  private static final double[] PERCENTILES = {50, 90, 99, 99.9};
  private static final String[] PERCENTILE_NAMES = {"p50", "p90", "p99", "p999"};

  private final CaseKey key;
  private final List<Measured> rounds;
  private final List<Histogram> histograms = new ArrayList<>();

  Summary(CaseKey key, List<Measured> rounds) {
    this.key = key;
    this.rounds = List.copyOf(rounds);
    if (key.bench().kind() == Bench.Kind.LATENCY) {
      for (Measured round : rounds) {
        String text = round.near().histogram();
        if (!text.isEmpty()) {
          histograms.add(Histograms.decode(text));
        }
      }
    }
  }

  CaseKey key() {
    return key;
  }

  boolean isEmpty() {
    return rounds.isEmpty() || (key.bench().kind() == Bench.Kind.LATENCY && histograms.isEmpty());
  }

  /** The figure that subjects are compared by, over the rounds. */
  Statistics figure() {
    return switch (key.bench().kind()) {
      case LATENCY -> percentile(50);
      case BANDWIDTH -> over(round -> round.megabytesPerSecond(key.bench()));
      case RATE -> over(round -> round.messagesPerSecond(key.bench()));
      case COUNT ->
          over(key.bench() == Bench.IDLE ? Measured::idlePercent : Measured::allocatedBytes);
    };
  }

  /** A percentile over the rounds, in nanoseconds. */
  Statistics percentile(double percent) {
    return Statistics.of(
        histograms.stream().map(one -> (double) one.getValueAtPercentile(percent)).toList());
  }

  Statistics mean() {
    return Statistics.of(histograms.stream().map(Histogram::getMean).toList());
  }

  private Statistics over(ToDoubleFunction<Measured> value) {
    return Statistics.of(rounds.stream().map(value::applyAsDouble).toList());
  }

  Statistics cpuSecondsPerGigabyte() {
    return over(round -> round.cpuSecondsPerGigabyte(key.bench()));
  }

  Statistics messagesPerSecond() {
    return over(round -> round.messagesPerSecond(key.bench()));
  }

  /** What the subject says of itself; empty for nothing. */
  String note() {
    return rounds.getLast().near().note();
  }

  /** Processors that others kept busy meanwhile. */
  Statistics foreignLoad() {
    return over(Measured::foreignLoad);
  }

  int rounds() {
    return rounds.size();
  }

  /** Where all rounds were measured, if that is one. */
  Placement placement() {
    Placement first = rounds.getFirst().placement();
    return rounds.stream().allMatch(round -> round.placement() == first) ? first : Placement.MIXED;
  }

  /** All rounds' values in one histogram. */
  Histogram allValues() {
    Histogram all = Histograms.create();
    histograms.forEach(all::add);
    return all;
  }

  /** What the machine-readable line says. */
  Map<String, Object> fields(Rail rail) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("bench", rail.label() + '-' + key.bench().label());
    fields.put("subject", key.subject());
    fields.put("size", key.size());
    if (key.rate() != 0) {
      fields.put("ratePerSecond", key.rate());
    }
    switch (key.bench().kind()) {
      case LATENCY -> latency(fields);
      case BANDWIDTH, RATE -> flow(fields);
      case COUNT -> {
        fields.put("unit", key.bench().unit());
        spread(fields, figure());
      }
    }
    fields.put("rounds", rounds.size());
    if (placement() != Placement.UNKNOWN) {
      fields.put("placement", placement().label());
      fields.put("bounceNs", Math.round(over(Measured::bounceNs).median()));
    }
    fields.put("foreignLoad", Math.round(foreignLoad().median() * 100) / 100.0);
    String note = note();
    if (!note.isEmpty()) {
      fields.put("note", note);
    }
    return fields;
  }

  private void latency(Map<String, Object> fields) {
    fields.put("unit", "ns");
    for (int i = 0; i < PERCENTILES.length; i++) {
      fields.put(PERCENTILE_NAMES[i], Math.round(percentile(PERCENTILES[i]).median()));
    }
    fields.put("mean", Math.round(mean().median()));
    Statistics p50 = figure();
    fields.put("p50min", Math.round(p50.min()));
    fields.put("p50max", Math.round(p50.max()));
  }

  private void flow(Map<String, Object> fields) {
    fields.put("unit", key.bench().unit());
    spread(fields, figure());
    fields.put("msgsPerSecond", Math.round(messagesPerSecond().median()));
    fields.put("cpuSecondsPerGB", Math.round(cpuSecondsPerGigabyte().median() * 1e4) / 1e4);
  }

  private static void spread(Map<String, Object> fields, Statistics statistics) {
    fields.put("median", Math.round(statistics.median() * 100) / 100.0);
    fields.put("min", Math.round(statistics.min() * 100) / 100.0);
    fields.put("max", Math.round(statistics.max() * 100) / 100.0);
  }
}

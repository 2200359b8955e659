// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The pairs of one row, and what follows from them. */
final class PairedRow {
  /** Worse by more than this is too much. */
  static final double TOLERANCE = 0.03;

  /** What an interval says of the tolerance. */
  enum Verdict {
    /** All of it is on the good side. */
    PASS("no more than 3 % worse"),
    /** It lies on both sides. */
    OPEN("open: more pairs, or a quieter machine, would tell"),
    /** All of it is on the bad side. */
    FAIL("MORE THAN 3 % WORSE"),
    /** Some run failed, or too few pairs could be compared. */
    VOID("NOT MEASURED");

    private final String text;

    Verdict(String text) {
      this.text = text;
    }

    String text() {
      return text;
    }
  }

  private final PairRow row;
  private final List<Double> olds = new ArrayList<>();
  private final List<Double> news = new ArrayList<>();
  private final List<Double> ratios = new ArrayList<>();
  private final List<Double> loads = new ArrayList<>();
  private int incomparable;
  private @Nullable String failure;

  PairedRow(PairRow row) {
    this.row = row;
  }

  PairRow row() {
    return row;
  }

  /**
   * Notes a pair. It counts unless a virtual machine's processors were near each other in one of
   * its runs and far in the other: that alone is a factor of two and more.
   *
   * @return the ratio new/old of the figures
   */
  double add(Measured old, Measured fresh) {
    double before = figure(old);
    double after = figure(fresh);
    double ratio = after / before;
    if (old.placement() != fresh.placement()) {
      incomparable++;
    } else {
      olds.add(before);
      news.add(after);
      ratios.add(ratio);
      loads.add(Math.max(old.foreignLoad(), fresh.foreignLoad()));
    }
    return ratio;
  }

  double figure(Measured measured) {
    CaseKey key = new CaseKey(row.bench(), row.subject(true), row.size(), 0);
    return new Summary(key, List.of(measured)).figure().median();
  }

  void fail(String why) {
    failure = why;
  }

  boolean hasFailed() {
    return failure != null;
  }

  int pairs() {
    return ratios.size();
  }

  int incomparable() {
    return incomparable;
  }

  Verdict verdict() {
    if (failure != null || ratios.size() < MedianInterval.LEAST_VALUES) {
      return Verdict.VOID;
    }
    MedianInterval interval = MedianInterval.of(ratios);
    double bound = row.isLessBetter() ? 1 + TOLERANCE : 1 - TOLERANCE;
    boolean lowIsWorse = row.isLessBetter() ? interval.low() > bound : interval.low() < bound;
    boolean highIsWorse = row.isLessBetter() ? interval.high() > bound : interval.high() < bound;
    if (lowIsWorse && highIsWorse) {
      return Verdict.FAIL;
    }
    return lowIsWorse || highIsWorse ? Verdict.OPEN : Verdict.PASS;
  }

  /** A line for people. */
  String line() {
    if (ratios.size() < MedianInterval.LEAST_VALUES || failure != null) {
      String why = failure;
      return String.format(
          Locale.ROOT,
          "%-18s %s: %s",
          row.label(),
          verdict().text(),
          why != null
              ? why
              : "the processors were near and far in " + incomparable + " pairs, not alike");
    }
    MedianInterval interval = MedianInterval.of(ratios);
    return String.format(
        Locale.ROOT,
        "%-18s %12s %12s   %.3f  %.3f - %.3f   %5d  %5.0f %%  %s",
        row.label(),
        Text.value(row.bench(), Statistics.of(olds).median()),
        Text.value(row.bench(), Statistics.of(news).median()),
        interval.median(),
        interval.low(),
        interval.high(),
        ratios.size(),
        100 * Statistics.of(loads).median(),
        verdict().text());
  }

  /** For machines. */
  Map<String, Object> fields() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("row", row.name());
    fields.put("size", row.size());
    fields.put("unit", row.bench().unit());
    fields.put("verdict", verdict().name().toLowerCase(Locale.ROOT));
    String why = failure;
    if (why != null) {
      fields.put("failure", why);
    }
    if (ratios.size() >= MedianInterval.LEAST_VALUES) {
      MedianInterval interval = MedianInterval.of(ratios);
      fields.put("ratio", interval.median());
      fields.put("low", interval.low());
      fields.put("high", interval.high());
      fields.put("coverage", interval.coverage());
    }
    fields.put("incomparable", incomparable);
    fields.put("old", olds);
    fields.put("new", news);
    fields.put("foreignLoad", loads);
    return fields;
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import com.google.gson.Gson;
import io.crosstie.benchmarks.Environment;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/**
 * Compares two builds: the one that runs with an older one. Both are measured by the same loops, in
 * processes started anew for each run, one run of each build right after the other and by turns the
 * old or the new one first. Each such pair gives a ratio, and each row the median of its ratios
 * with the interval that {@link MedianInterval} tells. A pair takes all rows before the next pair,
 * so that what drifts over minutes is in all rows and in both builds.
 */
public final class PairsRun {
  /** Exit status: no row is worse beyond doubt. */
  public static final int DONE = 0;

  /** Exit status: some row is worse beyond doubt, or could not be measured. */
  public static final int FAILED = 1;

  /** At least: no run is counted before its JVMs have compiled, for which four times this is. */
  private static final long WARM_UP_NS = 2_500_000_000L;

  private static final long MEASURE_NS = 2_000_000_000L;

  /** Pairs that may be run, as a multiple of those asked for, where processors are moved about. */
  private static final int MOST_TIMES = 2;

  private static final Gson GSON = new Gson();

  private final PairsSettings settings;
  private final PrintStream out;
  private final Build old;
  private final Build fresh = Build.running();
  private final List<PairedRow> rows;
  private long patienceNs;

  private PairsRun(PairsSettings settings, PrintStream out) {
    this.settings = settings;
    this.out = out;
    old = settings.ownLoops() ? Build.whole(settings.against()) : Build.of(settings.against());
    patienceNs = settings.waitQuietNs();
    rows = settings.rows().stream().map(PairedRow::new).toList();
  }

  /**
   * Runs it.
   *
   * @param settings what to do
   * @param out for progress and the table
   * @return exit status
   * @throws IllegalArgumentException if the folder holds no build
   */
  public static int run(PairsSettings settings, PrintStream out) throws IOException {
    return new PairsRun(settings, out).run();
  }

  private int run() throws IOException {
    Environment.lines(Flags.JVM).forEach(out::println);
    out.println("old            " + settings.against().toAbsolutePath());
    out.println(
        "new            this build"
            + (settings.accelerator() ? "" : ", without its accelerator")
            + (settings.ownLoops()
                ? "; each is measured by its own benchmarks"
                : "; the benchmarks are its own in both"));
    out.flush();
    Bounce.warmUp();
    int most = MOST_TIMES * settings.pairs();
    for (int round = 1; round <= most; round++) {
      for (PairedRow row : rows) {
        if (!row.hasFailed() && row.pairs() < settings.pairs()) {
          measure(row, round);
        }
      }
    }
    print();
    save();
    return rows.stream()
            .map(PairedRow::verdict)
            .allMatch(one -> one == PairedRow.Verdict.PASS || one == PairedRow.Verdict.OPEN)
        ? DONE
        : FAILED;
  }

  private void measure(PairedRow row, int round) {
    boolean oldFirst = round % 2 == 1;
    try {
      Measured first = measureQuietly(row.row(), oldFirst);
      Measured second = measureQuietly(row.row(), !oldFirst);
      Measured ofOld = oldFirst ? first : second;
      Measured ofNew = oldFirst ? second : first;
      double ratio = row.add(ofOld, ofNew);
      out.printf(
          Locale.ROOT,
          "pair %2d/%d  %-18s old %-12s new %-12s new/old %.3f%s%n",
          row.pairs(),
          settings.pairs(),
          row.row().label(),
          Text.value(row.row().bench(), row.figure(ofOld)),
          Text.value(row.row().bench(), row.figure(ofNew)),
          ratio,
          ofOld.placement() == ofNew.placement()
              ? ""
              : "  not counted: processors were moved, " + placements(ofOld, ofNew));
    } catch (CaseException e) {
      row.fail(String.valueOf(e.getMessage()));
      out.println("FAILED  " + row.row().label() + ": " + e.getMessage());
    }
    out.flush();
  }

  private static String placements(Measured ofOld, Measured ofNew) {
    return ofOld.placement().label() + " and " + ofNew.placement().label();
  }

  /** Again, as long as there is patience, if others have disturbed it. */
  private Measured measureQuietly(PairRow row, boolean isOld) {
    while (true) {
      patienceNs -= ForeignLoad.awaitQuiet(patienceNs);
      long beganNs = System.nanoTime();
      Measured measured = measure(row, isOld);
      if (patienceNs <= 0 || measured.foreignLoad() < ForeignLoad.DOUBTFUL) {
        return measured;
      }
      patienceNs -= System.nanoTime() - beganNs;
    }
  }

  private Measured measure(PairRow row, boolean isOld) {
    try (WorkerPair pair = new WorkerPair(row.rail(), isOld ? old : fresh)) {
      return pair.measure(row.spec(isOld || settings.accelerator(), WARM_UP_NS, MEASURE_NS));
    } catch (CaseException e) {
      throw new CaseException(
          (isOld
                  ? "by the old build (if a class or a method is missing, the public API differs:"
                      + " --own-loops measures it by its own benchmarks): "
                  : "by the new build: ")
              + e.getMessage(),
          e);
    }
  }

  private void print() {
    out.println();
    out.printf(
        "%-18s %12s %12s   %-5s  %-13s   %5s  %7s%n",
        "medians", "old", "new", "ratio", "95 % interval", "pairs", "others");
    rows.forEach(row -> out.println(row.line()));
    out.println();
    rows.stream()
        .filter(row -> row.pairs() >= MedianInterval.LEAST_VALUES)
        .mapToInt(PairedRow::pairs)
        .distinct()
        .forEach(
            pairs ->
                out.println(
                    "Interval of the median of "
                        + pairs
                        + " ratios new/old by order statistics: "
                        + ranks(pairs)));
    int incomparable = rows.stream().mapToInt(PairedRow::incomparable).sum();
    if (incomparable > 0) {
      out.println(
          incomparable + " pairs not counted: the processors were near in one run, far in another");
    }
  }

  private static String ranks(int pairs) {
    MedianInterval interval = MedianInterval.of(Collections.nCopies(pairs, Double.valueOf(1)));
    return String.format(
        Locale.ROOT,
        "values %d and %d, which cover it with %.1f %%, whatever their distribution",
        interval.rank(),
        pairs + 1 - interval.rank(),
        100 * interval.coverage());
  }

  private void save() throws IOException {
    Path json = settings.json();
    if (json != null) {
      StringBuilder lines = new StringBuilder();
      rows.forEach(row -> lines.append(GSON.toJson(row.fields())).append('\n'));
      Files.writeString(json, lines);
    }
  }
}

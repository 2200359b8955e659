// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import com.google.gson.Gson;
import io.crosstie.benchmarks.Environment;
import io.crosstie.checksum.ChecksumKind;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * NewMadeleine's Figure 4: what each checksum leaves of a stream's bandwidth, over the size of a
 * message, between two processes and by the public API. In each round every checksum gets two new
 * processes, which measure all sizes one after the other.
 */
public final class ChecksumRun {
  /** Exit status: measured. */
  public static final int DONE = 0;

  /** Exit status: a stream failed. */
  public static final int FAILED = 1;

  private static final long FIRST_WARM_UP_NS = 4_000_000_000L;
  private static final long WARM_UP_NS = 1_000_000_000L;
  private static final long MEASURE_NS = 500_000_000L;

  /** A size that was disturbed is measured so often more. */
  private static final int MOST_AGAIN = 2;

  private static final Gson GSON = new Gson();

  /**
   * What it is asked to do.
   *
   * @param rail over what
   * @param checksums only these, by name; empty for all
   * @param sizes of messages in bytes
   * @param rounds how often each is measured
   * @param json where the results go too, one JSON object a line
   */
  public record Settings(
      Rail rail, List<String> checksums, List<Integer> sizes, int rounds, @Nullable Path json) {
    /** Checks. */
    public Settings {
      checksums.forEach(ChecksumKind::parse);
      sizes.forEach(BenchSettings::checkSize);
      if (rounds < 1 || sizes.isEmpty()) {
        throw new IllegalArgumentException("at least one round and one size");
      }
    }
  }

  private record Cell(String subject, int size) {}

  private final Settings settings;
  private final PrintStream out;
  private final List<Subject> subjects;
  private final Map<Cell, List<Double>> figures = new LinkedHashMap<>();
  private boolean failed;

  private ChecksumRun(Settings settings, PrintStream out) {
    this.settings = settings;
    this.out = out;
    subjects =
        ChecksumSubjects.of(settings.rail()).stream()
            .filter(
                subject ->
                    settings.checksums().isEmpty()
                        || settings.checksums().contains(ChecksumSubjects.title(subject)))
            .toList();
  }

  /**
   * Runs it.
   *
   * @param out for progress and the table
   * @return exit status
   */
  public static int run(Settings settings, PrintStream out) throws IOException {
    return new ChecksumRun(settings, out).run();
  }

  private int run() throws IOException {
    Environment.lines(Flags.JVM).forEach(out::println);
    out.flush();
    Bounce.warmUp();
    for (int round = 1; round <= settings.rounds(); round++) {
      for (Subject subject : subjects) {
        try {
          measure(subject, round);
        } catch (CaseException e) {
          failed = true;
          out.println("FAILED  " + subject.name() + ": " + e.getMessage());
        }
      }
    }
    table();
    save();
    return failed ? FAILED : DONE;
  }

  private void measure(Subject subject, int round) {
    StringBuilder line =
        new StringBuilder("round " + round + "  " + padded(ChecksumSubjects.title(subject)));
    try (WorkerPair pair = new WorkerPair(settings.rail())) {
      long warmUpNs = FIRST_WARM_UP_NS;
      for (int size : settings.sizes()) {
        CaseSpec spec =
            new CaseSpec(Bench.STREAM, subject.name(), size, 0, false, warmUpNs, MEASURE_NS, 0);
        Measured measured = pair.measure(spec);
        for (int again = 0; again < MOST_AGAIN && isDisturbed(measured); again++) {
          measured = pair.measure(spec);
        }
        double figure = measured.megabytesPerSecond(Bench.STREAM);
        figures
            .computeIfAbsent(new Cell(subject.name(), size), cell -> new ArrayList<>())
            .add(figure);
        line.append(
            String.format(Locale.ROOT, "  %6.0f %-5s", figure, measured.placement().label()));
        warmUpNs = WARM_UP_NS;
      }
    }
    out.println(line);
    out.flush();
  }

  /** By whoever moved the processors, or by other programs. */
  private static boolean isDisturbed(Measured measured) {
    return !measured.placement().isJudged() || measured.foreignLoad() >= ForeignLoad.DOUBTFUL;
  }

  private static String padded(String title) {
    return String.format(Locale.ROOT, "%-18s", title);
  }

  /** A row for each checksum, a column for each size. */
  private void table() {
    out.println();
    out.println(
        "MB/s of a one-way stream over "
            + (settings.rail() == Rail.SHM ? "shared memory" : "loopback UDP, 1408-byte packets")
            + ", medians of "
            + settings.rounds()
            + " rounds; messages of");
    StringBuilder head = new StringBuilder(padded("checksum"));
    settings.sizes().forEach(size -> head.append(String.format("%10s", Text.size(size))));
    out.println(head);
    for (Subject subject : subjects) {
      StringBuilder row = new StringBuilder(padded(ChecksumSubjects.title(subject)));
      for (int size : settings.sizes()) {
        List<Double> values = figures.get(new Cell(subject.name(), size));
        row.append(
            values == null
                ? String.format("%10s", "-")
                : String.format(Locale.ROOT, "%10.0f", Statistics.of(values).median()));
      }
      out.println(row);
    }
  }

  private void save() throws IOException {
    Path json = settings.json();
    if (json != null) {
      StringBuilder lines = new StringBuilder();
      figures.forEach(
          (cell, values) ->
              lines
                  .append(
                      GSON.toJson(
                          Map.of(
                              "bench",
                              settings.rail().label() + "-checksums",
                              "subject",
                              cell.subject(),
                              "size",
                              cell.size(),
                              "unit",
                              "MB/s",
                              "rounds",
                              values)))
                  .append('\n'));
      Files.writeString(json, lines);
    }
  }
}

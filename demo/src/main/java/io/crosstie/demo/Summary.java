// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo;

import io.crosstie.testkit.process.Table;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What the demo tells a person at the end: a line for each cut, a line for each rail, the verdict.
 */
final class Summary {
  private Summary() {}

  /**
   * Prints it.
   *
   * @param details whether what each rail counted is told, too
   */
  static void print(Verdict verdict, boolean details, PrintStream out) {
    out.println();
    if (!verdict.cuts().isEmpty()) {
      cuts(verdict).lines().forEach(out::println);
      out.printf(
          Locale.ROOT,
          "The longest pause while nothing was cut: %.1f ms (what this machine does by"
              + " itself).%n%n",
          verdict.calmGapMs());
    }
    if (!verdict.rails().isEmpty()) {
      rails(verdict).lines().forEach(out::println);
      out.println();
      if (details) {
        details(verdict).lines().forEach(out::println);
        out.println();
      }
    }
    out.printf(
        Locale.ROOT,
        "%s in %d messages in %.1f s, outages included: %.0f MB/s; with all rails %.0f MB/s%n",
        ByteSize.format(verdict.bytes()),
        verdict.messages(),
        verdict.seconds(),
        verdict.goodputMBps(),
        verdict.allRailsMBps());
    out.printf(
        "every byte compared with %s, and %d heartbeats beside%n",
        verdict.data(), verdict.heartbeats());
    out.printf(
        "lost %d, duplicated %d, corrupt %d, out of order %d%n",
        verdict.lost(), verdict.duplicated(), verdict.corrupt(), verdict.outOfOrder());
    verdict.reasons().forEach(reason -> out.println("  - " + reason));
    out.println(verdict.ok() ? "VERDICT: nothing lost" : "VERDICT: FAILED");
    out.flush();
  }

  private static Table cuts(Verdict verdict) {
    Table table = new Table();
    table.add("cut", "taken away", "pause (ms)", "what happened");
    List<String> all = verdict.rails().stream().map(Verdict.Rail::name).toList();
    Map<Integer, List<CutResult>> cuts =
        verdict.cuts().stream().collect(Collectors.groupingBy(CutResult::cut));
    cuts.forEach(
        (number, results) ->
            table.add(
                number,
                results.stream()
                    .map(result -> result.rail() + " (" + result.how() + ")")
                    .collect(Collectors.joining(", ")),
                number(results.getFirst().gapMs()),
                story(results, all)));
    return table;
  }

  private static String story(List<CutResult> results, List<String> all) {
    List<String> left = new ArrayList<>(all);
    results.forEach(result -> left.remove(result.rail()));
    Double back = 0.0;
    for (CutResult result : results) {
      if (!result.ok()) {
        return "FAILED: " + result.rail() + " did not fail over and back";
      }
      back =
          back == null || result.failbackMs() == null ? null : Math.max(back, result.failbackMs());
    }
    String over =
        left.isEmpty()
            ? "no rail was left; the stream went on "
                + number(results.getFirst().resumedMs())
                + " ms after they were given back"
            : "the stream went on over " + String.join(" and ", left);
    return over
        + "; all rails carried again "
        + (back == null ? "-" : String.format(Locale.ROOT, "%.1f s", back / 1e3))
        + " after their return";
  }

  private static Table rails(Verdict verdict) {
    Table table = new Table();
    table.add("rail", "carried", "share", "sent again", "repeats dropped");
    long sum = Math.max(1, verdict.rails().stream().mapToLong(Verdict.Rail::bytes).sum());
    for (Verdict.Rail rail : verdict.rails()) {
      table.add(
          rail.name(),
          ByteSize.format(rail.bytes()),
          100 * rail.bytes() / sum + " %",
          ByteSize.format(rail.retransmittedBytes()),
          rail.duplicates());
    }
    return table;
  }

  private static Table details(Verdict verdict) {
    Table table = new Table();
    table.add(
        "rail", "packets", "on the wire", "NACKs", "sent again because of", "seconds in state");
    for (Verdict.Rail rail : verdict.rails()) {
      table.add(
          rail.name(),
          rail.packets(),
          ByteSize.format(rail.wireBytes()),
          rail.nacks(),
          nonZero(rail.retransmissions(), 1),
          nonZero(rail.statesMs(), 1_000));
    }
    return table;
  }

  private static String nonZero(Map<String, Long> values, long unit) {
    String text =
        values.entrySet().stream()
            .filter(entry -> entry.getValue() != 0)
            .map(
                entry ->
                    entry.getKey().toLowerCase(Locale.ROOT).replace('_', ' ')
                        + " "
                        + (unit == 1
                            ? String.valueOf(entry.getValue())
                            : String.format(Locale.ROOT, "%.1f", entry.getValue() / (double) unit)))
            .collect(Collectors.joining(", "));
    return text.isEmpty() ? "-" : text;
  }

  private static String number(@Nullable Double value) {
    return value == null ? "-" : String.format(Locale.ROOT, "%.1f", value);
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The table at the end. */
final class Summary {
  private Summary() {}

  static void print(Verdict verdict, PrintStream out) {
    out.println();
    if (!verdict.rails().isEmpty()) {
      table(out, railRows(verdict));
      out.println();
    }
    if (!verdict.cuts().isEmpty()) {
      table(out, cutRows(verdict));
      out.println();
    }
    out.printf(
        Locale.ROOT,
        "%s in %d messages in %.1f s: %.1f MB/s (%s)%n",
        ByteSize.format(verdict.bytes()),
        verdict.messages(),
        verdict.seconds(),
        verdict.goodputMBps(),
        verdict.data());
    out.printf(
        "lost %d, duplicated %d, corrupt %d, out of order %d%n",
        verdict.lost(), verdict.duplicated(), verdict.corrupt(), verdict.outOfOrder());
    if (!verdict.sha256().isEmpty()) {
      out.println("SHA-256 " + verdict.sha256());
    }
    verdict.reasons().forEach(reason -> out.println("  - " + reason));
    out.println(verdict.ok() ? "VERDICT: nothing lost" : "VERDICT: FAILED");
    out.flush();
  }

  private static List<List<String>> railRows(Verdict verdict) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(
        List.of(
            "rail",
            "packets",
            "payload",
            "on the wire",
            "sent again",
            "because of",
            "NACKs",
            "repeats dropped",
            "time in state (s)"));
    for (Verdict.Rail rail : verdict.rails()) {
      rows.add(
          List.of(
              rail.name(),
              String.valueOf(rail.packets()),
              ByteSize.format(rail.bytes()),
              ByteSize.format(rail.wireBytes()),
              ByteSize.format(rail.retransmittedBytes()),
              nonZero(rail.retransmissions(), 1),
              String.valueOf(rail.nacks()),
              String.valueOf(rail.duplicates()),
              nonZero(rail.statesMs(), 1_000)));
    }
    return rows;
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

  private static List<List<String>> cutRows(Verdict verdict) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(
        List.of("cut", "rail", "how", "noticed (ms)", "gap (ms)", "back after (ms)", "result"));
    for (CutResult cut : verdict.cuts()) {
      rows.add(
          List.of(
              String.valueOf(cut.cut()),
              cut.rail(),
              cut.how(),
              number(cut.noticedMs()),
              number(cut.gapMs()),
              number(cut.failbackMs()),
              cut.ok() ? "over and back" : "FAILED"));
    }
    return rows;
  }

  private static String number(@Nullable Double value) {
    return value == null ? "-" : String.format(Locale.ROOT, "%.1f", value);
  }

  /** The last column is as long as it likes. */
  private static void table(PrintStream out, List<List<String>> rows) {
    int[] widths = new int[rows.getFirst().size()];
    for (List<String> row : rows) {
      Arrays.setAll(widths, i -> Math.max(widths[i], row.get(i).length()));
    }
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < widths.length; i++) {
        line.append(row.get(i)).append(" ".repeat(widths[i] - row.get(i).length() + 2));
      }
      out.println(line.toString().stripTrailing());
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** What a run has brought, as tables for people and as lines for programs. */
final class Report {
  static final String HEADLINE =
      "Loopback only: two processes of one machine; no figure here tells of a network.";

  private static final String LATENCY_ROW = " %10s %10s %10s %10s %10s  %-23s %8s %7s";
  private static final String FLOW_ROW = " %12s  %-25s %12s %10s %8s %7s";

  private static final Gson GSON = new GsonBuilder().disableHtmlEscaping().create();

  private final BenchSettings settings;
  private final Plan plan;
  private final Results results;
  private final List<String> environment;

  Report(BenchSettings settings, Plan plan, Results results, List<String> environment) {
    this.settings = settings;
    this.plan = plan;
    this.results = results;
    this.environment = environment;
  }

  /** Why the run proves nothing. */
  List<String> voids() {
    return Reference.voids(settings.rail(), results);
  }

  /** Prints everything. */
  void print(PrintStream out) {
    out.println();
    out.println(HEADLINE);
    environment.forEach(out::println);
    subjects(out);
    for (Results.Group group : results.groups()) {
      table(out, group);
    }
    list(out, "Goals", Goal.judge(settings.rail(), results), "none of these subjects has one");
    list(out, "Where we lose", Losses.find(plan, results), "nowhere in this run");
    list(out, "Failed", results.failures(), "nothing");
    list(out, "Left out", results.leftOut(), "nothing");
    list(out, "Disturbed by other programs", disturbed(), "nothing");
    List<String> voids = voids();
    if (!voids.isEmpty()) {
      list(out, "VOID: a peer did worse than it can", voids, "");
    }
    out.println();
    out.println("Results are in " + settings.folder());
  }

  /** Rows during which others took a good part of a processor. */
  private List<String> disturbed() {
    return results.summaries().stream()
        .filter(summary -> summary.foreignLoad().median() >= ForeignLoad.DOUBTFUL)
        .map(
            summary ->
                summary.key().bench().label()
                    + ' '
                    + summary.key().subject()
                    + ' '
                    + Text.size(summary.key().size())
                    + results.suffix(summary.placement())
                    + ": do not trust it; see --wait-quiet")
        .toList();
  }

  private void subjects(PrintStream out) {
    out.println();
    out.println("Subjects");
    for (Subject subject : plan.subjects()) {
      out.printf(
          "  %-26s guarantees: %s; copies: %s; threads: %s; packet: %s; settings: %s%n",
          subject.name(),
          subject.facts().guarantees(),
          subject.facts().copies(),
          subject.facts().threads(),
          subject.facts().packet(),
          subject.facts().settings());
    }
    Versions.peers().forEach(line -> out.println("  " + line));
    out.println(
        "  Receivers sum every 64-bit word of what comes and compare the sums; in an open loop they"
            + " look at the first word. Before, each ran with every byte compared (bare ones may"
            + " lose: gaps are told, wrong bytes fail).");
    results
        .verified()
        .forEach(
            (key, tally) -> {
              if (tally.lostBytes() > 0) {
                out.printf(
                    "  %s lost %d bytes of %s messages in the verifying %s%n",
                    key.subject(), tally.lostBytes(), Text.size(key.size()), key.bench().label());
              }
            });
  }

  /**
   * A row for each subject; where the processors did not stay where they were, one for each
   * placement, with the number of its rounds.
   */
  private void table(PrintStream out, Results.Group group) {
    Results ofGroup = results.of(group);
    Set<Placement> placements = ofGroup.placements();
    Placement only = placements.size() == 1 ? placements.iterator().next() : null;
    out.println();
    out.printf(
        "%s-%s, %s%s: %s%s%n",
        settings.rail().label(),
        group.bench().label(),
        Text.size(group.size()),
        group.rate() == 0 ? "" : ", " + group.rate() + " a second",
        group.bench().title(),
        only == null || only == Placement.UNKNOWN ? "" : "; processors " + only.label());
    boolean latency = group.bench().kind() == Bench.Kind.LATENCY;
    String format = only == null ? "  %-26s %-9s" : "  %-26s%s";
    out.printf(format, "subject", only == null ? "rounds" : "");
    out.println(
        latency
            ? LATENCY_ROW.formatted(
                "p50", "p90", "p99", "p99.9", "mean", "p50 of rounds", "to bare", "others")
            : FLOW_ROW.formatted(
                "median", "rounds", "messages/s", "CPU s/GB", "to bare", "others"));
    Map<Placement, Results> byPlacement = ofGroup.byPlacement();
    for (Subject subject : plan.subjects()) {
      byPlacement.forEach(
          (placement, part) ->
              part.find(group, subject.name())
                  .ifPresent(
                      summary -> {
                        String rounds = placement.label() + " x" + summary.rounds();
                        out.printf(format, subject.name(), only == null ? rounds : "");
                        Optional<Double> toBare =
                            placement.isJudged()
                                ? part.ratio(group, subject.name(), "bare")
                                : Optional.empty();
                        out.println(row(summary, toBare));
                      }));
    }
    for (Subject subject : plan.subjects()) {
      results
          .find(group, subject.name())
          .map(Summary::note)
          .filter(note -> !note.isEmpty())
          .ifPresent(note -> out.println("  " + subject.name() + ": " + note));
    }
  }

  private static String row(Summary summary, Optional<Double> ratio) {
    Bench bench = summary.key().bench();
    Statistics figure = summary.figure();
    String rounds = Text.value(bench, figure.min()) + " - " + Text.value(bench, figure.max());
    boolean flows = bench.kind() != Bench.Kind.COUNT;
    String toBare = ratio.map(value -> String.format(Locale.ROOT, "%.3f", value)).orElse("");
    String others = String.format(Locale.ROOT, "%.0f %%", 100 * summary.foreignLoad().median());
    return bench.kind() == Bench.Kind.LATENCY
        ? LATENCY_ROW.formatted(
            Text.nanos(figure.median()),
            Text.nanos(summary.percentile(90).median()),
            Text.nanos(summary.percentile(99).median()),
            Text.nanos(summary.percentile(99.9).median()),
            Text.nanos(summary.mean().median()),
            rounds,
            toBare,
            others)
        : FLOW_ROW.formatted(
            Text.figure(summary),
            rounds,
            flows ? String.format(Locale.ROOT, "%.0f", summary.messagesPerSecond().median()) : "",
            flows
                ? String.format(Locale.ROOT, "%.3f", summary.cpuSecondsPerGigabyte().median())
                : "",
            toBare,
            others);
  }

  private static void list(PrintStream out, String title, List<String> lines, String ifNone) {
    out.println();
    out.println(title);
    (lines.isEmpty() ? List.of(ifNone) : lines).forEach(line -> out.println("  " + line));
  }

  /** Writes results, tables and histograms to the folder. */
  void save() throws IOException {
    Files.createDirectories(settings.folder());
    StringBuilder lines = new StringBuilder();
    for (Summary summary : results.summaries()) {
      lines.append(GSON.toJson(summary.fields(settings.rail()))).append('\n');
      if (summary.key().bench().kind() == Bench.Kind.LATENCY) {
        saveHistogram(summary);
      }
    }
    Files.writeString(settings.folder().resolve("results.jsonl"), lines);
    Path json = settings.json();
    if (json != null) {
      Files.writeString(json, lines);
    }
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    print(new PrintStream(text, true, StandardCharsets.UTF_8));
    Files.write(settings.folder().resolve("report.txt"), text.toByteArray());
    String page =
        new HtmlReport(settings.rail(), plan, results).page(text.toString(StandardCharsets.UTF_8));
    Files.writeString(settings.folder().resolve("report.html"), page);
  }

  private void saveHistogram(Summary summary) throws IOException {
    CaseKey key = summary.key();
    String name =
        "%s-%s.%s.%d%s%s.hgrm"
            .formatted(
                settings.rail().label(),
                key.bench().label(),
                key.subject(),
                key.size(),
                key.rate() == 0 ? "" : "@" + key.rate(),
                results.suffix(summary.placement()).isEmpty()
                    ? ""
                    : "." + summary.placement().label());
    try (PrintStream out =
        new PrintStream(
            Files.newOutputStream(settings.folder().resolve(name)),
            false,
            StandardCharsets.UTF_8)) {
      summary.allValues().outputPercentileDistribution(out, 1.0);
    }
  }
}

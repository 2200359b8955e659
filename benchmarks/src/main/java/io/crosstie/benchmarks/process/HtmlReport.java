// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import com.google.gson.Gson;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/**
 * One page with everything within: a curve over message size for each subject of each bench, drawn
 * by Chart.js, and the tables.
 */
final class HtmlReport {
  private static final String ARTIFACT = "META-INF/maven/org.webjars.npm/chart.js/pom.properties";

  /** Distinct from each other on white, in the order of the subjects. */
  private static final List<String> COLOURS =
      List.of(
          "#222222", "#777777", "#aaaaaa", "#d62728", "#ff7f0e", "#1f77b4", "#2ca02c", "#9467bd",
          "#8c564b", "#e377c2", "#bcbd22", "#17becf", "#393b79", "#637939", "#8c6d31", "#843c39",
          "#7b4173", "#3182bd", "#31a354", "#756bb1");

  private static final Gson GSON = new Gson();

  private final Rail rail;
  private final Plan plan;
  private final Results results;

  HtmlReport(Rail rail, Plan plan, Results results) {
    this.rail = rail;
    this.plan = plan;
    this.results = results;
  }

  /**
   * The page.
   *
   * @param tables the report as text
   */
  String page(String tables) throws IOException {
    StringBuilder page = new StringBuilder();
    page.append(
            "<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>crosstie bench ")
        .append(rail.label())
        .append("</title><style>body{font-family:sans-serif;margin:2em;max-width:80em}")
        .append("canvas{max-height:32em}pre{overflow-x:auto}</style><script>")
        .append(library().replace("</script", "<\\/script"))
        .append("</script></head><body><h1>")
        .append(escape(Report.HEADLINE))
        .append("</h1>");
    for (Bench bench : plan.benches()) {
      List<Map<String, Object>> curves = curves(bench);
      if (!curves.isEmpty()) {
        chart(page, bench, curves);
      }
    }
    return page.append("<pre>").append(escape(tables)).append("</pre></body></html>\n").toString();
  }

  private void chart(StringBuilder page, Bench bench, List<Map<String, Object>> curves) {
    String name = rail.label() + '-' + bench.label();
    page.append("<h2>")
        .append(name)
        .append(": ")
        .append(escape(bench.title()))
        .append("</h2><canvas id=\"")
        .append(name)
        .append("\"></canvas><script>new Chart(document.getElementById(")
        .append(GSON.toJson(name))
        .append("),{type:'line',data:{datasets:")
        .append(GSON.toJson(curves))
        .append("},options:{animation:false,scales:{x:{type:'logarithmic',title:{display:true,")
        .append("text:'bytes of a message'}},y:{type:'logarithmic',title:{display:true,text:")
        .append(GSON.toJson(unit(bench)))
        .append("}}}}});</script>");
  }

  private static String unit(Bench bench) {
    return switch (bench.kind()) {
      case LATENCY -> "ns, median";
      case BANDWIDTH -> "MB/s";
      case RATE -> "messages/s";
      case COUNT -> bench.title();
    };
  }

  /** One for each subject and placement, and in an open loop for each rate. */
  List<Map<String, Object>> curves(Bench bench) {
    List<Map<String, Object>> curves = new ArrayList<>();
    List<Results.Group> groups =
        results.groups().stream().filter(group -> group.bench() == bench).toList();
    List<Long> rates = groups.stream().map(Results.Group::rate).distinct().toList();
    Map<Placement, Results> byPlacement = results.byPlacement();
    for (int i = 0; i < plan.subjects().size(); i++) {
      int number = i;
      String subject = plan.subjects().get(i).name();
      for (long rate : rates) {
        byPlacement.forEach(
            (placement, part) -> {
              List<Map<String, Number>> points = points(part, groups, subject, rate);
              if (!points.isEmpty()) {
                Map<String, Object> curve = new LinkedHashMap<>();
                curve.put(
                    "label",
                    (rate == 0 ? subject : subject + " at " + rate + "/s")
                        + results.suffix(placement));
                curve.put("data", points);
                curve.put("borderColor", COLOURS.get(number % COLOURS.size()));
                curve.put("borderWidth", plan.subjects().get(number).ours() ? 3 : 1);
                curves.add(curve);
              }
            });
      }
    }
    return curves;
  }

  private static List<Map<String, Number>> points(
      Results results, List<Results.Group> groups, String subject, long rate) {
    List<Map<String, Number>> points = new ArrayList<>();
    for (Results.Group group : groups) {
      if (group.rate() == rate) {
        results
            .find(group, subject)
            .ifPresent(
                summary -> points.add(Map.of("x", group.size(), "y", summary.figure().median())));
      }
    }
    return points;
  }

  private static String library() throws IOException {
    Properties properties = new Properties();
    properties.load(new StringReader(resource(ARTIFACT)));
    String version = properties.getProperty("version");
    return resource("META-INF/resources/webjars/chart.js/" + version + "/dist/chart.umd.js");
  }

  private static String resource(String name) throws IOException {
    ClassLoader loader = HtmlReport.class.getClassLoader();
    try (InputStream in = loader == null ? null : loader.getResourceAsStream(name)) {
      if (in == null) {
        throw new IOException(name + " is not on the class path");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static String escape(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}

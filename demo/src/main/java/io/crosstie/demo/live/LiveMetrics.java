// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo.live;

import io.crosstie.observability.CrosstieMetrics;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** The node's meters, and those of the demo's own account, for Prometheus. */
final class LiveMetrics implements AutoCloseable {
  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final CrosstieMetrics node;

  /** Meters hold what they ask weakly; it lives as long as this. */
  private final Supplier<@Nullable Report> report;

  /**
   * @param report the receiver's latest account; null before the first
   * @param sender null at the receiver
   */
  LiveMetrics(LiveNode live, Supplier<@Nullable Report> report, @Nullable LiveSender sender) {
    this.report = report;
    node = new CrosstieMetrics(live.node());
    node.bindTo(registry);
    String[] streams = {"bulk", "heartbeats"};
    for (int i = 0; i < streams.length; i++) {
      int stream = i;
      Tags tags = Tags.of("stream", streams[i]);
      count("demo.delivered", tags, each -> each.streams().get(stream).delivered());
      count("demo.lost", tags, each -> each.streams().get(stream).lost());
      count("demo.duplicated", tags, each -> each.streams().get(stream).duplicated());
      count("demo.corrupt", tags, each -> each.streams().get(stream).corrupt());
      count("demo.out.of.order", tags, each -> each.streams().get(stream).outOfOrder());
      if (sender != null) {
        FunctionCounter.builder("demo.sent", sender, each -> sent(each, stream))
            .tags(tags)
            .description("Messages that the channel took in the streams' present life")
            .register(registry);
      }
    }
    gap("last", Report.Gaps::lastMs);
    gap("p99", Report.Gaps::p99Ms);
    gap("max", Report.Gaps::maxMs);
  }

  private static double sent(LiveSender sender, int stream) {
    LiveSender.Session session = sender.session();
    return session == null ? 0 : (stream == 0 ? session.bulk : session.heartbeats).sent();
  }

  private void count(String name, Tags tags, Function<Report, Long> value) {
    FunctionCounter.builder(
            name,
            report,
            each -> {
              Report latest = each.get();
              return latest == null ? 0 : value.apply(latest);
            })
        .tags(tags)
        .description("As the receiver counted in the streams' present life")
        .register(registry);
  }

  private void gap(String which, ToDoubleFunction<Report.Gaps> value) {
    Gauge.builder(
            "demo.heartbeat.gap",
            report,
            each -> {
              Report latest = each.get();
              return latest == null ? 0 : value.applyAsDouble(latest.gaps()) / 1e3;
            })
        .tags("which", which)
        .baseUnit("seconds")
        .description("Interval between two deliveries of heartbeats")
        .register(registry);
  }

  /** All meters as text. */
  String scrape() {
    return registry.scrape();
  }

  @Override
  public void close() {
    node.close();
    registry.close();
  }
}

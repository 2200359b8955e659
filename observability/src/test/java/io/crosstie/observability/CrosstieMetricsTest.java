// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.observability;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.messaging.ConnectionCounter;
import io.crosstie.messaging.Counters;
import io.crosstie.messaging.EndpointCounter;
import io.crosstie.messaging.Node;
import io.crosstie.messaging.NodeCounter;
import io.crosstie.messaging.PortCounter;
import io.crosstie.messaging.PortInfo;
import io.crosstie.messaging.Progress;
import io.crosstie.messaging.RailCounter;
import io.crosstie.messaging.RailInfo;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.search.Search;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Meters say what the nodes' counters say, and come and go with what they are about. */
final class CrosstieMetricsTest {
  private static final String UDP = "udp://127.0.0.1:0";

  @TempDir Path folder;

  private final MeterRegistry registry = new SimpleMeterRegistry();

  private CrosstieMetrics metricsOf(Node node) {
    CrosstieMetrics metrics = new CrosstieMetrics(node, Tags.empty(), Duration.ZERO);
    metrics.bindTo(registry);
    return metrics;
  }

  private String shm() {
    return "shm:" + folder;
  }

  private static double value(Meter meter) {
    return switch (meter) {
      case FunctionCounter counter -> counter.count();
      case Gauge gauge -> gauge.value();
      default -> throw new AssertionError(meter.getId());
    };
  }

  private Meter meter(Metric metric, Tags tags) {
    Tags all = tags.and(metric.tags());
    List<Meter> found =
        Search.in(registry).name(metric.name()).tags(all).meters().stream()
            .filter(meter -> Tags.of(meter.getId().getTags()).equals(all))
            .toList();
    assertEquals(1, found.size(), () -> metric.name() + all + ": " + found);
    return found.getFirst();
  }

  /** Nothing moves while it compares, since the test's thread drives the nodes. */
  private <E extends Enum<E>> void assertSame(
      Tags tags, Counters<E> counters, Function<E, Metric> catalog) {
    for (E counter : counters.type().getEnumConstants()) {
      Metric metric = catalog.apply(counter);
      assertEquals(
          counters.get(counter) * metric.scale(),
          value(meter(metric, tags)),
          1e-6,
          () -> counter + " of " + tags);
    }
  }

  private static Tags portTags(Node node, PortInfo port) {
    return Tags.of(
        "node",
        node.name(),
        "port",
        Integer.toString(port.index()),
        "port.name",
        port.name(),
        "kind",
        port.kind().replaceFirst("\\+.*", ""));
  }

  private static Tags railTags(Node node, String peer, RailInfo rail) {
    return Tags.of(
        "node",
        node.name(),
        "peer",
        peer,
        "rail",
        Integer.toString(rail.id()),
        "rail.name",
        rail.name(),
        "kind",
        rail.kind().replaceFirst("\\+.*", ""));
  }

  private int metersOf(String... tags) {
    return Search.in(registry).tags(tags).meters().size();
  }

  @Test
  void metersEqualCountersOfBothNodes() {
    try (Pair pair = new Pair(List.of(UDP, shm()));
        CrosstieMetrics ofA = metricsOf(pair.a);
        CrosstieMetrics ofB = metricsOf(pair.b)) {
      pair.up(2);
      pair.traffic(200);
      pair.up(2); // none is suspect
      ofA.refresh();
      ofB.refresh();
      for (Node node : List.of(pair.a, pair.b)) {
        assertSame(Tags.of("node", node.name()), node.counters(), Catalog::of);
        assertSame(Tags.of("node", node.name()), node.engineCounters(), Catalog::of);
        assertEquals(2, node.ports().size());
        for (PortInfo port : node.ports()) {
          assertSame(portTags(node, port), port.counters(), Catalog::of);
          assertEquals(1, value(meter(Catalog.PORT_OPEN, portTags(node, port))));
        }
        String peer = node == pair.a ? "b" : "a";
        Tags ofPeer = Tags.of("node", node.name(), "peer", peer);
        assertSame(ofPeer, node.peer(peer).counters(), Catalog::of);
        assertEquals(1, value(meter(Catalog.PEER_UP, ofPeer)));
        assertEquals(2, value(meter(Catalog.PEER_RAILS.with("state", "active"), ofPeer)));
        assertEquals(2, node.peer(peer).rails().size());
        for (RailInfo rail : node.peer(peer).rails()) {
          assertSame(railTags(node, peer, rail), rail.counters(), Catalog::of);
        }
      }
      Tags all = Tags.of("node", "a", "peer", "b");
      assertTrue(value(meter(Catalog.of(ConnectionCounter.MESSAGES_OUT), all)) > 0);
      assertTrue(value(meter(Catalog.of(ConnectionCounter.MESSAGES_IN), all)) > 0);
      int expected =
          EndpointCounter.values().length
              + NodeCounter.values().length
              + 2 * (PortCounter.values().length + 1)
              + ConnectionCounter.values().length
              + 6
              + 2 * RailCounter.values().length;
      assertEquals(expected, metersOf("node", "a"), "one for each counter, and eight more");
    }
    assertEquals(List.of(), registry.getMeters(), "left after the close");
  }

  @Test
  void prometheusShowsEachMeterOnce() {
    PrometheusMeterRegistry prometheus = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    try (Pair pair = new Pair(List.of(UDP, shm()));
        CrosstieMetrics metrics =
            new CrosstieMetrics(pair.a, Tags.of("job", "test"), Duration.ZERO)) {
      pair.up(2);
      pair.traffic(50);
      metrics.bindTo(prometheus);
      String scrape = prometheus.scrape();
      Set<String> series = new HashSet<>();
      scrape
          .lines()
          .filter(line -> !line.startsWith("#"))
          .forEach(line -> assertTrue(series.add(line.substring(0, line.lastIndexOf(' '))), line));
      assertEquals(prometheus.getMeters().size(), series.size());
      for (String start :
          List.of(
              "crosstie_rail_packets_total{direction=\"out\",job=\"test\",kind=",
              "crosstie_rail_retransmissions_total{cause=\"nack\",job=\"test\",kind=",
              "crosstie_rail_state_time_seconds_total{job=\"test\",kind=",
              "crosstie_rail_rtt_seconds{",
              "crosstie_rail_window_bytes{",
              "crosstie_rail_flight_bytes{",
              "crosstie_peer_back_pressure_total{cause=\"credit\",job=\"test\",node=\"a\",peer=\"b\"}",
              "crosstie_port_bytes_total{",
              "crosstie_node_self_paused_seconds_total{",
              "crosstie_engine_cycles_total{")) {
        assertTrue(
            series.stream().anyMatch(line -> line.startsWith(start)),
            () -> start + " in\n" + scrape);
      }
    }
    assertEquals("", prometheus.scrape(), "left after the close");
  }

  @Test
  void metersComeAndGoWithRails() {
    try (Pair pair = new Pair(List.of(UDP, shm()));
        CrosstieMetrics metrics = metricsOf(pair.a)) {
      int alone = metersOf("node", "a");
      pair.up(2);
      metrics.refresh();
      int one = RailCounter.values().length;
      assertEquals(2 * one, metersOf("peer", "b") - ConnectionCounter.values().length - 6);
      assertEquals(alone + 2 * one, metersOf("node", "a"));

      int added = pair.a.addRail(UDP); // to the port that b has
      pair.up(3);
      metrics.refresh();
      assertEquals(one, metersOf("peer", "b", "rail", "2"));
      assertEquals(PortCounter.values().length + 1, metersOf("port", Integer.toString(added)));

      pair.a.removeRail(added);
      pair.until("two rails", () -> Pair.active(pair.aToB()) == 2);
      metrics.refresh();
      assertEquals(0, metersOf("peer", "b", "rail", "2"));
      assertEquals(2 * one, metersOf("peer", "b") - ConnectionCounter.values().length - 6);
    }
  }

  @Test
  void metersOfPeerThatCameByItselfGoWithIt() {
    try (Pair pair = new Pair(List.of(UDP));
        CrosstieMetrics metrics = metricsOf(pair.b)) {
      assertEquals(0, metersOf("peer", "a"));
      pair.up(1);
      metrics.refresh();
      int ofPeer = ConnectionCounter.values().length + 6 + RailCounter.values().length;
      assertEquals(ofPeer, metersOf("node", "b", "peer", "a"));
      pair.a.close(Duration.ZERO);
      pair.until("a is gone", () -> pair.b.peer("a").state().isOver());
      metrics.refresh();
      assertEquals(0, metersOf("peer", "a"));
    }
  }

  @Test
  void countersGoOnOverReconnection() {
    try (Pair pair = new Pair(List.of(UDP));
        CrosstieMetrics metrics = metricsOf(pair.a)) {
      pair.up(1);
      pair.traffic(20);
      metrics.refresh();
      Meter out =
          meter(Catalog.of(ConnectionCounter.MESSAGES_OUT), Tags.of("node", "a", "peer", "b"));
      double before = value(out);
      assertTrue(before >= 1);
      pair.b.peer("a").close(Duration.ZERO);
      pair.until(
          "a new connection",
          () -> pair.aToB().counters().get(ConnectionCounter.MESSAGES_OUT) == 0);
      metrics.refresh();
      assertEquals(before, value(out), "the new connection's counters begin at zero");
    }
  }

  @Test
  void refreshesByItselfAndEndsWithTheNode() {
    CrosstieMetrics metrics;
    try (Node b = Node.start(Pair.config("b", List.of(UDP)).progress(Progress.thread()).build());
        Node a =
            Node.start(
                Pair.config("a", List.of(UDP))
                    .progress(Progress.thread())
                    .peer("b", b.localAddresses().getFirst().text())
                    .build())) {
      metrics = new CrosstieMetrics(a, Tags.empty(), Duration.ofMillis(1));
      metrics.bindTo(registry);
      a.peer("b").awaitUp(Duration.ofSeconds(60));
      await(a, () -> metersOf("peer", "b", "rail", "0") == RailCounter.values().length);
      Thread thread =
          Thread.getAllStackTraces().keySet().stream()
              .filter(one -> one.getName().equals("crosstie-metrics-a"))
              .findFirst()
              .orElseThrow();
      assertTrue(thread.isDaemon());
      a.close(Duration.ZERO);
      await(b, () -> registry.getMeters().isEmpty() && !thread.isAlive());
    }
    assertFalse(metrics == null);
    assertThrows(IllegalStateException.class, () -> metrics.bindTo(registry));
    metrics.close();
  }

  private static void await(Node node, java.util.function.BooleanSupplier condition) {
    long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() < end, "not in 60 s");
      node.idle();
    }
  }
}

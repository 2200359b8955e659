// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.observability;

import io.crosstie.messaging.Node;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A node's counters and gauges as Micrometer meters; the package's description lists them.
 *
 * <p>Registries read the counters directly, on their own threads; the node's engine does nothing
 * for it. A daemon thread looks once a second which ports, peers and rails there are, and adds and
 * removes meters; when the node is closed it removes all and ends. One registry must not hold two
 * open nodes of the same name, unless more tags tell them apart.
 *
 * <pre>{@code
 * try (Node node = Node.start(config); CrosstieMetrics metrics = new CrosstieMetrics(node)) {
 *   metrics.bindTo(registry);
 *   ...
 * }
 * }</pre>
 *
 * <p>Threads: any.
 */
public final class CrosstieMetrics implements MeterBinder, AutoCloseable {
  /** How often it looks for ports, peers and rails that came or went. */
  public static final Duration DEFAULT_REFRESH = Duration.ofSeconds(1);

  private static final System.Logger LOG = System.getLogger("io.crosstie");

  private final Node node;
  private final Tags tags;
  private final Duration refreshEvery;
  private final List<NodeMeters> bound = new ArrayList<>();
  private @Nullable ScheduledExecutorService refresher;
  private boolean closed;

  /** Meters of a node, with the tag {@code node} and those of its parts. */
  public CrosstieMetrics(Node node) {
    this(node, Tags.empty());
  }

  /** The same with more tags on every meter. */
  public CrosstieMetrics(Node node, Iterable<Tag> tags) {
    this(node, tags, DEFAULT_REFRESH);
  }

  /**
   * The same with a period of its own.
   *
   * @param refreshEvery how often to look for ports, peers and rails that came or went; zero: only
   *     when {@link #refresh()} is called, and no thread is started
   */
  public CrosstieMetrics(Node node, Iterable<Tag> tags, Duration refreshEvery) {
    if (refreshEvery.isNegative()) {
      throw new IllegalArgumentException(
          "refreshEvery is " + refreshEvery + "; it must be zero or more");
    }
    this.node = node;
    this.tags = Tags.of(tags);
    this.refreshEvery = refreshEvery;
  }

  /**
   * Adds the node's meters to a registry, and keeps them up to date until {@link #close()}.
   *
   * @throws IllegalStateException if this is closed, or the node is
   */
  @Override
  public synchronized void bindTo(MeterRegistry registry) {
    if (closed || !node.isOpen()) {
      throw new IllegalStateException(
          "node " + node.name() + " or its CrosstieMetrics is closed; bind before that");
    }
    NodeMeters meters = new NodeMeters(node, registry, tags);
    bound.add(meters);
    meters.refresh();
    if (refresher == null && refreshEvery.isPositive()) {
      refresher = startRefresher();
    }
  }

  private ScheduledExecutorService startRefresher() {
    ScheduledExecutorService executor =
        Executors.newSingleThreadScheduledExecutor(
            task ->
                Thread.ofPlatform()
                    .daemon()
                    .name("crosstie-metrics-" + node.name())
                    .unstarted(task));
    long nanos = refreshEvery.toNanos();
    var unused =
        executor.scheduleWithFixedDelay(this::refreshOrLog, nanos, nanos, TimeUnit.NANOSECONDS);
    return executor;
  }

  private void refreshOrLog() {
    try {
      refresh();
    } catch (RuntimeException e) {
      LOG.log(
          System.Logger.Level.WARNING,
          "node " + node.name() + ": meters could not be brought up to date; trying again",
          e);
    }
  }

  /** Looks now for ports, peers and rails that came or went; closes this if the node is closed. */
  public synchronized void refresh() {
    if (!node.isOpen()) {
      close();
    }
    bound.forEach(NodeMeters::refresh);
  }

  /** Removes all meters from all registries, and ends the thread. Idempotent. */
  @Override
  public synchronized void close() {
    closed = true;
    bound.forEach(NodeMeters::remove);
    bound.clear();
    ScheduledExecutorService executor = refresher;
    if (executor != null) {
      executor.shutdown();
      refresher = null;
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo;

import io.crosstie.messaging.RailCounter;
import io.crosstie.messaging.RailInfo;
import io.crosstie.messaging.RailState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Watches the rails of a peer as an application can: their states and counters. The library may
 * replace a rail by a new one under the same configuration; here they count as one.
 */
final class RailSampler {
  private static final RailCounter[] COUNTERS = RailCounter.values();

  private final Map<String, Watched> rails = new LinkedHashMap<>();
  private final Consumer<Report> reports;

  RailSampler(List<RailSpec> specs, Consumer<Report> reports) {
    specs.forEach(spec -> rails.put(spec.name(), new Watched(spec)));
    this.reports = reports;
  }

  private static final class Watched {
    final RailSpec spec;

    /** All that ever were, by id: their counters stay readable. */
    final Map<Integer, RailInfo> infos = new HashMap<>();

    @Nullable RailInfo current;
    RailState state = RailState.UNVALIDATED;
    boolean carrying;
    long payloadWhenActive;

    Watched(RailSpec spec) {
      this.spec = spec;
    }

    long sum(RailCounter counter) {
      long sum = 0;
      for (RailInfo info : infos.values()) {
        sum += info.counters().get(counter);
      }
      return sum;
    }

    long payload() {
      return sum(RailCounter.PAYLOAD_FIRST_OUT) + sum(RailCounter.PAYLOAD_AGAIN_OUT);
    }
  }

  /** Looks at the rails, and reports what changed. */
  void sample(List<RailInfo> infos, long nowUs) {
    rails.values().forEach(watched -> watched.current = null);
    for (RailInfo info : infos) {
      Watched watched = find(info);
      if (watched != null) {
        watched.infos.put(info.id(), info);
        if (watched.current == null || isBetter(info, watched.current)) {
          watched.current = info;
        }
      }
    }
    for (Watched watched : rails.values()) {
      RailInfo current = watched.current;
      if (current != null || !watched.infos.isEmpty()) { // before, it is still to come
        judge(watched, current == null ? RailState.REMOVED : current.state(), nowUs);
      }
    }
  }

  private @Nullable Watched find(RailInfo info) {
    for (Watched watched : rails.values()) {
      boolean matches =
          watched.spec.isUdp()
              ? info.local().endsWith(":" + watched.spec.port())
              : info.kind().equals("shm");
      if (matches) {
        return watched;
      }
    }
    return null;
  }

  private static boolean isBetter(RailInfo info, RailInfo than) {
    boolean active = info.state() == RailState.ACTIVE;
    return active == (than.state() == RailState.ACTIVE) ? info.id() > than.id() : active;
  }

  private void judge(Watched watched, RailState state, long nowUs) {
    String name = watched.spec.name();
    if (state != watched.state) {
      reports.accept(new Report.RailChanged(nowUs, name, watched.state.name(), state.name()));
      watched.carrying = false;
      watched.payloadWhenActive = watched.payload();
      watched.state = state;
    }
    if (state == RailState.ACTIVE
        && !watched.carrying
        && watched.payload() > watched.payloadWhenActive) {
      watched.carrying = true;
      reports.accept(new Report.Carrying(nowUs, name));
    }
  }

  /** The rail of that id, or of the library's number if it is not known yet. */
  String nameOf(int id) {
    for (Watched watched : rails.values()) {
      if (watched.infos.containsKey(id)) {
        return watched.spec.name();
      }
    }
    return "rail " + id;
  }

  /** All rails with all counters: totals over all that ever were, gauges of the present one. */
  List<Report.RailStatus> statuses() {
    List<Report.RailStatus> statuses = new ArrayList<>();
    for (Watched watched : rails.values()) {
      Map<String, Long> values = new LinkedHashMap<>();
      for (RailCounter counter : COUNTERS) {
        RailInfo current = watched.current;
        values.put(
            counter.name(),
            isGauge(counter)
                ? current == null ? 0 : current.counters().get(counter)
                : watched.sum(counter));
      }
      statuses.add(new Report.RailStatus(watched.spec.name(), watched.state.name(), values));
    }
    return statuses;
  }

  private static boolean isGauge(RailCounter counter) {
    return counter.compareTo(RailCounter.SRTT_NS) >= 0;
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo;

import io.crosstie.demo.rails.RailTotals;
import io.crosstie.messaging.RailCounter;
import io.crosstie.messaging.RailInfo;
import io.crosstie.messaging.RailState;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

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
    final RailTotals totals;

    /** Numbers of all that ever were. */
    final Set<Integer> ids = new HashSet<>();

    RailState state = RailState.UNVALIDATED;
    boolean carrying;
    long payloadWhenActive;

    Watched(RailSpec spec) {
      this.spec = spec;
      this.totals = new RailTotals(this::isMine);
    }

    private boolean isMine(RailInfo info) {
      return spec.isUdp() ? info.local().endsWith(":" + spec.port()) : info.kind().equals("shm");
    }

    long payload() {
      return totals.sum(RailCounter.PAYLOAD_FIRST_OUT) + totals.sum(RailCounter.PAYLOAD_AGAIN_OUT);
    }
  }

  /** Looks at the rails, and reports what changed. */
  void sample(List<RailInfo> infos, long nowUs) {
    learn(infos);
    for (Watched watched : rails.values()) {
      watched.totals.update(infos);
      if (!watched.ids.isEmpty()) { // before, it is still to come
        RailInfo current = watched.totals.current();
        judge(watched, current == null ? RailState.REMOVED : current.state(), nowUs);
      }
    }
  }

  private void learn(List<RailInfo> infos) {
    for (Watched watched : rails.values()) {
      infos.stream().filter(watched::isMine).forEach(info -> watched.ids.add(info.id()));
    }
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

  /**
   * The rail of that id.
   *
   * @param infos the rails of now: an event may come before the first look at its rail
   * @return its name, or the library's number if it was gone before anybody looked
   */
  String nameOf(int id, List<RailInfo> infos) {
    learn(infos);
    for (Watched watched : rails.values()) {
      if (watched.ids.contains(id)) {
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
        values.put(
            counter.name(),
            isGauge(counter) ? watched.totals.gauge(counter) : watched.totals.sum(counter));
      }
      statuses.add(new Report.RailStatus(watched.spec.name(), watched.state.name(), values));
    }
    return statuses;
  }

  private static boolean isGauge(RailCounter counter) {
    return counter.compareTo(RailCounter.SRTT_NS) >= 0;
  }
}

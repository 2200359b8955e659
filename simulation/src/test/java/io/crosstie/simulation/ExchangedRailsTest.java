// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.simulation;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.multirail.Endpoint;
import io.crosstie.multirail.connection.Connection;
import io.crosstie.multirail.port.PortInfo;
import io.crosstie.simulation.Scenario.FaultKind;
import io.crosstie.simulation.Scenario.FaultSpec;
import io.crosstie.simulation.Scenario.Kind;
import io.crosstie.simulation.Scenario.StreamSpec;
import io.crosstie.testkit.Campaign;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Rails that are taken out and put in again a thousand times, while messages flow. */
class ExchangedRailsTest {
  private static final int EXCHANGES = 1000;
  private static final long APART_NS = 20_000_000;
  private static final long MOST_RAILS = 64;

  private static Scenario scenario(long seed) {
    Scenario s = ScenarioGenerator.of(seed, Plant.NONE, Kind.CHURN);
    SplittableRandom random = new SplittableRandom(seed);
    List<FaultSpec> faults = new ArrayList<>();
    for (int i = 0; i < EXCHANGES; i++) {
      long from = (i + 5) * APART_NS;
      long until = from + random.nextLong(1_000_000, APART_NS);
      int rail = random.nextInt(s.rails().size());
      int node = random.nextInt(s.nodes());
      faults.add(new FaultSpec(from, until, FaultKind.REMOVE, rail, node, LinkFaults.NONE, 0));
    }
    long safetyNs = (EXCHANGES + 10) * APART_NS;
    List<StreamSpec> streams =
        s.streams().stream()
            .map(
                t ->
                    new StreamSpec(
                        t.from(),
                        t.to(),
                        t.channel(),
                        t.priority(),
                        t.messages(),
                        t.sizes(),
                        t.flow(),
                        gapNs(t, safetyNs),
                        t.lentPercent()))
            .toList();
    return new Scenario(
        s.seed(),
        s.kind(),
        s.nodes(),
        s.manners(),
        s.schedule(),
        s.rails(),
        streams,
        faults,
        safetyNs,
        s.healed(),
        s.bothDial(),
        s.livenessNs(),
        s.goodput(),
        s.outage(),
        s.tuning());
  }

  /** All in a quarter of the time; answers, which have no number of their own, go as they do. */
  private static long gapNs(StreamSpec stream, long safetyNs) {
    return stream.messages() == 0 ? stream.gapNs() : safetyNs / (4L * stream.messages());
  }

  private static LongStream seeds() {
    return LongStream.rangeClosed(1, Campaign.count(1, 4));
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void nothingIsLostAndNothingGrows(long seed) {
    Scenario scenario = scenario(seed);
    Simulation simulation = new Simulation(scenario, Plant.NONE, new Trace(0, null));
    List<String> grown = new ArrayList<>();
    simulation
        .clock()
        .at(
            scenario.safetyNs() - 1,
            () -> {
              for (SimProcess process : simulation.processes()) {
                look(process, scenario.rails().size(), grown);
              }
            });
    simulation.run();
    assertTrue(grown.isEmpty(), () -> "seed " + seed + ": " + grown);
  }

  private static void look(SimProcess process, int rails, List<String> grown) {
    Endpoint endpoint = process.endpoint();
    if (endpoint == null) {
      grown.add(process.name + " is gone");
      return;
    }
    int last = endpoint.ports().stream().mapToInt(PortInfo::index).max().orElse(-1);
    if (last >= rails) {
      grown.add(process.name + " has a port of number " + last);
    }
    for (Connection c : endpoint.connections()) {
      if (c.rails().size() > MOST_RAILS) {
        grown.add(process.name + " knows " + c.rails().size() + " rails to " + c.peerName());
      }
    }
  }
}

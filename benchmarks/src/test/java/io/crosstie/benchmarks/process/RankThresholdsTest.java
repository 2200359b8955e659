// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.crosstie.ranks.WorldConfig;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class RankThresholdsTest {
  private static String of(SortedMap<Long, Map<String, Double>> measured) {
    return RankThresholds.of("allreduce", measured);
  }

  /** What is quicker by less than a twentieth is chance. */
  @Test
  void anotherAlgorithmIsTakenFromWhereItIsClearlyQuicker() {
    SortedMap<Long, Map<String, Double>> measured = new TreeMap<>();
    measured.put(8L, Map.of("doubling", 100.0, "ring", 300.0));
    measured.put(4096L, Map.of("doubling", 1000.0, "ring", 960.0));
    measured.put(65536L, Map.of("doubling", 9000.0, "ring", 6000.0));
    measured.put(1048576L, Map.of("doubling", 90_000.0, "ring", 60_000.0));
    String text = of(measured);
    assertEquals("allreduce=doubling,allreduce@65536=ring", text);
    WorldConfig unused = new WorldConfig().algorithm(text); // it is a choice that ranks take
  }

  @Test
  void ofNothingThereIsNoChoice() {
    assertEquals("", of(new TreeMap<>()));
  }

  @Test
  void eachAlgorithmHasItsTurn() {
    Map<String, List<String>> measured = CollectivesRun.onOneHost(WorldConfig.algorithms());
    assertEquals(Set.of("bcast", "allreduce", "allgather"), measured.keySet());
    List<Map<String, String>> jobs = CollectivesRun.choices(measured);
    measured.forEach(
        (operation, names) ->
            assertEquals(
                names,
                jobs.stream()
                    .filter(job -> job.containsKey(operation))
                    .map(job -> job.get(operation))
                    .toList()));
  }
}

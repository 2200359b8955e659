// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

final class PlanTest {
  static Plan plan(String... subjects) {
    return new Plan(settings(List.of(subjects), List.of(), List.of(), false));
  }

  private static BenchSettings settings(
      List<String> subjects, List<Bench> benches, List<Long> sizes, boolean quick) {
    return BenchSettings.of(
        Rail.UDP, quick, subjects, benches, sizes, 0, false, 0, null, Path.of("somewhere"));
  }

  @Test
  void everySubjectOnceUnlessTold() {
    Plan plan = plan();
    assertEquals(Subjects.of(Rail.UDP), plan.subjects());
    assertEquals(
        plan.subjects().size(), plan.subjects().stream().map(Subject::name).distinct().count());
    assertTrue(plan.benches().containsAll(List.of(Bench.RTT, Bench.STREAM, Bench.RATE)));
  }

  @Test
  void quickIsLess() {
    Plan quick = new Plan(settings(List.of(), List.of(), List.of(), true));
    assertTrue(quick.benches().size() < plan().benches().size());
    assertTrue(quick.sizes(Bench.RTT).size() < plan().sizes(Bench.RTT).size());
  }

  @Test
  void openLoopHasOneCaseForEachRate() {
    Plan plan = new Plan(settings(List.of(), List.of(Bench.OPENLOOP), List.of(64L), false));
    Subject bare = Subjects.named(Rail.UDP, "bare");
    List<CaseSpec> cases = plan.cases(Bench.OPENLOOP, bare, false);
    assertEquals(3, cases.size());
    assertEquals(3, cases.stream().map(CaseKey::of).distinct().count());
  }

  @Test
  void saysWhatThereIs() {
    String message =
        assertThrows(
                IllegalArgumentException.class,
                () -> settings(List.of("bare", "x"), List.of(), List.of(), false))
            .getMessage();
    assertTrue(message.contains("no subject is called x; there are bare, "), message);
    assertThrows(
        IllegalArgumentException.class, () -> settings(List.of(), List.of(), List.of(12L), false));
    assertThrows(IllegalArgumentException.class, () -> Bench.of("speed"));
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.testkit.Campaign;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Wherever the core runs out of memory, all messages arrive once and in order, or their connection
 * ends with an event and the next one brings them; the endpoint goes on. Each allocation of a run
 * fails, in a run of its own; by itself, and with the two that follow, as when what ends a
 * connection finds no memory either, nor what tries that again.
 */
@ResourceLock("io.crosstie.multirail.AllocationFaults")
class EveryAllocationTest {
  private static final int MOST_SHOWN = 20;

  private static Method run;

  @BeforeAll
  static void load() throws ReflectiveOperationException {
    run =
        AllocationFaults.loader()
            .loadClass(AllocationScene.class.getName())
            .getMethod("run", int.class);
  }

  @ParameterizedTest
  @CsvSource({"0, 1", "1, 1", "2, 1", "0, 3", "2, 3"})
  void runsOutOfMemory(int kind, int inARow) throws Exception {
    for (int i = 0; i < 2; i++) { // the first one initializes classes, too
      AllocationFaults.reset(Long.MAX_VALUE, 1);
      Object unused = run.invoke(null, kind);
    }
    long all = AllocationFaults.count();
    assertTrue(all > 300, () -> "only " + all + " allocations");
    List<AssertionError> failures = new ArrayList<>();
    int planted = 0;
    int escaped = 0;
    int step = Campaign.count(7, 1); // each one is among those that fail in the long run
    for (long at = 1; at <= all; at += step) {
      AllocationFaults.reset(at, inARow);
      try {
        escaped += (Integer) run.invoke(null, kind);
      } catch (InvocationTargetException e) {
        failures.add(
            new AssertionError(
                "kind " + kind + ", allocation " + at + " of " + all + ": " + e.getCause(),
                AllocationFaults.thrown()));
      }
      planted += AllocationFaults.thrown() == null ? 0 : 1;
    }
    if (!failures.isEmpty()) {
      failures.stream().skip(1).limit(MOST_SHOWN).forEach(failures.getFirst()::addSuppressed);
      throw failures.getFirst();
    }
    System.out.printf(
        "kind %d: %d allocations, %d failed, %d in a row, of which %d escaped a duty cycle%n",
        kind, all, planted, inARow, escaped);
    assertTrue(planted > all / step / 2, planted + " were reached");
    assertEquals(0, escaped, "contained where they belong");
  }
}

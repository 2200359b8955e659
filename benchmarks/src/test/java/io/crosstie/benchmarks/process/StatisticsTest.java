// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;

final class StatisticsTest {
  @Test
  void medianOfOddAndEven() {
    assertEquals(new Statistics(3, 1, 9, 3), Statistics.of(List.of(9.0, 1.0, 3.0)));
    assertEquals(new Statistics(2.5, 1, 9, 4), Statistics.of(List.of(9.0, 1.0, 3.0, 2.0)));
    assertEquals(new Statistics(7, 7, 7, 1), Statistics.of(List.of(7.0)));
  }

  @Test
  void spreadIsTheLargerSide() {}

  @Test
  void nothingHasNoMedian() {
    assertThrows(IllegalArgumentException.class, () -> Statistics.of(List.of()));
  }
}

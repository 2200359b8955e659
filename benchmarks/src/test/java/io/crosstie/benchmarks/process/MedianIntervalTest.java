// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class MedianIntervalTest {
  private static List<Double> upTo(int n) {
    List<Double> values =
        new ArrayList<>(IntStream.rangeClosed(1, n).mapToObj(i -> (double) i).toList());
    Collections.shuffle(values, new Random(n));
    return values;
  }

  /** As in the tables of the sign test. */
  @Test
  void takesTheShortestThatCovers95Percent() {
    assertEquals(new MedianInterval(3.5, 1, 6, 1, 1 - 2 / 64.0), MedianInterval.of(upTo(6)));
    assertEquals(new MedianInterval(6, 2, 10, 2, 1 - 24 / 2048.0), MedianInterval.of(upTo(11)));
    assertEquals(new MedianInterval(6.5, 3, 10, 3, 1 - 158 / 4096.0), MedianInterval.of(upTo(12)));
    MedianInterval ofMany = MedianInterval.of(upTo(25));
    assertEquals(8, ofMany.rank());
    assertEquals(8, ofMany.low());
    assertEquals(18, ofMany.high());
  }

  @Test
  void tooFewHaveNone() {
    assertThrows(IllegalArgumentException.class, () -> MedianInterval.of(upTo(5)));
  }

  /** Whatever the distribution: here one with a long tail. */
  @Test
  void coversAsOftenAsItSays() {
    Random random = new Random(35);
    int covered = 0;
    for (int run = 0; run < 10_000; run++) {
      List<Double> values =
          IntStream.range(0, 11).mapToObj(i -> Math.exp(3 * random.nextGaussian())).toList();
      MedianInterval interval = MedianInterval.of(values);
      if (interval.low() <= 1 && interval.high() >= 1) {
        covered++;
      }
    }
    assertTrue(covered > 9840 && covered < 9920, covered + " of 10,000 with seed 35");
  }
}

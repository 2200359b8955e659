// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.time;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class WindowedMaxTest {
  @Test
  void keepsTheLargestOfTheWindow() {
    WindowedMax max = new WindowedMax(10);
    assertTrue(max.isEmpty());
    max.update(5, 0);
    max.update(3, 1);
    max.update(4, 2);
    assertEquals(5, max.get());
    max.update(7, 3);
    assertEquals(7, max.get());
    max.update(1, 13);
    assertEquals(7, max.get(), "exactly as old as the window");
    max.update(1, 14);
    assertEquals(1, max.get());
  }

  @Test
  void fallsBackToASecondBest() {
    WindowedMax max = new WindowedMax(10);
    max.update(9, 0);
    max.update(6, 4);
    max.update(5, 10);
    max.update(2, 11);
    assertEquals(6, max.get());
    max.update(2, 15);
    assertEquals(5, max.get());
  }

  @Test
  void aLongRestForgetsAll() {
    WindowedMax max = new WindowedMax(10);
    max.update(9, 0);
    max.update(1, 100);
    assertEquals(1, max.get());
  }

  @Test
  void liesBetweenTheLargestOfTheWindowAndTheLatest() {
    for (int seed = 0; seed < 100; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      WindowedMax max = new WindowedMax(20);
      long[] values = new long[500];
      for (int t = 0; t < values.length; t++) {
        values[t] = random.nextLong(1000);
        max.update(values[t], t);
        long largest = 0;
        for (int i = Math.max(0, t - 20); i <= t; i++) {
          largest = Math.max(largest, values[i]);
        }
        assertTrue(max.get() <= largest && max.get() >= values[t], "seed " + seed + " at " + t);
      }
    }
  }

  @Test
  void refusesAnEmptyWindow() {
    assertThrows(IllegalArgumentException.class, () -> new WindowedMax(0));
  }
}

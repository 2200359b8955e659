// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.time;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("R7")
class BackoffTest {
  private static final long MS = 1_000_000;

  private final SplittableRandom random = new SplittableRandom(1);

  @Test
  void doublesPerTransmissionUpToTheMaximumWithAnEighthOfJitter() {
    long[] expected = {10, 20, 40, 80, 160, 200, 200, 200};
    for (int n = 1; n <= expected.length; n++) {
      long middle = expected[n - 1] * MS;
      long smallest = Long.MAX_VALUE;
      long largest = 0;
      for (int i = 0; i < 1000; i++) {
        long delay = Backoff.delayNs(10 * MS, n, 200 * MS, random);
        smallest = Math.min(smallest, delay);
        largest = Math.max(largest, delay);
      }
      assertTrue(smallest >= middle * 7 / 8 && smallest < middle * 0.89, "smallest " + smallest);
      assertTrue(largest <= middle * 9 / 8 && largest > middle * 1.11, "largest " + largest);
    }
  }

  @Test
  void neverOverflows() {
    for (int n : new int[] {1, 2, 30, 62, 63, 64, 65, 1000, Integer.MAX_VALUE}) {
      long delay = Backoff.delayNs(3, n, Long.MAX_VALUE, random);
      assertTrue(delay > 0, n + ": " + delay);
      delay = Backoff.delayNs(Long.MAX_VALUE, n, 1000 * MS, random);
      assertTrue(delay <= 1000 * MS * 9 / 8, n + ": " + delay);
    }
  }

  @Test
  void theSameSeedGivesTheSameDelays() {
    SplittableRandom one = new SplittableRandom(7);
    SplittableRandom other = new SplittableRandom(7);
    for (int n = 1; n < 50; n++) {
      assertEquals(
          Backoff.delayNs(MS, n, 1000 * MS, one), Backoff.delayNs(MS, n, 1000 * MS, other));
    }
  }

  @Test
  void tinyDelaysStayPositive() {
    assertEquals(1, Backoff.delayNs(1, 1, 1, random));
  }

  @Test
  void refusesWhatIsNotPositive() {
    assertThrows(IllegalArgumentException.class, () -> Backoff.delayNs(0, 1, 1, random));
    assertThrows(IllegalArgumentException.class, () -> Backoff.delayNs(1, 0, 1, random));
    assertThrows(IllegalArgumentException.class, () -> Backoff.delayNs(1, 1, 0, random));
  }
}

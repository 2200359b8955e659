// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.path;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("R23")
class RateLimiterTest {
  private static final long MS = 1_000_000L;

  @Test
  void givesABurstAndThenSoManyPerSecond() {
    for (long begin : new long[] {0, -10_000 * MS, 1L << 60}) {
      RateLimiter ration = new RateLimiter(16, 4);
      for (int i = 0; i < 16; i++) {
        assertTrue(ration.take(begin), "number " + i);
      }
      assertFalse(ration.take(begin));
      assertFalse(ration.take(begin + 249 * MS));
      assertTrue(ration.take(begin + 250 * MS));
      assertFalse(ration.take(begin + 250 * MS));
      long later = begin + 3600_000 * MS;
      int given = 0;
      while (ration.take(later)) {
        given++;
      }
      assertEquals(16, given, "no more than the burst is saved up");
    }
  }

  @Test
  void servesInTheOrderOfAsking() {
    RateLimiter ration = new RateLimiter(1, 4);
    assertEquals(0, ration.reserve(0));
    assertEquals(250 * MS, ration.reserve(1));
    assertEquals(500 * MS, ration.reserve(2));
    assertEquals(750 * MS, ration.reserve(500 * MS));
    assertEquals(5000 * MS, ration.reserve(5000 * MS));
  }
}

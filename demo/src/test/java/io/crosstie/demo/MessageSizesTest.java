// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class MessageSizesTest {
  private static int[] first(long seed, int count) {
    MessageSizes sizes = new MessageSizes(seed);
    return IntStream.generate(sizes::next).limit(count).toArray();
  }

  @Test
  void seedDecides() {
    assertEquals(
        IntStream.of(first(3, 5_000)).boxed().toList(),
        IntStream.of(first(3, 5_000)).boxed().toList());
    assertNotEquals(
        IntStream.of(first(3, 5_000)).boxed().toList(),
        IntStream.of(first(4, 5_000)).boxed().toList());
  }

  @Test
  void everySizeFromNothingToTheBound() {
    int[] sizes = first(1, 50_000);
    assertEquals(0, IntStream.of(sizes).min().orElseThrow());
    assertEquals(64 << 20, IntStream.of(sizes).max().orElseThrow());
    assertTrue(IntStream.of(sizes).noneMatch(size -> size > 0 && size < TestHeader.BYTES));
    assertTrue(IntStream.of(sizes).filter(size -> size == 0).count() > 500, "empty ones");
    assertTrue(
        IntStream.of(sizes).filter(size -> size > 0 && size < 2_000).count() > 10_000, "small");
    assertTrue(IntStream.of(sizes).filter(size -> size > 65_536).count() > 500, "large");
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks.schedule;

import java.lang.foreign.MemorySegment;

/** Combines what two groups of ranks have, element by element. */
public interface Combiner {
  /** The size of an element; parts are whole numbers of them. */
  int elementBytes();

  /** Whether ranks may be taken in another order. */
  boolean isCommutative();

  /**
   * Whether it is code of the application's, which is run by a thread that waits, and not by
   * whoever makes progress.
   */
  boolean isForeign();

  /**
   * right = left op right.
   *
   * @param left of lower ranks, read only
   * @param right of higher ranks, of the same length
   */
  void combine(MemorySegment left, MemorySegment right);
}

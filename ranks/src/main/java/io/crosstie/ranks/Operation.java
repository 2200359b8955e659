// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks;

/**
 * How a reduction combines what two groups of ranks have. It has to be associative. {@link
 * Reduction} has the usual ones; a program may bring its own, which are run by a thread of the
 * program that waits for a request, or tests one: a reduction with an operation of one's own gets
 * on only then.
 */
@FunctionalInterface
public interface Operation {
  /**
   * right[i] = left[i] op right[i], for all i.
   *
   * @param left what lower ranks have; not to be changed
   * @param right what higher ranks have, of the same type and length; the result
   */
  void apply(Data left, Data right);

  /**
   * How many elements belong together and are never divided, 2 for pairs; lengths are multiples of
   * it.
   */
  default int elementsTogether() {
    return 1;
  }

  /** Whether ranks may be taken in any order; else they are taken in theirs. */
  default boolean isCommutative() {
    return false;
  }
}

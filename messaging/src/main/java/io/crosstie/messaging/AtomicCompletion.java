// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import org.jspecify.annotations.Nullable;

/**
 * Told inside {@link Node#poll} or {@link Node#pollRegions} what became of an operation on a word.
 */
@FunctionalInterface
public interface AtomicCompletion {
  /**
   * Once for each. If it throws, it has been told all the same, and the exception comes out of the
   * poll.
   *
   * @param peer whose region it is
   * @param before the word before the operation, if that was done; else 0
   * @param error null if it was done, also by a comparison that found another word; else what is
   *     wrong and what to do. {@link RegionStatus#FAILED} says that it may have been done
   */
  void onComplete(Peer peer, RegionStatus status, long before, @Nullable String error);
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import org.jspecify.annotations.Nullable;

/** Told inside {@link Node#poll} or {@link Node#pollRegions} what became of a put or a get. */
@FunctionalInterface
public interface RegionCompletion {
  /**
   * Once for each; its memory is the caller's again. If it throws, it has been told all the same,
   * and the exception comes out of the poll.
   *
   * @param peer whose region it is
   * @param error null if it was done; else what is wrong and what to do. What a get that failed was
   *     to write to is undefined
   */
  void onComplete(Peer peer, RegionStatus status, @Nullable String error);
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import org.jspecify.annotations.Nullable;

/** Told inside {@link Node#poll} or {@link Node#pollRegions} what became of a put. */
@FunctionalInterface
public interface PutCompletion {
  /**
   * Once for each put; its memory is the caller's again. If it throws, it has been told all the
   * same, and the exception comes out of the poll.
   *
   * @param peer that it went to
   * @param error null if it is in its place; else what is wrong and what to do
   */
  void onComplete(Peer peer, PutStatus status, @Nullable String error);
}

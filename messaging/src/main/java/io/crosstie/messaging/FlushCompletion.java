// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import org.jspecify.annotations.Nullable;

/** Told inside {@link Node#poll} or {@link Node#pollRegions} when puts are where they belong. */
@FunctionalInterface
public interface FlushCompletion {
  /**
   * Once.
   *
   * @param error null if all puts before the flush are in their places, apart from those whose own
   *     completions say otherwise; else what has ended the connection
   */
  void onFlushed(Peer peer, @Nullable String error);
}

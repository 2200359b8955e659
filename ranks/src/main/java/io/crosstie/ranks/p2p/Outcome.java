// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks.p2p;

import org.jspecify.annotations.Nullable;

/** Is told when an operation is over; on the thread that makes progress, so it has to be short. */
@FunctionalInterface
public interface Outcome {
  /**
   * Once; the memory is the caller's again.
   *
   * @param failure null if it has done what was asked
   */
  void onDone(@Nullable Failure failure);
}

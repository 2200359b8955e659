// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.launch;

import org.jspecify.annotations.Nullable;

/** One way in which a process finds its job. */
interface Way {
  /** The way is marked out, but cannot be gone; the next one may do. */
  final class Blocked extends Exception {
    private static final long serialVersionUID = 1L;

    Blocked(String why) {
      super(why);
    }
  }

  /**
   * Looks for the job.
   *
   * @return null if nothing speaks of one
   * @throws Blocked if something does, and this way does not lead to it
   * @throws LaunchException if the job cannot be joined
   */
  @Nullable Membership find(Environment environment) throws Blocked;
}

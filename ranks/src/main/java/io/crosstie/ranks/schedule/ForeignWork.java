// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks.schedule;

/** Takes what the application itself has to do, on a thread that waits. */
@FunctionalInterface
interface ForeignWork {
  /** It is given back by {@link Executions#giveBack}. */
  void lend(Execution of, Local local);
}

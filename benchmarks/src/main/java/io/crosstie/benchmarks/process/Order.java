// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

/** What the controller tells a worker, one line each. */
sealed interface Order {
  /** Open one end. */
  record Open(CaseSpec spec) implements Order {}

  /** Connect to what the other end said. */
  record Connect(String peer) implements Order {}

  /** Begin. */
  record Run() implements Order {}

  /** What comes from now on counts: both ends are warm. */
  record Measure() implements Order {}

  /** Come to an end and say what you counted. */
  record Stop() implements Order {}

  /** Close: both ends have stopped, so none sees the other go. */
  record Close() implements Order {}
}

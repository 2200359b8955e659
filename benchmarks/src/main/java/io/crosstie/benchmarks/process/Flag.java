// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

/** Raised by the thread that reads orders, looked at by the one that measures. */
final class Flag {
  private volatile boolean raised;

  void raise() {
    raised = true;
  }

  void lower() {
    raised = false;
  }

  boolean isRaised() {
    return raised;
  }
}

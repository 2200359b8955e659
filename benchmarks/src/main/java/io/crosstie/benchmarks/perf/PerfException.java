// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.perf;

import org.jspecify.annotations.Nullable;

/** Why a measurement between two hosts cannot go on: one line for a person. */
public final class PerfException extends RuntimeException {
  private static final long serialVersionUID = 1;

  PerfException(String message) {
    this(message, null);
  }

  PerfException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}

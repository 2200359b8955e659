// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import org.jspecify.annotations.Nullable;

/** One case of one subject came to nothing; the others go on. */
final class CaseException extends RuntimeException {
  private static final long serialVersionUID = 1;

  CaseException(String message) {
    this(message, null);
  }

  CaseException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.link;

import org.jspecify.annotations.Nullable;

/** A subject cannot do what was asked; the message says why. */
public final class LinkException extends RuntimeException {
  private static final long serialVersionUID = 1;

  public LinkException(String message) {
    this(message, null);
  }

  public LinkException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}

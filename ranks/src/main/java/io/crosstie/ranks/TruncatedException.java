// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks;

/** The message is longer than the memory of its receive, into which nothing was written. */
public final class TruncatedException extends RanksException {
  private static final long serialVersionUID = 1L;

  /** With a message that names both lengths. */
  public TruncatedException(String message) {
    super(message);
  }
}

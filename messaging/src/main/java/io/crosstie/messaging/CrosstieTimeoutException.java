// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

/**
 * What was waited for did not happen in time. The message says what was tried and what to do next.
 */
public final class CrosstieTimeoutException extends CrosstieException {
  private static final long serialVersionUID = 1L;

  /** With a message for a person. */
  public CrosstieTimeoutException(String message) {
    super(message);
  }
}

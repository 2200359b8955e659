// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.launch;

/** The job cannot be found, joined or started; the message says what to do. */
public final class LaunchException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** With a message for a person. */
  public LaunchException(String message) {
    super(message);
  }

  /** With a cause. */
  public LaunchException(String message, Throwable cause) {
    super(message, cause);
  }
}

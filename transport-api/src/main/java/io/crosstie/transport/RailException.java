// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport;

import java.io.IOException;

/**
 * A rail or port could not be opened. The message says what, where, the errno if any, the option
 * concerned and what to do next.
 */
public final class RailException extends IOException {
  private static final long serialVersionUID = 1L;

  /** The system's error number, 0 if there is none. */
  private final int errno;

  /** With a message for a person. */
  public RailException(String message) {
    this(message, 0);
  }

  /** With a message for a person and the system's error number. */
  public RailException(String message, int errno) {
    super(message);
    this.errno = errno;
  }

  /** With a message for a person and a cause. */
  public RailException(String message, Throwable cause) {
    super(message, cause);
    this.errno = 0;
  }

  /** The system's error number, 0 if there is none. */
  public int errno() {
    return errno;
  }
}

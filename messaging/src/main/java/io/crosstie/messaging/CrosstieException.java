// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A mistake in the configuration or in the use of the library, something that could not be set up,
 * or a wait that ran out of time. The message says what, where, the errno if any, the option
 * concerned and what to do next. The message path itself never throws it: there, negative statuses
 * tell.
 */
public class CrosstieException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private static final String PACKAGE = CrosstieException.class.getPackageName() + ".";

  private static final String PLATFORM = "java.";

  /** The system's error number, 0 if there is none. */
  private final int errno;

  /** With a message for a person. */
  public CrosstieException(String message) {
    this(message, null, 0);
  }

  /** With a message for a person and a cause. */
  public CrosstieException(String message, @Nullable Throwable cause) {
    this(message, cause, 0);
  }

  /** With a message for a person, a cause and the system's error number (0 if there is none). */
  @SuppressWarnings("this-escape") // to Throwable, which made the stack and is complete by then
  public CrosstieException(String message, @Nullable Throwable cause, int errno) {
    super(message, cause);
    this.errno = errno;
    setStackTrace(fromEntry(getStackTrace()));
  }

  /**
   * What stands above the call into this package says nothing to whoever made it, and pushes the
   * message out of sight.
   */
  private static StackTraceElement[] fromEntry(StackTraceElement[] stack) {
    int entry = 0;
    for (int i = 0; i < stack.length; i++) {
      String name = stack[i].getClassName();
      if (name.startsWith(PACKAGE)) {
        entry = i;
      } else if (!name.startsWith(PLATFORM)) {
        break; // a stream of ours, for example, is no caller
      }
    }
    return Arrays.copyOfRange(stack, Math.min(entry, stack.length), stack.length);
  }

  /** The system's error number, 0 if there is none. */
  public int errno() {
    return errno;
  }
}

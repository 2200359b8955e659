// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.lab;

import org.jspecify.annotations.Nullable;

/** Why the lab cannot go on: one line for a person (what, where, what to do next) and a status. */
public final class LabException extends RuntimeException {
  /** Exit status: something was lost, repeated, corrupt or out of order, or a process failed. */
  public static final int RED = 1;

  /** Exit status: wrong words on the command line. */
  public static final int USAGE = 2;

  /** Exit status: something about this machine or JVM. */
  public static final int ENVIRONMENT = 3;

  private static final long serialVersionUID = 1;

  private final int exitCode;

  LabException(int exitCode, String message) {
    this(exitCode, message, null);
  }

  LabException(int exitCode, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.exitCode = exitCode;
  }

  /** The status that the program should end with. */
  public int exitCode() {
    return exitCode;
  }
}

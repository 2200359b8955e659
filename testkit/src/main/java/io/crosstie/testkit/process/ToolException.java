// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.testkit.process;

import org.jspecify.annotations.Nullable;

/** Why a tool cannot go on: one line for a person (what, where, what to do next) and a status. */
public final class ToolException extends RuntimeException {
  /** Exit status: the verdict is red, or a process of the tool failed. */
  public static final int RED = 1;

  /** Exit status: wrong words on the command line. */
  public static final int USAGE = 2;

  /** Exit status: something about this machine or JVM. */
  public static final int ENVIRONMENT = 3;

  private static final long serialVersionUID = 1;

  private final int exitCode;

  /** An error without a cause. */
  public ToolException(int exitCode, String message) {
    this(exitCode, message, null);
  }

  /** An error with its cause. */
  public ToolException(int exitCode, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.exitCode = exitCode;
  }

  /** The status that the program should end with. */
  public int exitCode() {
    return exitCode;
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpi;

/** What becomes of an error. */
public final class Errhandler {
  /** Until another one is set: every error is thrown, also one that the program tells of. */
  static final Errhandler THROWN = new Errhandler(false, "errors are thrown");

  private final boolean fatal;
  private final String name;

  Errhandler(boolean fatal, String name) {
    this.fatal = fatal;
    this.name = name;
  }

  /** Whether the job ends. */
  boolean isFatal() {
    return fatal;
  }

  @Override
  public String toString() {
    return name;
  }
}

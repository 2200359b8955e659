// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpi;

/** What becomes of an error. */
public final class Errhandler {
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

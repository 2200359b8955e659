// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.simulation;

/** An invariant does not hold. */
public final class Violation extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * @param invariant its number and name, after "What nothing lost means"
   * @param detail what was found
   */
  public Violation(String invariant, String detail) {
    super(invariant + ": " + detail);
  }
}

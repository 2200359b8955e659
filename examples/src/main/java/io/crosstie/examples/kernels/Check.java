// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.examples.kernels;

/**
 * A value, and the published one.
 *
 * @param what it is
 * @param computed here
 * @param expected as published
 * @param tolerance greatest relative error; 0 if they have to be equal
 */
public record Check(String what, double computed, double expected, double tolerance) {
  /** Whether it is near enough; not a number never is. */
  public boolean isMet() {
    return Math.abs(computed - expected) <= tolerance * Math.abs(expected);
  }

  @Override
  public String toString() {
    return what + " is " + computed + " and should be " + expected;
  }
}

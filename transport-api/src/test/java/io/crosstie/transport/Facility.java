// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.jspecify.annotations.Nullable;

/**
 * What a test needs from the machine: left out with a word where it is missing, but never in CI.
 */
public final class Facility {
  private Facility() {}

  /**
   * Leaves the test out if the facility is missing; with {@code CI=true} it fails.
   *
   * @param why what is missing, for a person
   */
  public static void require(boolean present, @Nullable String why) {
    if ("true".equals(System.getenv("CI"))) {
      assertTrue(present, () -> "CI must have everything: " + why);
    }
    assumeTrue(present, () -> "left out: " + why);
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability;

/**
 * Faults that a simulation plants in order to see that it finds them; nothing else touches this.
 */
public final class TestHooks {
  private static boolean duplicateFilter = true;

  private TestHooks() {}

  /** Off: a repeat of a whole message that was accepted is taken for the next one. */
  public static void duplicateFilter(boolean on) {
    duplicateFilter = on;
  }

  static boolean duplicateFilter() {
    return duplicateFilter;
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.testkit;

/**
 * How much a test does of what one can do for ever: enough to see that it works in a plain {@code
 * mvn verify}, and much more with {@code -Dtests=long}, as in continuous integration.
 */
public final class Campaign {
  private static final boolean LONG = "long".equals(System.getProperty("tests"));

  private Campaign() {}

  /** Whether all was asked for. */
  public static boolean isLong() {
    return LONG;
  }

  /**
   * How often.
   *
   * @param plain in a plain run
   * @param all with {@code -Dtests=long}
   */
  public static int count(int plain, int all) {
    return LONG ? all : plain;
  }
}

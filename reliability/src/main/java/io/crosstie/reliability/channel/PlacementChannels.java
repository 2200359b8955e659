// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.channel;

/**
 * The numbers of placement channels, which carry placed messages and nothing else (R27). They are
 * the highest ones, apart from those that an application can open; a connection has {@value
 * #COUNT}, so that a large message holds up the acknowledgement of none on another.
 */
public final class PlacementChannels {
  /** The first number that an application cannot open. */
  public static final int FIRST = 0x7f00_0000;

  /** So many there are. */
  public static final int COUNT = 4;

  private PlacementChannels() {}

  /** Whether the number is above those of the application's channels. */
  public static boolean isReserved(int number) {
    return number >= FIRST;
  }

  /** Whether there is such a placement channel. */
  public static boolean exists(int number) {
    return number >= FIRST && number < FIRST + COUNT;
  }
}

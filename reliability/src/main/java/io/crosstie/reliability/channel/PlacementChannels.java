// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.channel;

/**
 * The numbers of placement channels, which carry placed messages and nothing else (R27). They are
 * the highest ones, apart from those that an application can open. A connection has several, so
 * that a large message holds up the acknowledgement of none on another; answers to requests have
 * their own, since nobody has to poll where they come from.
 */
public final class PlacementChannels {
  /** The first number that an application cannot open. */
  public static final int FIRST = 0x7f00_0000;

  /** So many carry puts and requests. */
  public static final int PUTS = 4;

  /** So many there are; the last ones carry answers. */
  public static final int COUNT = PUTS + 2;

  private PlacementChannels() {}

  /** Whether the number is above those of the application's channels. */
  public static boolean isReserved(int number) {
    return number >= FIRST;
  }

  /** Whether it is one that carries answers. */
  public static boolean isForAnswers(int number) {
    return number >= FIRST + PUTS && exists(number);
  }

  /** Whether there is such a placement channel. */
  public static boolean exists(int number) {
    return number >= FIRST && number < FIRST + COUNT;
  }
}

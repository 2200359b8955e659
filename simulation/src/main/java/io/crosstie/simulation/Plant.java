// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.simulation;

import java.util.Locale;

/** A fault put into the core on purpose, to see that it is found. */
public enum Plant {
  /** None: the core as it is shipped. */
  NONE,
  /** Fragments that were accepted already are accepted again. */
  NO_DUPLICATE_FILTER,
  /** Payloads have no checksum. */
  NO_CRC,
  /** What hangs on a silent rail is not sent again on others. */
  NO_REINJECTION,
  /** Between an engine and a port's thread a packet takes the length of the one before. */
  STALE_LENGTH,
  /** There a packet's room is given back before it was handed on. */
  EARLY_RELEASE;

  /** Its name on the command line. */
  public String option() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /**
   * Finds one by that name.
   *
   * @throws IllegalArgumentException naming those that exist
   */
  public static Plant of(String option) {
    StringBuilder known = new StringBuilder();
    for (Plant plant : values()) {
      if (plant.option().equals(option)) {
        return plant;
      }
      known.append(known.isEmpty() ? "" : ", ").append(plant.option());
    }
    throw new IllegalArgumentException("unknown fault \"" + option + "\"; known are " + known);
  }
}

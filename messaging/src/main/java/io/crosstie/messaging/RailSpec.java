// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import io.crosstie.transport.RailUri;
import java.util.StringJoiner;

/**
 * A rail as configured, taken apart: the options that are ours and what the driver gets to see.
 *
 * @param configured as written
 * @param forDriver without our own options
 * @param driver a driver's name, or {@link #AUTO}
 * @param weight share of traffic under the weighted scheduler, 1 to {@value #MAX_WEIGHT}
 */
record RailSpec(RailUri configured, RailUri forDriver, String driver, int weight) {
  static final String AUTO = "auto";
  static final int MAX_WEIGHT = 1000;
  private static final String DRIVER_OPTION = "driver";
  private static final String WEIGHT_OPTION = "weight";

  /**
   * Takes a rail apart.
   *
   * @throws CrosstieException if it is malformed
   */
  static RailSpec parse(String text) {
    try {
      RailUri uri = RailUri.parse(text);
      int weight = (int) uri.number(WEIGHT_OPTION, 1, 1, MAX_WEIGHT);
      String driver = uri.option(DRIVER_OPTION, AUTO);
      StringJoiner options = new StringJoiner("&", "?", "").setEmptyValue("");
      uri.options()
          .forEach(
              (key, value) -> {
                if (!key.equals(DRIVER_OPTION) && !key.equals(WEIGHT_OPTION)) {
                  options.add(key + "=" + value);
                }
              });
      RailUri rest = RailUri.parse(uri.scheme() + ":" + uri.rest() + options);
      return new RailSpec(uri, rest, driver, weight);
    } catch (IllegalArgumentException e) {
      throw new CrosstieException(String.valueOf(e.getMessage()), e);
    }
  }

  String scheme() {
    return configured.scheme();
  }

  @Override
  public String toString() {
    return configured.toString();
  }
}

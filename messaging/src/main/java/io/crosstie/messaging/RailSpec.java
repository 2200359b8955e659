// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import io.crosstie.transport.RailUri;
import java.util.Set;
import java.util.StringJoiner;

/**
 * A rail as configured, taken apart: the options that are ours and what the driver gets to see.
 *
 * @param configured as written
 * @param forDriver without our own options
 * @param driver a driver's name, or {@link #AUTO}
 * @param weight share of traffic under the weighted scheduler, 1 to {@value #MAX_WEIGHT}
 * @param ownThread whether a thread of its own uses the port
 */
record RailSpec(
    RailUri configured, RailUri forDriver, String driver, int weight, boolean ownThread) {
  static final String AUTO = "auto";
  static final int MAX_WEIGHT = 1000;
  private static final String DRIVER_OPTION = "driver";
  private static final String WEIGHT_OPTION = "weight";
  private static final String THREAD_OPTION = "thread";
  private static final Set<String> OPTIONS = Set.of(DRIVER_OPTION, WEIGHT_OPTION, THREAD_OPTION);

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
                if (!OPTIONS.contains(key)) {
                  options.add(key + "=" + value);
                }
              });
      RailUri rest = RailUri.parse(uri.scheme() + ":" + uri.rest() + options);
      return new RailSpec(uri, rest, driver, weight, ownThread(uri));
    } catch (IllegalArgumentException e) {
      throw new CrosstieException(String.valueOf(e.getMessage()));
    }
  }

  private static boolean ownThread(RailUri uri) {
    String thread = uri.option(THREAD_OPTION, "inline");
    return switch (thread) {
      case "own" -> true;
      case "inline" -> false;
      default ->
          throw new IllegalArgumentException(
              "rail \"" + uri + "\": option thread=" + thread + " must be inline or own");
    };
  }

  String scheme() {
    return configured.scheme();
  }

  @Override
  public String toString() {
    return configured.toString();
  }
}

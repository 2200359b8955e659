// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.lab;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * One rail of the lab: a pair of interfaces, one on each host.
 *
 * @param index from 1
 * @param rate as it was written, for tc
 * @param bitsPerSecond the same as a number
 * @param delayNs one way, 0 for none
 */
record RailPlan(int index, String rate, long bitsPerSecond, long delayNs) {
  private static final Map<String, Long> UNITS =
      Map.of("kbit", 1_000L, "mbit", 1_000_000L, "gbit", 1_000_000_000L);

  /** The name of the interface on both hosts. */
  String device() {
    return "r" + index;
  }

  /** The sender's address. */
  String here() {
    return "198.18." + index + ".1";
  }

  /** The receiver's address. */
  String there() {
    return "198.18." + index + ".2";
  }

  /**
   * Reads lists such as {@code 1gbit,200mbit} and {@code 1ms,10ms}.
   *
   * @param delays empty for none
   */
  static List<RailPlan> parse(String rates, String delays) {
    String[] rate = rates.split(",", -1);
    String[] delay = delays.isEmpty() ? new String[0] : delays.split(",", -1);
    if (delay.length > 0 && delay.length != rate.length) {
      throw new LabException(
          LabException.USAGE,
          "--delays " + delays + " names " + delay.length + " rails, --rates " + rate.length);
    }
    if (rate.length > 8) {
      throw new LabException(LabException.USAGE, "--rates names more than 8 rails");
    }
    List<RailPlan> plans = new ArrayList<>();
    for (int i = 0; i < rate.length; i++) {
      plans.add(
          new RailPlan(
              i + 1,
              rate[i].strip(),
              bits(rate[i].strip()),
              delay.length == 0 ? 0 : nanos(delay[i].strip())));
    }
    return plans;
  }

  private static long bits(String text) {
    String lower = text.toLowerCase(Locale.ROOT);
    for (Map.Entry<String, Long> unit : UNITS.entrySet()) {
      if (lower.endsWith(unit.getKey())) {
        long number = number(lower.substring(0, lower.length() - unit.getKey().length()), text);
        return Math.multiplyExact(number, unit.getValue());
      }
    }
    throw new LabException(
        LabException.USAGE, "\"" + text + "\" is no rate; write for example 1gbit or 200mbit");
  }

  private static long nanos(String text) {
    if (text.endsWith("us")) {
      return number(text.substring(0, text.length() - 2), text) * 1_000;
    }
    if (text.endsWith("ms")) {
      return number(text.substring(0, text.length() - 2), text) * 1_000_000;
    }
    throw new LabException(
        LabException.USAGE, "\"" + text + "\" is no delay; write for example 1ms or 500us");
  }

  private static long number(String digits, String whole) {
    try {
      long number = Long.parseLong(digits);
      if (number >= 0 && number <= 100_000) {
        return number;
      }
    } catch (NumberFormatException e) {
      // falls through
    }
    throw new LabException(
        LabException.USAGE, "\"" + whole + "\": \"" + digits + "\" is not a number up to 100000");
  }
}

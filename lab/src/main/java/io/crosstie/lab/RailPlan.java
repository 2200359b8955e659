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
 */
record RailPlan(int index, String rate, long bitsPerSecond) {
  private static final Map<String, Long> UNITS =
      Map.of("kbit", 1_000L, "mbit", 1_000_000L, "gbit", 1_000_000_000L);

  private static final int MOST = 8;

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

  /** Reads a list such as {@code 1gbit,200mbit}. */
  static List<RailPlan> parse(String rates) {
    String[] words = rates.split(",", -1);
    if (words.length > MOST) {
      throw new LabException(LabException.USAGE, rates + " names more than " + MOST + " rails");
    }
    List<RailPlan> plans = new ArrayList<>();
    for (String word : words) {
      plans.add(new RailPlan(plans.size() + 1, word.strip(), bits(word.strip())));
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

  private static long number(String digits, String whole) {
    try {
      long number = Long.parseLong(digits);
      if (number > 0 && number <= 100_000) {
        return number;
      }
    } catch (NumberFormatException e) {
      // falls through
    }
    throw new LabException(
        LabException.USAGE, "\"" + whole + "\": \"" + digits + "\" is not a number up to 100000");
  }
}

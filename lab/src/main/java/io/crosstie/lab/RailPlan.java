// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.lab;

import io.crosstie.testkit.process.ToolException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * One rail of the lab: a pair of interfaces, one on each host, and what is between them.
 *
 * @param index from 1
 * @param rate as it was written, for tc
 * @param bitsPerSecond the same as a number
 * @param delayNs how long the cable is, one way; 0 for none to speak of
 */
record RailPlan(int index, String rate, long bitsPerSecond, long delayNs) {
  private static final Map<String, Long> UNITS =
      Map.of("kbit", 1_000L, "mbit", 1_000_000L, "gbit", 1_000_000_000L);

  private static final Map<String, Long> TIME_UNITS = Map.of("us", 1_000L, "ms", 1_000_000L);
  private static final long LONGEST_NS = 500_000_000L;
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

  /** Reads a list such as {@code 1gbit,200mbit}: rails without delay. */
  static List<RailPlan> parse(String rates) {
    return parse(rates, "");
  }

  /** Reads a list such as {@code 1gbit,200mbit} and one such as {@code 1ms,10ms}, or none. */
  static List<RailPlan> parse(String rates, String delays) {
    String[] words = rates.split(",", -1);
    String[] times = delays.isEmpty() ? new String[words.length] : delays.split(",", -1);
    if (times.length != words.length) {
      throw new ToolException(
          ToolException.USAGE,
          delays + " names " + times.length + " delays for " + words.length + " rails");
    }
    if (words.length > MOST) {
      throw new ToolException(ToolException.USAGE, rates + " names more than " + MOST + " rails");
    }
    List<RailPlan> plans = new ArrayList<>();
    for (String word : words) {
      String time = times[plans.size()];
      plans.add(
          new RailPlan(
              plans.size() + 1,
              word.strip(),
              number(word.strip(), UNITS, "rate; write for example 1gbit or 200mbit"),
              time == null ? 0 : delayNs(time.strip())));
    }
    return plans;
  }

  private static long delayNs(String text) {
    if (text.equals("0")) {
      return 0;
    }
    long ns = number(text, TIME_UNITS, "delay; write for example 10ms or 500us, or 0");
    if (ns > LONGEST_NS) {
      throw new ToolException(ToolException.USAGE, text + " is longer than 500ms");
    }
    return ns;
  }

  private static long number(String text, Map<String, Long> units, String what) {
    String lower = text.toLowerCase(Locale.ROOT);
    for (Map.Entry<String, Long> unit : units.entrySet()) {
      if (lower.endsWith(unit.getKey())) {
        long number = number(lower.substring(0, lower.length() - unit.getKey().length()), text);
        return Math.multiplyExact(number, unit.getValue());
      }
    }
    throw new ToolException(ToolException.USAGE, "\"" + text + "\" is no " + what);
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
    throw new ToolException(
        ToolException.USAGE, "\"" + whole + "\": \"" + digits + "\" is not a number up to 100000");
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.lab;

import io.crosstie.testkit.process.ToolException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One rail of the lab: a pair of interfaces, one on each host, and what is between them.
 *
 * @param index from 1
 * @param rate as it was written, for tc
 * @param bitsPerSecond the same as a number
 * @param path what is between them that takes time; null for a short cable
 */
record RailPlan(int index, String rate, long bitsPerSecond, @Nullable Path path) {
  /**
   * A long way.
   *
   * @param delayNs one way
   * @param mtu of the interfaces; 0 as they come
   * @param queueBytes what waits where the rate is limited, at most; 0 for 20 ms of the rate
   * @param disorder whether packets overtake others
   */
  record Path(long delayNs, int mtu, long queueBytes, Disorder disorder) {}

  /**
   * How packets overtake others.
   *
   * @param percent of all that are overtaken; 0 for none
   * @param by so many others each
   */
  record Disorder(int percent, int by) {
    static final Disorder NONE = new Disorder(0, 0);
  }

  private static final Map<String, Long> UNITS =
      Map.of("kbit", 1_000L, "mbit", 1_000_000L, "gbit", 1_000_000_000L);

  private static final Map<String, Long> TIME_UNITS = Map.of("us", 1_000L, "ms", 1_000_000L);
  private static final long LONGEST_NS = 1_000_000_000L;
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
      long delayNs = time == null ? 0 : delayNs(time.strip());
      plans.add(
          new RailPlan(
              plans.size() + 1,
              word.strip(),
              bitsPerSecond(word.strip()),
              delayNs == 0 ? null : new Path(delayNs, 0, 0, Disorder.NONE)));
    }
    return plans;
  }

  private static long bitsPerSecond(String rate) {
    return number(rate, UNITS, "rate; write for example 1gbit or 200mbit");
  }

  /** One rail over a long way. */
  static RailPlan over(String rate, Path path) {
    return new RailPlan(1, rate, bitsPerSecond(rate), path);
  }

  /** Reads a time such as {@code 10ms}, or {@code 0}. */
  static long delayNs(String text) {
    if (text.equals("0")) {
      return 0;
    }
    long ns = number(text, TIME_UNITS, "delay; write for example 10ms or 500us, or 0");
    if (ns > LONGEST_NS) {
      throw new ToolException(ToolException.USAGE, text + " is longer than 1000ms");
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

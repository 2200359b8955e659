// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo;

import java.math.BigDecimal;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Sizes as people write them: {@code 4GiB}, {@code 512MiB}, {@code 1.5g}, {@code 65536}. */
public final class ByteSize {
  private static final Pattern TEXT =
      Pattern.compile(
          "([0-9]+(?:\\.[0-9]+)?)\\s*(?:([kmgt])(i?b)?|(b))?", Pattern.CASE_INSENSITIVE);
  private static final String[] UNITS = {"B", "KiB", "MiB", "GiB", "TiB"};

  private ByteSize() {}

  /**
   * Reads a size; all units are powers of 1024.
   *
   * @throws IllegalArgumentException with a message that shows the text and correct examples
   */
  public static long parse(String text) {
    Matcher matcher = TEXT.matcher(text.strip());
    if (matcher.matches()) {
      String unit = matcher.group(2);
      int power = unit == null ? 0 : "kmgt".indexOf(unit.toLowerCase(Locale.ROOT)) + 1;
      try {
        return new BigDecimal(matcher.group(1))
            .multiply(BigDecimal.valueOf(1L << (10 * power)))
            .longValueExact();
      } catch (ArithmeticException e) {
        // not whole bytes, or more than a long holds: the one message for all of it
      }
    }
    throw new IllegalArgumentException(
        "\"" + text + "\" is not a size; write for example 512MiB, 4GiB or 1.5g");
  }

  /** A size for people, with at most one decimal. */
  public static String format(long bytes) {
    double value = bytes;
    int unit = 0;
    while (value >= 1024 && unit < UNITS.length - 1) {
      value /= 1024;
      unit++;
    }
    return unit == 0 ? bytes + " B" : String.format(Locale.ROOT, "%.1f %s", value, UNITS[unit]);
  }
}

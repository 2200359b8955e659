// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A rail as configured: {@code scheme:rest?key=value&…}, for example {@code
 * udp://198.18.1.1:7400?mtu=1500}, {@code udp://[::1]:0}, {@code shm:} or {@code
 * shm:/some/dir?size=4MiB}. Immutable.
 */
public final class RailUri {
  private final String text;
  private final String scheme;
  private final String rest;
  private final Map<String, String> options;

  private RailUri(String text, String scheme, String rest, Map<String, String> options) {
    this.text = text;
    this.scheme = scheme;
    this.rest = rest;
    this.options = options;
  }

  /**
   * Parses.
   *
   * @throws IllegalArgumentException with a message that shows the text and a correct example
   */
  public static RailUri parse(String text) {
    int colon = text.indexOf(':');
    if (colon <= 0 || !text.substring(0, colon).matches("[A-Za-z][A-Za-z0-9+.-]*")) {
      throw malformed(text, "it has no scheme");
    }
    int question = text.indexOf('?');
    String rest = text.substring(colon + 1, question < 0 ? text.length() : question);
    Map<String, String> options = new LinkedHashMap<>();
    if (question >= 0) {
      for (String option : text.substring(question + 1).split("&", -1)) {
        int equals = option.indexOf('=');
        if (equals <= 0) {
          throw malformed(text, "\"" + option + "\" is not key=value");
        }
        if (options.put(option.substring(0, equals), option.substring(equals + 1)) != null) {
          throw malformed(text, "option \"" + option.substring(0, equals) + "\" stands twice");
        }
      }
    }
    String scheme = text.substring(0, colon).toLowerCase(java.util.Locale.ROOT);
    return new RailUri(text, scheme, rest, Collections.unmodifiableMap(options));
  }

  private static IllegalArgumentException malformed(String text, String why) {
    return new IllegalArgumentException(
        "malformed rail \""
            + text
            + "\": "
            + why
            + "; write for example udp://198.18.1.1:7400?mtu=1500 or shm:");
  }

  /** The scheme in lower case. */
  public String scheme() {
    return scheme;
  }

  /** What stands between the scheme's colon and the question mark. */
  public String rest() {
    return rest;
  }

  /** All options, in the order given. */
  public Map<String, String> options() {
    return options;
  }

  /** An option's value, or null. */
  public @Nullable String option(String key) {
    return options.get(key);
  }

  /** An option's value, or the default. */
  public String option(String key, String defaultValue) {
    String value = options.get(key);
    return value == null ? defaultValue : value;
  }

  /**
   * An option as a whole number, with an optional suffix k, m, g, KiB, MiB or GiB (powers of 1024).
   *
   * @throws IllegalArgumentException naming option, value and range
   */
  public long number(String key, long defaultValue, long min, long max) {
    String value = options.get(key);
    if (value == null) {
      return defaultValue;
    }
    long factor = 1;
    String digits = value.toLowerCase(java.util.Locale.ROOT).replaceFirst("i?b$", "");
    if (!digits.isEmpty()) {
      factor =
          switch (digits.charAt(digits.length() - 1)) {
            case 'k' -> 1L << 10;
            case 'm' -> 1L << 20;
            case 'g' -> 1L << 30;
            default -> 1;
          };
    }
    try {
      String mantissa = factor == 1 ? digits : digits.substring(0, digits.length() - 1);
      long number = Math.multiplyExact(Long.parseLong(mantissa), factor);
      if (number >= min && number <= max) {
        return number;
      }
    } catch (ArithmeticException | NumberFormatException e) {
      // falls through to the one message for all of it
    }
    throw new IllegalArgumentException(
        "rail \""
            + text
            + "\": option "
            + key
            + "="
            + value
            + " must be a whole number from "
            + min
            + " to "
            + max);
  }

  /**
   * Rejects options that nobody knows.
   *
   * @throws IllegalArgumentException naming the option and the known ones
   */
  public void allowOptions(Set<String> known) {
    for (String key : options.keySet()) {
      if (!known.contains(key)) {
        throw new IllegalArgumentException(
            "rail \""
                + text
                + "\": unknown option \""
                + key
                + "\"; known are "
                + new java.util.TreeSet<>(known));
      }
    }
  }

  /** As it was written. */
  @Override
  public String toString() {
    return text;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof RailUri uri && uri.text.equals(text);
  }

  @Override
  public int hashCode() {
    return text.hashCode();
  }
}

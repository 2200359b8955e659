// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import com.google.gson.Gson;
import com.google.gson.JsonParseException;
import java.util.Arrays;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The lines between controller and workers: the record's name, a space, the record as JSON. */
final class Lines {
  private static final Gson GSON = new Gson();
  private static final Map<String, Class<?>> TYPES =
      Stream.of(Order.class, Reply.class)
          .flatMap(type -> Arrays.stream(type.getPermittedSubclasses()))
          .collect(Collectors.toMap(Class::getSimpleName, Function.identity()));

  private Lines() {}

  static String encode(Object line) {
    return line.getClass().getSimpleName() + ' ' + GSON.toJson(line);
  }

  /**
   * Reads a line.
   *
   * @throws IllegalArgumentException if it is none of ours
   */
  static Object decode(String line) {
    int space = line.indexOf(' ');
    Class<?> type = space < 0 ? null : TYPES.get(line.substring(0, space));
    if (type == null) {
      throw new IllegalArgumentException("not a line of the benchmark's processes: " + line);
    }
    try {
      return GSON.fromJson(line.substring(space + 1), type);
    } catch (JsonParseException e) {
      throw new IllegalArgumentException("not a line of the benchmark's processes: " + line, e);
    }
  }
}

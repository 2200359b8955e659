// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonParseException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.util.Arrays;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The lines between the controller and its processes: the record's name, a space, the record as
 * JSON.
 */
final class Lines {
  static final Gson GSON = new GsonBuilder().disableHtmlEscaping().create();

  private static final java.util.Map<String, Class<?>> TYPES =
      Stream.of(Command.class, Report.class)
          .flatMap(type -> Arrays.stream(type.getPermittedSubclasses()))
          .collect(Collectors.toMap(Class::getSimpleName, Function.identity()));

  private Lines() {}

  static String encode(Object line) {
    return line.getClass().getSimpleName() + " " + GSON.toJson(line);
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
      throw new IllegalArgumentException("not a line of the demo's processes: " + line);
    }
    try {
      return GSON.fromJson(line.substring(space + 1), type);
    } catch (JsonParseException e) {
      throw new IllegalArgumentException("not a line of the demo's processes: " + line, e);
    }
  }

  /** Writes a line at once; several threads may. */
  static void write(PrintStream out, Object line) {
    String text = encode(line);
    synchronized (out) {
      out.println(text);
      out.flush();
    }
  }

  /** The next line, or null at the end. */
  static @Nullable Object read(BufferedReader in) throws IOException {
    String line = in.readLine();
    return line == null ? null : decode(line);
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.testkit.process;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonParseException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.util.Arrays;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Lines between processes that are records: the record's name, a space, the record as JSON. Any
 * thread.
 */
public final class RecordLines {
  private final Gson gson = new GsonBuilder().disableHtmlEscaping().create();
  private final String whose;
  private final Map<String, Class<?>> types;

  /**
   * Lines of some kinds.
   *
   * @param whose for messages, such as "the demo's processes"
   * @param kinds sealed interfaces, whose records have names of their own
   */
  public RecordLines(String whose, Class<?>... kinds) {
    this.whose = whose;
    this.types =
        Stream.of(kinds)
            .flatMap(kind -> Arrays.stream(kind.getPermittedSubclasses()))
            .collect(Collectors.toMap(Class::getSimpleName, Function.identity()));
  }

  /** A record as a line. */
  public String encode(Object line) {
    return line.getClass().getSimpleName() + ' ' + gson.toJson(line);
  }

  /**
   * Reads a line.
   *
   * @throws IllegalArgumentException if it is none of these
   */
  public Object decode(String line) {
    int space = line.indexOf(' ');
    Class<?> type = space < 0 ? null : types.get(line.substring(0, space));
    if (type == null) {
      throw new IllegalArgumentException("not a line of " + whose + ": " + line);
    }
    try {
      return gson.fromJson(line.substring(space + 1), type);
    } catch (JsonParseException e) {
      throw new IllegalArgumentException("not a line of " + whose + ": " + line, e);
    }
  }

  /** Writes a line at once; several threads may. */
  public void write(PrintStream out, Object line) {
    String text = encode(line);
    synchronized (out) {
      out.println(text);
      out.flush();
    }
  }

  /** The next line, or null at the end. */
  public @Nullable Object read(BufferedReader in) throws IOException {
    String line = in.readLine();
    return line == null ? null : decode(line);
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The table of options in docs/TUNING.md is that of the builder. */
final class DefaultsPageTest {
  private static final Pattern ROW = Pattern.compile("\\| `(\\w+)` \\| ([^|]+) \\| [^|]+ \\|");

  /** What has no default, or is added and not set. */
  private static final Set<String> NO_OPTIONS =
      Set.of("name", "rail", "peer", "eventTap", "cycleHook", "build");

  /** The first table: others have other columns, or rows of options that stand here, too. */
  private static Map<String, String> told() throws IOException {
    Path path = Path.of("").toAbsolutePath();
    while (!Files.exists(path.resolve("docs/TUNING.md"))) {
      path = path.getParent();
    }
    Map<String, String> told = new TreeMap<>();
    List<String> lines = Files.readAllLines(path.resolve("docs/TUNING.md"));
    int begin = lines.indexOf("| Option | Default | What it is |");
    assertTrue(begin > 0, "docs/TUNING.md has no table of options");
    for (String line : lines.subList(begin + 2, lines.size())) {
      var row = ROW.matcher(line);
      if (!row.matches()) {
        break;
      }
      told.put(row.group(1), row.group(2));
    }
    return told;
  }

  @Test
  void everyOptionIsToldWithItsDefault() throws Exception {
    Map<String, String> told = told();
    var options = new TreeSet<String>();
    for (Method method : NodeConfigBuilder.class.getDeclaredMethods()) {
      if (Modifier.isPublic(method.getModifiers()) && !NO_OPTIONS.contains(method.getName())) {
        options.add(method.getName());
      }
    }
    assertEquals(options, new TreeSet<>(told.keySet()));
    NodeConfigBuilder fresh = NodeConfig.builder();
    for (Map.Entry<String, String> row : told.entrySet()) {
      String name = row.getKey().equals("scheduler") ? "schedulerName" : row.getKey();
      Field field = NodeConfigBuilder.class.getDeclaredField(name);
      assertEquals(text(field.get(fresh)), row.getValue(), row.getKey());
    }
  }

  private static String text(Object value) {
    return switch (value) {
      case Boolean on -> on ? "on" : "off";
      case Duration time -> ConfigRules.text(time);
      case Long bytes when bytes == NodeConfigBuilder.BY_MEMORY -> "by memory";
      case Integer number when number == -1 -> "none";
      case Integer number when number % (1 << 20) == 0 -> number / (1 << 20) + " MiB";
      case Progress progress -> progress.isCaller() ? "caller's thread" : "own thread";
      default -> value.toString();
    };
  }
}

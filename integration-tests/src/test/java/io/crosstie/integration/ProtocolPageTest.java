// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.testkit.SourceTree;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** PROTOCOL.md names classes, methods, tests and planted faults that exist, in readable lines. */
final class ProtocolPageTest {
  private static final int MAX_LINE = 120;
  private static final String PAGE = "PROTOCOL.md";
  private static final Path ROOT = SourceTree.root();

  /** What stands between backquotes. */
  private static final Pattern QUOTED = Pattern.compile("`([^`]+)`");

  /** A class, a member of it, or a member of the class that was named last. */
  private static final Pattern REFERENCE =
      Pattern.compile("(?:[a-z]\\w*\\.)*([A-Z]\\w*)?(?:[#.](\\w+))?");

  private static final Pattern PLANTED_FAULT = Pattern.compile("[a-z]+(-[a-z]+)+");
  private static final Pattern PROPERTY = Pattern.compile("-D([\\w.]+)=.*");

  /** Paths of all Java files, by the name of their class. */
  private final Map<String, List<Path>> sources = sources();

  private static Map<String, List<Path>> sources() {
    Map<String, List<Path>> byName = new HashMap<>();
    try (Stream<Path> files = Files.walk(ROOT)) {
      files
          .filter(file -> file.toString().endsWith(".java"))
          .filter(file -> !ROOT.relativize(file).toString().contains("target/"))
          .forEach(
              file -> {
                String name = file.getFileName().toString().replace(".java", "");
                byName.computeIfAbsent(name, ignored -> new ArrayList<>()).add(file);
              });
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return byName;
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<String> lines() {
    return text(ROOT.resolve(PAGE)).lines().toList();
  }

  @Test
  void linesAreReadable() {
    List<String> lines = lines();
    List<String> tooLong =
        IntStream.range(0, lines.size())
            .filter(i -> lines.get(i).length() > MAX_LINE)
            .mapToObj(i -> PAGE + ":" + (i + 1) + ": " + lines.get(i).length() + " characters")
            .toList();
    assertEquals(List.of(), tooLong, "at most " + MAX_LINE);
  }

  /** Part 1 names a few classes, too, and constants of them. */
  @Test
  void theWireFormatNamesClassesThatExist() {
    String page = text(ROOT.resolve(PAGE));
    String part = page.substring(0, page.indexOf("# Part 2"));
    List<String> faults = new ArrayList<>();
    Matcher quoted = QUOTED.matcher(part.replaceAll("(?s)```.*?```", ""));
    while (quoted.find()) {
      Matcher reference = REFERENCE.matcher(quoted.group(1));
      if (reference.matches() && reference.group(1) != null) {
        check(reference.group(1), reference.group(2), true, faults);
        assertTrue(!quoted.group(1).endsWith("#"), quoted::group);
      }
    }
    assertEquals(List.of(), faults);
  }

  @Test
  void theRulesNameCodeAndTestsThatExist() {
    String page = text(ROOT.resolve(PAGE));
    String part = page.substring(page.indexOf("# Part 2"));
    // one item each, whose further lines are indented more
    String[] items = part.replaceAll("\n {2,}(?! *- )\\s*", " ").split("\n", -1);
    TreeSet<String> rules = new TreeSet<>();
    List<String> faults = new ArrayList<>();
    int code = 0;
    int tests = 0;
    for (String item : items) {
      if (item.startsWith("- **R")) {
        assertEquals(code, tests, "code and tests of the rule before: " + item);
        for (String rule : item.replaceAll("^- \\*\\*|\\*\\*.*", "").split(", ", -1)) {
          rules.add(rule);
        }
      } else if (item.startsWith("  - Code: ")) {
        code++;
        check(item, true, faults);
      } else if (item.startsWith("  - Tests: ")) {
        tests++;
        check(item, false, faults);
      }
    }
    assertEquals(List.of(), faults);
    assertEquals(code, tests);
    assertTrue(rules.size() >= 28 && code >= rules.size(), rules + " and " + code);
  }

  private void check(String item, boolean main, List<String> faults) {
    Matcher quoted = QUOTED.matcher(item);
    String last = "";
    int references = 0;
    while (quoted.find()) {
      String what = quoted.group(1);
      Matcher property = PROPERTY.matcher(what);
      Matcher reference = REFERENCE.matcher(what);
      references++;
      if (PLANTED_FAULT.matcher(what).matches()) {
        check("Plant", what.toUpperCase(Locale.ROOT).replace('-', '_'), true, faults);
      } else if (property.matches()) {
        String name = '"' + property.group(1) + '"';
        if (sources.get(last).stream().noneMatch(file -> text(file).contains(name))) {
          faults.add(last + " does not read " + name);
        }
      } else if (reference.matches()) {
        last = reference.group(1) == null ? last : reference.group(1);
        check(last, reference.group(2), main, faults);
      } else {
        faults.add("neither code nor test: " + what);
      }
    }
    assertTrue(references > 0, item);
  }

  /** A class of main code or of tests, and its method or constant, if one is named. */
  private void check(String name, String member, boolean main, List<String> faults) {
    List<Path> files =
        sources.getOrDefault(name, List.of()).stream()
            .filter(file -> !main || name.endsWith("Test") || !isTest(file))
            .filter(file -> main || isTest(file))
            .toList();
    if (files.isEmpty()) {
      faults.add("no " + (main ? "class " : "test ") + name);
    } else if (member != null) {
      Pattern declared =
          Pattern.compile(
              main
                  ? "\\w[>\\]]* " + member + "(\\(| = )|^ +" + member + "\\b"
                  : "void " + member + "\\(",
              Pattern.MULTILINE);
      if (files.stream().noneMatch(file -> declared.matcher(text(file)).find())) {
        faults.add(name + " has no " + member);
      }
    }
  }

  private static boolean isTest(Path file) {
    String path = ROOT.relativize(file).toString();
    return path.contains("src/test/") || path.startsWith("testkit/");
  }
}

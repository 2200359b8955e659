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
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Holds that no test is left out past {@code Facility}, whose decision and whose line it is. */
final class FacilityRuleTest {
  private static final String OWNER = "testkit/src/main/java/io/crosstie/testkit/Facility.java";

  /** All ways of JUnit, jqwik and Testcontainers to leave out a test, and the word for CI. */
  private static final Pattern WAY_OUT =
      Pattern.compile(
          "\\bAssumptions\\b|\\bassume(True|False|That|ingThat)\\b|\\bAssume\\b"
              + "|api\\.condition\\b|@(En|Dis)abled|TestAbortedException|\\bExecutionCondition\\b"
              + "|disabledWithoutDocker|AbortedException|getenv\\(\"CI\"\\)");

  private static List<Path> sources(Path root) throws IOException {
    try (Stream<Path> files =
        Files.find(
            root,
            20,
            (file, attributes) -> {
              String name = root.relativize(file).toString();
              return name.endsWith(".java")
                  && (name.contains("src/test/java") || name.startsWith("testkit/"))
                  && !name.contains("/target/")
                  && !name.equals(OWNER)
                  && !name.endsWith("/FacilityRuleTest.java");
            })) {
      return files.toList();
    }
  }

  private static List<String> faults(Path file) {
    List<String> faults = new ArrayList<>();
    try {
      List<String> lines = Files.readAllLines(file);
      for (int i = 0; i < lines.size(); i++) {
        if (WAY_OUT.matcher(lines.get(i)).find()) {
          faults.add(file.getFileName() + ":" + (i + 1) + ": " + lines.get(i).strip());
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return faults;
  }

  @Test
  void noTestIsLeftOutPastFacility() throws IOException {
    List<Path> sources = sources(SourceTree.root());
    assertTrue(sources.size() > 200, () -> "only " + sources.size() + " files of tests are found");
    assertEquals(
        List.of(),
        sources.stream().flatMap(file -> faults(file).stream()).toList(),
        "tests that are left out past io.crosstie.testkit.Facility");
  }

  /** The rule sees what it is there to see. */
  @Test
  void offencesAreSeen() {
    for (String line :
        List.of(
            "assumeTrue(rail.pulls());",
            "import static org.junit.jupiter.api.Assumptions.abort;",
            "@EnabledOnOs(OS.LINUX)",
            "@Disabled",
            "@EnabledIfEnvironmentVariable(named = \"CI\", matches = \"true\")",
            "import net.jqwik.api.Assume;",
            "throw new TestAbortedException();",
            "@Testcontainers(disabledWithoutDocker = true)",
            "if (System.getenv(\"CI\") == null) {")) {
      assertTrue(WAY_OUT.matcher(line).find(), line);
    }
  }
}

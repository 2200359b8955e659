// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class FacilityTest {
  /**
   * Prints how a test ends that needs what is not there, in a JVM with an environment of its own.
   */
  static final class Ends {
    private Ends() {}

    public static void main(String[] args) {
      Facility none = Facility.of(() -> "a wand is needed");
      for (int i = 0; i < 2; i++) {
        try {
          none.require("magic");
          System.out.println("ran");
        } catch (RuntimeException | AssertionError e) {
          System.out.println(
              (e instanceof AssertionError ? "failed " : "aborted ") + e.getMessage());
        }
      }
      System.out.println("has " + Facility.onProcessor(false, "magic instructions"));
    }
  }

  private static List<String> ends(String ci) throws Exception {
    ProcessBuilder builder =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path").replace("\n", File.pathSeparator),
            Ends.class.getName());
    builder.environment().put("CI", ci);
    Process process = builder.redirectErrorStream(true).start();
    process.getOutputStream().close();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), output);
    return output.lines().toList();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "false"})
  void leavesOutWithOneLine(String ci) throws Exception {
    String line = "left out of Ends: a wand is needed: magic";
    assertEquals(
        List.of(
            line,
            "aborted " + line,
            "aborted " + line,
            "left out of Ends: this processor has no magic instructions",
            "has false"),
        ends(ci));
  }

  @Test
  void failsInContinuousIntegrationButForTheProcessor() throws Exception {
    String line = "failed missing, and CI must have everything: a wand is needed: magic";
    assertEquals(
        List.of(
            line, line, "left out of Ends: this processor has no magic instructions", "has false"),
        ends("true"));
  }

  @Test
  void whatIsThereIsUsed() {
    Facility.of(() -> null).require("anything");
    Facility.require(true, null);
    assertTrue(Facility.onProcessor(true, "anything"));
  }
}

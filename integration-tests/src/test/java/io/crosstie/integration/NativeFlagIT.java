// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.integration;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.testkit.ChildJvm;
import io.crosstie.testkit.Facility;
import io.crosstie.testkit.SourceTree;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Java warns about native access until it is given the value that README gives for it. */
final class NativeFlagIT {
  private static final Pattern CLASS_PATH =
      Pattern.compile("\\| class path \\| `(--enable-native-access=\\S+)` \\|");
  private static final Pattern MODULE_PATH =
      Pattern.compile("\\| module path \\| `(--enable-native-access=\\S+)` \\|");

  private static String readme(Pattern row) throws IOException {
    Matcher matcher = row.matcher(Files.readString(SourceTree.root().resolve("README.md")));
    assertTrue(matcher.find(), () -> "README.md has no row " + row);
    return matcher.group(1);
  }

  /** What a JVM says that starts a node. */
  private static String said(List<String> words) throws IOException, InterruptedException {
    List<String> line = new ArrayList<>(words);
    line.add(StartCostIT.Started.class.getName());
    String said = ChildJvm.java(line);
    assertTrue(said.contains("2 rails"), said);
    return said;
  }

  @Test
  void onTheClassPath() throws IOException, InterruptedException {
    Facility.TIME.require("flags");
    List<String> path = List.of("-cp", System.getProperty("java.class.path"));
    String without = said(path);
    assertTrue(without.contains("WARNING"), without);
    List<String> words = new ArrayList<>(path);
    words.add(readme(CLASS_PATH));
    String with = said(words);
    assertFalse(with.contains("WARNING"), with);
  }

  @Test
  void onTheModulePath() throws IOException, InterruptedException {
    Facility.TIME.require("flags");
    List<String> jars = new ArrayList<>();
    LibraryModules.paths(LibraryModules.ofLibrary()).forEach(path -> jars.add(path.toString()));
    Path tests =
        Path.of(StartCostIT.class.getProtectionDomain().getCodeSource().getLocation().getPath());
    List<String> path =
        List.of(
            "--module-path",
            String.join(File.pathSeparator, jars),
            "--add-modules",
            "io.crosstie",
            "-cp",
            tests.toString());
    String without = said(path);
    assertTrue(without.contains("WARNING"), without);
    List<String> words = new ArrayList<>(path);
    words.add(readme(MODULE_PATH));
    String with = said(words);
    assertFalse(with.contains("WARNING"), with);
  }
}

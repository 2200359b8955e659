// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.crosstie.testkit.process.ChildProcess;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Runs a main class in a JVM of its own, for what options of the JVM decide. */
public final class ChildJvm {
  private ChildJvm() {}

  /**
   * Runs it to its end, with this JVM's class path and assertions; fails if it does not end with
   * status 0. Its standard input is empty.
   *
   * @param main whose main method is run
   * @param options of the JVM
   * @return what it wrote, standard error with it
   */
  public static String run(Class<?> main, String... options)
      throws IOException, InterruptedException {
    List<String> words = new ArrayList<>(List.of("-ea", "-XX:TieredStopAtLevel=1"));
    words.addAll(List.of(options));
    words.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    return java(words);
  }

  /** The same with any words behind {@code java}. */
  public static String java(List<String> words) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(words);
    command.addFirst(ChildProcess.java());
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), output);
    return output;
  }

  /**
   * As {@link #run}, without native access; fails unless it names that option once, as a remedy.
   */
  public static String runWithoutNativeAccess(Class<?> main)
      throws IOException, InterruptedException {
    String output = run(main, "--illegal-native-access=deny");
    String option = "--enable-native-access=ALL-UNNAMED";
    assertEquals(2, output.split(option, -1).length, output);
    return output;
  }
}

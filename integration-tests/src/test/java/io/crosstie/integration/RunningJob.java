// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.cli.Main;
import io.crosstie.testkit.process.ChildProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** {@code crosstie run} in a process of its own, with programs of this class path. */
final class RunningJob {
  static final Duration PATIENCE = Duration.ofMinutes(3);

  private static final List<String> QUICK = List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");

  private RunningJob() {}

  /** A program of Java in each rank. */
  static ChildProcess start(List<String> options, Class<?> program, String... arguments) {
    return start(options, List.of(), program, arguments);
  }

  /** The same with some more flags for the JVMs of the ranks. */
  static ChildProcess start(
      List<String> options, List<String> more, Class<?> program, String... arguments) {
    List<String> flags = new ArrayList<>(QUICK);
    flags.add("--enable-native-access=ALL-UNNAMED");
    flags.addAll(more);
    return startWords(options, ChildProcess.java(flags, program, arguments));
  }

  /** Any program in each rank. */
  static ChildProcess startWords(List<String> options, List<String> program) {
    List<String> words = new ArrayList<>(List.of("run"));
    words.addAll(options);
    words.add("--");
    words.addAll(program);
    return ChildProcess.start(
        "run", ChildProcess.java(QUICK, Main.class, words.toArray(new String[0])));
  }

  /** What it and its ranks have written and nobody has read. */
  static String said(ChildProcess job) {
    return job.unread() + "\n" + String.join("\n", job.lastWords(200));
  }

  static void awaitEnd(int status, ChildProcess job) {
    assertTrue(job.awaitExit(PATIENCE), () -> "does not end: " + said(job));
    assertEquals(status, job.exitValue(), () -> said(job));
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.cli.Main;
import io.crosstie.examples.ranks.HeatDiffusion;
import io.crosstie.testkit.process.ChildProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code crosstie run}: what ranks write, how they end, and that none is left. */
final class RunIT {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final List<String> QUICK = List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");

  @TempDir private Path folder;

  private static ChildProcess run(List<String> options, String... program) {
    return run(options, RankProgram.class, program);
  }

  private static ChildProcess run(List<String> options, Class<?> main, String... program) {
    List<String> words = new ArrayList<>(List.of("run"));
    words.addAll(options);
    words.add("--");
    List<String> flags = new ArrayList<>(QUICK);
    flags.add("--enable-native-access=ALL-UNNAMED");
    words.addAll(
        ChildProcess.java(
            flags, System.getProperty("java.class.path"), main.getName(), List.of(program)));
    return ChildProcess.start(
        "run", ChildProcess.java(QUICK, Main.class, words.toArray(new String[0])));
  }

  private static String said(ChildProcess job) {
    return job.unread() + "\n" + String.join("\n", job.lastWords(50));
  }

  private static void awaitEnd(int status, ChildProcess job) {
    assertTrue(job.awaitExit(PATIENCE), () -> "does not end: " + said(job));
    assertEquals(status, job.exitValue(), () -> said(job));
  }

  private static void awaitEnd(List<ProcessHandle> ranks) throws Exception {
    for (ProcessHandle rank : ranks) {
      Object unused = rank.onExit().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
      assertFalse(rank.isAlive());
    }
  }

  /** The processes that they tell. */
  private static List<ProcessHandle> ranks(ChildProcess job, int count) {
    List<ProcessHandle> ranks = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      String line = job.read("start", PATIENCE);
      Optional<ProcessHandle> rank =
          ProcessHandle.of(Long.parseLong(line.substring("process ".length())));
      ranks.add(rank.orElseThrow(() -> new AssertionError("ended already: " + line)));
    }
    return ranks;
  }

  @Test
  void fourRanksTalk() {
    try (ChildProcess job =
        run(
            List.of("-n", "4", "--tag-output", "-x", "GIVEN=that", "--wdir", folder.toString()),
            "ring")) {
      job.tell("10");
      awaitEnd(0, job);
      int share = Math.max(1, Runtime.getRuntime().availableProcessors() / 4);
      var expected = new TreeSet<String>();
      int[] numbers = {16, 11, 13, 16};
      for (int rank = 0; rank < 4; rank++) {
        expected.add(
            "["
                + rank
                + "] rank "
                + rank
                + " of 4 has "
                + numbers[rank]
                + " in "
                + folder.getFileName()
                + " with that on "
                + share);
      }
      assertEquals(expected, new TreeSet<>(job.unread().lines().toList()), () -> said(job));
    }
  }

  @Test
  void heatOnFourRanksIsThatOfOne() {
    try (ChildProcess job = run(List.of("-n", "4"), HeatDiffusion.class, "100", "12", "200")) {
      awaitEnd(0, job);
      assertTrue(
          job.unread().startsWith("heat on 4 ranks, 200 steps: equal to the serial result"),
          () -> said(job));
    }
  }

  @Test
  void theFirstBadExitEndsTheOthers() {
    try (ChildProcess job = run(List.of("-n", "3", "--on-death", "abort"), "exit", "7")) {
      awaitEnd(7, job);
      assertTrue(
          said(job).contains("rank 1 has ended with exit status 7; the others are ended"),
          () -> said(job));
    }
  }

  @Test
  void theOthersGoOnIfTheyAreTo() {
    try (ChildProcess job = run(List.of("-n", "3", "--on-death", "continue"), "exit", "9")) {
      awaitEnd(9, job);
      assertEquals(2, job.unread().lines().filter(l -> l.startsWith("told of rank 1: ")).count());
      assertTrue(job.unread().contains("rank 1 has ended"), () -> said(job));
    }
  }

  @Test
  void aRankThatEndsWithoutLeavingIsToldOf() {
    try (ChildProcess job = run(List.of("-n", "2"), "end")) {
      awaitEnd(0, job);
      assertEquals("told of rank 1", job.unread());
    }
  }

  @Test
  void noRankSurvivesItsLauncher() throws Exception {
    try (ChildProcess job = run(List.of("-n", "2"), "wait")) {
      List<ProcessHandle> ranks = ranks(job, 2);
      job.kill();
      awaitEnd(ranks);
    }
  }

  @Test
  void aSignalEndsAll() throws Exception {
    try (ChildProcess job = run(List.of("-n", "2"), "wait")) {
      List<ProcessHandle> ranks = ranks(job, 2);
      job.signal("TERM");
      awaitEnd(128 + 15, job);
      awaitEnd(ranks);
    }
  }

  @Test
  void aRankThatASignalEndsIsToldAsSuchAndTheTimeMayBeUp() {
    try (ChildProcess job = run(List.of("-n", "2"), "wait")) {
      List<ProcessHandle> ranks = ranks(job, 2);
      assertTrue(ranks.getFirst().destroyForcibly());
      awaitEnd(128 + 9, job);
      assertTrue(said(job).contains("was ended by signal 9"), () -> said(job));
    }
    try (ChildProcess job = run(List.of("-n", "2", "--timeout", "3"), "wait")) {
      awaitEnd(124, job);
      assertTrue(said(job).contains("the time is up; still running: ranks 0"), () -> said(job));
      assertTrue(said(job).contains("Full thread dump"), () -> said(job));
    }
  }

  @Test
  void aProgramThatCannotBeStartedSaysSo() {
    List<String> words = ChildProcess.java(QUICK, Main.class, "run", "-n", "2", "/nonexistent/x");
    try (ChildProcess job = ChildProcess.start("run", words)) {
      awaitEnd(127, job);
      assertTrue(said(job).contains("cannot start \"/nonexistent/x\""), () -> said(job));
    }
  }
}

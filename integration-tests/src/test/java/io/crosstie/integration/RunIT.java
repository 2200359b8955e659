// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import static io.crosstie.integration.RunningJob.PATIENCE;
import static io.crosstie.integration.RunningJob.awaitEnd;
import static io.crosstie.integration.RunningJob.said;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.launch.LocalJob;
import io.crosstie.launch.LocalJobOptions;
import io.crosstie.launch.LocalJobOptions.Binding;
import io.crosstie.launch.LocalJobOptions.OnDeath;
import io.crosstie.testkit.Facility;
import io.crosstie.testkit.process.ChildProcess;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code crosstie run}: what ranks write, how they end, and that none is left. */
final class RunIT {
  private static final String ACTIVE = "(?s).*rank 0: rails to job-\\w+\\.1: .* ACTIVE.*";
  private static final long POLL_NS = 300_000_000;
  private static final int MOST_DELAY_NS = 20_000_000;

  @TempDir private Path folder;

  private static ChildProcess run(List<String> options, String... program) {
    return RunningJob.start(options, RankProgram.class, program);
  }

  /** Two ranks that tell their processes, and sleep. */
  private static ChildProcess sleeping() {
    return RunningJob.startWords(
        List.of("-n", "2"), List.of("sh", "-c", "echo process $$; exec sleep 600"));
  }

  /** A job of this process, without any option. */
  private static LocalJobOptions plain(int ranks, String... program) {
    return new LocalJobOptions(
        ranks,
        null,
        false,
        null,
        false,
        Binding.NONE,
        Map.of(),
        null,
        OnDeath.ABORT,
        List.of(program));
  }

  private static void awaitAll(List<ProcessHandle> ranks) throws Exception {
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
  void theFirstBadExitEndsTheOthers() {
    for (String end : List.of("exit 7", "kill -9 $$")) {
      ByteArrayOutputStream said = new ByteArrayOutputStream();
      PrintStream to = new PrintStream(said, true, StandardCharsets.UTF_8);
      String script = "[ $CROSSTIE_RANK = 1 ] || exec sleep 600; " + end;
      int status = new LocalJob(plain(3, "sh", "-c", script), to, to).run();
      assertEquals(end.startsWith("exit") ? 7 : 128 + 9, status, said::toString);
      String how =
          end.startsWith("exit") ? "has ended with exit status 7" : "was ended by signal 9";
      String text = said.toString(StandardCharsets.UTF_8);
      assertTrue(text.contains("rank 1 " + how + "; the others are ended"), text);
    }
  }

  /** Rank 1 ends badly, rank 2 well but without leaving; rank 0 is told of both. */
  @Test
  void theOthersGoOnIfTheyAreTo() {
    Facility.TIME.require("ranks that go on");
    try (ChildProcess job = run(List.of("-n", "3", "--on-death", "continue"), "exit", "9")) {
      awaitEnd(9, job);
      assertEquals("told of rank 1\ntold of rank 2", job.unread().strip());
      assertTrue(said(job).contains("rank 1 has ended with exit status 9"), () -> said(job));
    }
  }

  /** Three of five, one after the other, in the middle of all collective operations at once. */
  @Test
  void aRankThatIsKilledInTheMiddleOfCollectiveOperationsIsNamed() {
    Facility.TIME.require("ranks that are killed");
    Random random = new Random(7);
    List<String> options = List.of("-n", "5", "--on-death", "continue");
    for (int jobs = 0; jobs < 2; jobs++) {
      String[] delaysNs = new String[3];
      Arrays.setAll(delaysNs, death -> "" + random.nextInt(MOST_DELAY_NS));
      try (ChildProcess job = RunningJob.start(options, RankDeaths.class, delaysNs)) {
        awaitEnd(128 + 9, job);
        List<String> told = job.unread().lines().sorted().toList();
        assertEquals(
            List.of("rank 0 told of [2, 3, 4], is right", "rank 1 told of [2, 3, 4], is right"),
            told,
            () -> said(job));
      }
    }
  }

  @Test
  void noRankSurvivesItsLauncher() throws Exception {
    try (ChildProcess job = sleeping()) {
      List<ProcessHandle> ranks = ranks(job, 2);
      job.kill();
      awaitAll(ranks);
    }
  }

  @Test
  void aSignalEndsAll() throws Exception {
    try (ChildProcess job = sleeping()) {
      List<ProcessHandle> ranks = ranks(job, 2);
      job.signal("TERM");
      awaitEnd(128 + 15, job);
      awaitAll(ranks);
    }
  }

  @Test
  void whenTheTimeIsUpRanksShowTheirStacks() {
    Facility.TIME.require("a job that hangs");
    try (ChildProcess job = run(List.of("-n", "2", "--timeout", "40"), "hang")) {
      awaitEnd(124, job);
      assertTrue(said(job).contains("the time is up; still running: ranks 0"), () -> said(job));
      assertTrue(said(job).contains("Full thread dump"), () -> said(job));
    }
  }

  /** Rank 0 waits for a tag that rank 1 does not send; rank 1 announces another, and waits. */
  @Test
  void whoHangsSaysWhyWheneverASignalAsks() {
    Facility.TIME.require("a job that hangs");
    List<String> due =
        new ArrayList<>(
            List.of(
                "crosstie run: rank 0: 1 receives are posted",
                "waits for a message of rank 1 with tag 5 in communicator 0",
                "holds a message of rank 1 with tag 6 in communicator 0, 4 bytes",
                "crosstie run: rank 1: 0 receives are posted",
                "waits until rank 0 has a receive for tag 7, 4000000 bytes",
                "crosstie run: rank 0: rails to job-",
                "crosstie run: rank 1: rails to job-"));
    Path out = folder.resolve("out");
    List<String> options =
        List.of("-n", "2", "--bind-to", "core", "--show-rails", "--output-filename", "" + out);
    try (ChildProcess job = run(options, "hang")) {
      awaitText(job, out + ".0", "rank 0 waits on processor ");
      awaitText(job, out + ".1", "rank 1 waits on processor ");
      long endNs = System.nanoTime() + PATIENCE.toNanos();
      while (!due.isEmpty()
          || !said(job).matches(ACTIVE)) { // they may not have come to where they hang
        job.signal("USR1");
        LockSupport.parkNanos(POLL_NS);
        due.removeIf(said(job)::contains);
        assertTrue(
            job.isAlive() && System.nanoTime() < endNs,
            () -> due + " or an active rail is not in: " + said(job));
      }
      awaitText(job, out + ".0", "Full thread dump"); // which comes after what the ranks tell
      job.signal("TERM");
      awaitEnd(128 + 15, job);
    }
  }

  /** A rank writes that into its file, while the job goes on. */
  private static void awaitText(ChildProcess job, String file, String text) {
    long endNs = System.nanoTime() + PATIENCE.toNanos();
    while (!read(file).contains(text)) {
      assertTrue(
          job.isAlive() && System.nanoTime() - endNs < 0,
          () -> "\"" + text + "\" is not in " + file + ": " + read(file) + said(job));
      LockSupport.parkNanos(POLL_NS);
    }
  }

  private static String read(String file) {
    try {
      return Files.exists(Path.of(file)) ? Files.readString(Path.of(file)) : "";
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void aProgramThatCannotBeStartedSaysSo() {
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    PrintStream to = new PrintStream(said, true, StandardCharsets.UTF_8);
    assertEquals(127, new LocalJob(plain(2, "/nonexistent/x"), to, to).run());
    String text = said.toString(StandardCharsets.UTF_8);
    assertTrue(text.contains("cannot start \"/nonexistent/x\""), text);
  }
}

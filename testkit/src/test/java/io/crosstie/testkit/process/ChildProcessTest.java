// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.testkit.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.testkit.Facility;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

final class ChildProcessTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final List<String> ECHO =
      List.of("sh", "-c", "while read line; do echo \"$line!\"; done; echo last words >&2; exit 3");

  @BeforeAll
  static void thereIsAShell() {
    Facility.POSIX.require("child processes");
  }

  @Test
  void talksUntilItsInputEnds() {
    try (ChildProcess child = ChildProcess.start("echo", ECHO)) {
      child.tell("one");
      assertEquals("one!", child.read("one", PATIENCE));
      child.tell("two");
      child.tell("three");
      assertEquals("two!", child.read("two", PATIENCE));
      child.endInput();
      assertTrue(child.awaitExit(PATIENCE));
      assertEquals("three!", child.unread());
      assertEquals("three!", child.read("three", PATIENCE));
      assertEquals(3, child.exitValue());
      for (int i = 0; i < 2; i++) { // whoever asks after the end is told as well
        ToolException e = assertThrows(ToolException.class, () -> child.read("\"four\"", PATIENCE));
        for (String part : List.of("echo", "status 3", "\"four\"", "last words")) {
          assertTrue(e.getMessage().contains(part), e.getMessage());
        }
      }
    }
  }

  @Test
  void isStoppedAndGoesOn() {
    Facility.LINUX.require("a child that is stopped");
    try (ChildProcess child = ChildProcess.start("echo", ECHO)) {
      child.signal("STOP");
      child.tell("one");
      assertThrows(ToolException.class, () -> child.read("one", Duration.ofMillis(20)));
      child.signal("CONT");
      assertEquals("one!", child.read("one", PATIENCE));
      child.kill();
      assertTrue(child.awaitExit(PATIENCE));
      assertFalse(child.isAlive());
    }
  }

  @Test
  void isHeardWhileItTalks() throws InterruptedException {
    List<String> heard = Collections.synchronizedList(new ArrayList<>());
    CountDownLatch end = new CountDownLatch(1);
    ChildProcess.Listener listener =
        new ChildProcess.Listener() {
          @Override
          public void onLine(String line) {
            heard.add("out " + line);
          }

          @Override
          public void onError(String line) {
            heard.add("err " + line);
          }

          @Override
          public void onEnd(int status) {
            heard.add("end " + status);
            end.countDown();
          }
        };
    try (ChildProcess child = ChildProcess.start("echo", new ProcessBuilder(ECHO), listener)) {
      child.tell("one");
      child.endInput();
      assertTrue(end.await(60, TimeUnit.SECONDS));
    }
    assertEquals("end 3", heard.getLast());
    assertEquals(List.of("end 3", "err last words", "out one!"), heard.stream().sorted().toList());
  }

  @Test
  void commandsThatFailSayWhy() {
    assertEquals("in", Shell.feed("in", "cat"));
    ToolException e =
        assertThrows(ToolException.class, () -> Shell.run("sh", "-c", "echo why >&2; exit 4"));
    assertTrue(e.getMessage().endsWith("failed: why"), e.getMessage());
    assertEquals(4, Shell.attempt("", "sh", "-c", "exit 4").status());
    Shell.Outcome missing = Shell.attempt("", "there-is-no-such-command");
    assertEquals(-1, missing.status());
    assertTrue(missing.output().contains("is it installed?"), missing.output());
    Shell.Outcome late =
        Shell.attempt("", new ProcessBuilder("sleep", "60"), Duration.ofMillis(50));
    assertEquals(-1, late.status());
    assertTrue(late.output().contains("took longer"), late.output());
  }

  @Test
  void columnsStandBelowEachOther() {
    Table table = new Table();
    table.add("a", "b", "c");
    table.add("long", 1, "the last is as long as it likes");
    assertEquals(List.of("a     b  c", "long  1  the last is as long as it likes"), table.lines());
  }
}

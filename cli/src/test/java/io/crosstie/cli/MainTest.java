// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.demo.DemoOptions;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

final class MainTest {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  private int run(String... args) {
    out.reset();
    err.reset();
    return Main.run(stream(out), stream(err), args);
  }

  private static PrintStream stream(ByteArrayOutputStream bytes) {
    return new PrintStream(bytes, true, StandardCharsets.UTF_8);
  }

  private String out() {
    return out.toString(StandardCharsets.UTF_8);
  }

  private String err() {
    return err.toString(StandardCharsets.UTF_8);
  }

  private DemoOptions demo(String... args) {
    CommandLine line = Main.commandLine(stream(out), stream(err));
    String[] words = new String[args.length + 1];
    words[0] = "demo";
    System.arraycopy(args, 0, words, 1, args.length);
    line.parseArgs(words);
    return ((DemoCommand) line.getSubcommands().get("demo").getCommand()).options();
  }

  @Test
  void nothingIsHelp() {
    assertEquals(0, run());
    for (String part : List.of("demo", "sim", "version", "Examples", "Exit status")) {
      assertTrue(out().contains(part), part);
    }
  }

  @Test
  void everyCommandHelps() {
    for (String command : List.of("demo", "sim", "version")) {
      assertEquals(0, run(command, "--help"));
      assertTrue(out().contains("Usage: crosstie " + command), out());
      assertEquals(0, run("help", command));
    }
    assertTrue(out().length() > 10);
    assertEquals(0, run("--version"));
    assertTrue(out().startsWith("crosstie "), out());
    assertEquals(0, run("version"));
    assertTrue(out().contains("Java "), out());
  }

  @Test
  void benchesHelp() {
    for (String bench : List.of("udp", "shm")) {
      assertEquals(0, run("bench", bench, "--help"));
      assertTrue(out().contains("Usage: crosstie bench " + bench), out());
      assertTrue(out().contains("--subjects"), out());
    }
    assertEquals(0, run("bench", "pairs", "--help"));
    assertTrue(out().contains("--against"), out());
    assertEquals(0, run("bench", "micro", "--help"));
    assertTrue(out().contains("Usage: crosstie bench micro"), out());
  }

  /** Each explains itself, and none sends its reader elsewhere. */
  @Test
  void benchShmHelpsByItself() {
    assertEquals(0, run("bench", "shm", "--help"));
    assertTrue(out().contains("take turns in rounds"), out());
    assertFalse(out().contains("see there"), out());
  }

  @Test
  void aMistypedWordIsGuessed() {
    assertEquals(Main.USAGE, run("dmeo"));
    assertTrue(err().contains("no command \"dmeo\"; did you mean demo?"), err());
    assertEquals(Main.USAGE, run("demo", "--secnods", "3"));
    assertTrue(err().contains("--secnods"), err());
    assertTrue(err().contains("did you mean --seconds?"), err());
    assertEquals(Main.USAGE, run("bench", "upd"));
    assertTrue(err().contains("did you mean udp?"), err());
    assertEquals(Main.USAGE, run("nothing-like-it"));
    assertFalse(err().contains("did you mean"), err());
  }

  @Test
  void simRunsSeeds() {
    assertEquals(0, run("sim", "--seeds", "2", "--from", "3"), out());
    assertTrue(out().contains("2 seeds from 3: 0 failed"), out());
  }

  @Test
  void demoTakesItsOptions() {
    DemoOptions none = demo();
    assertEquals(DemoOptions.defaults(), none);
    DemoOptions all =
        demo(
            "--file",
            "/f",
            "--size",
            "4GiB",
            "--seconds",
            "9",
            "--seed",
            "-3",
            "--json",
            "--driver",
            "netty",
            "--scheduler",
            "weighted",
            "--no-reinjection",
            "--verbose");
    assertEquals(
        new DemoOptions(Path.of("/f"), 4L << 30, 9, -3, true, false, "netty", "weighted", true),
        all);
    assertEquals("netty", demo("driver=netty").driver());
  }

  @Test
  void wrongWordsAreUsageErrorsOfOneLine() {
    for (List<String> words :
        List.of(
            List.of("no-such-command"),
            List.of("sim", "--seeds", "0"),
            List.of("sim", "--plant", "x"),
            List.of("sim", "what"),
            List.of("demo", "--no-such-option"),
            List.of("demo", "what"),
            List.of("demo", "--size", "much"),
            List.of("demo", "--seconds", "-1"),
            List.of("demo", "--seconds", "x"),
            List.of("demo", "--driver", "x"),
            List.of("demo", "--scheduler", "x"),
            List.of("demo", "--file", "/no/such/file"),
            List.of("demo", "--file", "/"),
            List.of("bench"),
            List.of("bench", "what"),
            List.of("bench", "udp", "--rounds", "-1"),
            List.of("bench", "udp", "--sizes", "12"),
            List.of("bench", "udp", "--subjects", "bare,x"),
            List.of("bench", "udp", "--benches", "shm-rtt"),
            List.of("bench", "pairs"),
            List.of("bench", "pairs", "--against", "/no/such/folder"),
            List.of("bench", "pairs", "--against", "/"),
            List.of("bench", "pairs", "--against", "/", "--pairs", "5"),
            List.of("bench", "pairs", "--against", "/", "--only", "shm-loss"),
            List.of("bench", "pairs", "--against", "/", "--only", "udp-rtt:12"),
            List.of("bench", "pairs", "--against", "/", "--json", "/no/such/file"))) {
      assertEquals(Main.USAGE, run(words.toArray(String[]::new)), words.toString());
      assertEquals(1, err().lines().count(), err());
      assertTrue(err().startsWith("crosstie: "), err());
      assertFalse(err().contains("Exception"), err());
      assertEquals("", out());
    }
  }
}

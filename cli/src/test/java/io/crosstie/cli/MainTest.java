// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.demo.DemoOptions;
import io.crosstie.messaging.Node;
import io.crosstie.messaging.NodeConfig;
import io.crosstie.testkit.Facility;
import io.crosstie.testkit.process.Ports;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

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

  /** As people ask the originals. */
  @Test
  void otherLaunchersSayWhatTheyAre() {
    for (String word : List.of("--version", "-V")) {
      assertEquals(0, run("mpirun", word));
      assertTrue(out().startsWith("crosstie "), out());
      assertEquals(0, run("fmpjrun", word));
    }
    for (String word : List.of("--help", "-h", "-help")) {
      assertEquals(0, run("mpjrun", word));
      assertTrue(out().contains("Usage: crosstie mpjrun"), out());
      assertEquals(0, run("mpirun", word));
    }
    // behind other options, too; behind the program they are its own
    assertEquals(0, run("mpirun", "-np", "2", "--mca", "btl", "tcp,self", "--version"));
    assertTrue(out().startsWith("crosstie "), out());
    assertEquals("", err());
    assertEquals(0, run("mpirun", "-np", "2", "--help", "java", "Prog"));
    assertTrue(out().contains("Usage: crosstie mpirun"), out());
    assertEquals(2, run("mpirun", "-hostfile", "/there-is-none", "-np", "1", "java", "Prog"));
    assertTrue(err().contains("/there-is-none cannot be read"), err());
  }

  /** The parser warns of more, whichever command is called. */
  @Test
  void everyCommandHasOneOptionForHelp() {
    List<CommandLine> lines = new ArrayList<>(List.of(Main.commandLine(stream(out), stream(err))));
    for (int i = 0; i < lines.size(); i++) {
      CommandSpec spec = lines.get(i).getCommandSpec();
      long helps = spec.options().stream().filter(OptionSpec::usageHelp).count();
      assertTrue(helps <= 1, () -> spec.qualifiedName() + " has " + helps);
      lines.addAll(lines.get(i).getSubcommands().values());
    }
    assertTrue(lines.size() > 20, () -> lines.size() + " commands");
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
    for (String bench : List.of("ranks", "collectives")) {
      assertEquals(0, run("bench", bench, "--help"));
      assertTrue(out().contains("Usage: crosstie bench " + bench), out());
      assertTrue(out().contains("Open MPI in C"), out());
      assertTrue(out().contains("--rounds"), out());
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
    assertEquals(Main.USAGE, run("sim", "--seeds", "x"));
    assertTrue(err().contains("'x' is no number;"), err());
    assertEquals(Main.USAGE, run("nothing-like-it"));
    assertFalse(err().contains("did you mean"), err());
  }

  @Test
  void infoHasAVerdictForEachThing() {
    assertEquals(0, run("info"));
    for (String part : List.of("JDK", "processors", "accelerator", "rail lo", "/dev/shm", "good")) {
      assertTrue(out().contains(part), () -> part + " is missing in " + out());
    }
    assertEquals(0, run("info", "--json"));
    assertEquals(1, out().lines().count());
    assertTrue(out().startsWith("{\"findings\":[{\"what\":\"JDK\""), out());
  }

  @Test
  void statShowsARunningNode() {
    NodeConfig config = NodeConfig.builder().name("seen-by-stat").rail("udp://127.0.0.1:0").build();
    try (Node node = Node.start(config)) {
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
      do { // its file is made beside, by a thread
        assertEquals(0, run("stat", "--once", node.name()));
        assertTrue(System.nanoTime() < end, out());
      } while (out().contains("no node of this user"));
      assertTrue(out().contains("node seen-by-stat, process "), out());
      assertEquals(0, run("stat", "--json", node.name()));
      assertTrue(out().contains("\"alive\":true"), out());
      assertTrue(out().contains("PACKETS_IN"), out());
    }
    assertEquals(0, run("stat", "--once", "seen-by-stat"));
    assertTrue(out().contains("no node of this user"), out());
  }

  /** A MiB is a message; this is four of them and a bit, and nothing at all. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, (4 << 20) + 3})
  void aFileIsSentAndReceived(int size, @TempDir Path folder) throws Exception {
    byte[] content = new byte[size];
    new Random(size).nextBytes(content);
    Path from = Files.write(folder.resolve("from"), content);
    Path to = folder.resolve("to");
    int port = Ports.free();
    ByteArrayOutputStream received = new ByteArrayOutputStream();
    int[] status = {-1};
    Thread receiver =
        Thread.ofPlatform()
            .daemon()
            .start(
                () ->
                    status[0] =
                        Main.run(
                            stream(received),
                            stream(new ByteArrayOutputStream()),
                            "receive",
                            to.toString(),
                            "--json",
                            "--rail",
                            "udp://127.0.0.1:" + port,
                            "--rail",
                            "shm:"));
    // by its usual rails, which include loopback if the receiver is called there
    String at = "udp://127.0.0.1:" + port;
    assertEquals(0, run("send", from.toString(), at, "--json"), this::err);
    receiver.join();
    assertEquals(0, status[0]);
    assertEquals(-1, Files.mismatch(from, to));
    assertFalse(Files.exists(folder.resolve("to.part")));
    byte[] sum = MessageDigest.getInstance("SHA-256").digest(content);
    assertTrue(out().contains("\"sha256\":\"" + HexFormat.of().formatHex(sum)), out());
    assertTrue(received.toString(StandardCharsets.UTF_8).contains("\"bytes\":" + size));
  }

  @Test
  void completionIsAShellScript() throws Exception {
    assertEquals(0, run("completion"));
    assertTrue(out().contains("complete -F _complete_crosstie"), out());
    for (String part : List.of("demo", "stat", "install", "--no-reinjection", "./crosstie")) {
      assertTrue(out().contains(part), part);
    }
    Facility.POSIX.require("a shell");
    Path script = Files.createTempFile("crosstie", ".bash");
    try {
      Files.writeString(script, out());
      Process bash = new ProcessBuilder("bash", "-n", script.toString()).start();
      assertEquals(0, bash.waitFor());
    } finally {
      Files.delete(script);
    }
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
            List.of("stat", "--interval", "0"),
            List.of("send", "/no/such/file", "udp://127.0.0.1:1"),
            List.of("receive"),
            List.of("receive", "x", "--rail", "udp://127.0.0.1"),
            List.of("perf", "client", "udp://127.0.0.1"),
            List.of("bench"),
            List.of("bench", "what"),
            List.of("bench", "udp", "--rounds", "-1"),
            List.of("bench", "udp", "--sizes", "12"),
            List.of("bench", "udp", "--subjects", "bare,x"),
            List.of("bench", "udp", "--benches", "shm-rtt"),
            List.of("bench", "ranks", "--cases", "rtt"),
            List.of("bench", "ranks", "--cases", "rtt:12"),
            List.of("bench", "ranks", "--cases", "barrier:8"),
            List.of("bench", "ranks", "--rails", "tcp"),
            List.of("bench", "ranks", "--idle", "never"),
            List.of("bench", "ranks", "--rounds", "-1"),
            List.of("bench", "collectives", "--ranks", "1"),
            List.of("bench", "collectives", "--operations", "rtt"),
            List.of("bench", "collectives", "--algorithm", "allreduce=best"),
            List.of("bench", "collectives", "--json", "/no/such/file"),
            List.of("bench", "kernels", "--kernels", "LU"),
            List.of("bench", "kernels", "--class", "Z"),
            List.of("bench", "kernels", "--ranks", "3"),
            List.of("bench", "kernels", "--ranks", "1"),
            List.of("bench", "kernels", "--ranks", "64", "--class", "W"),
            List.of("bench", "kernels", "--rounds", "0"),
            List.of("run", "-n", "2", "--algorithm", "barrier=ring", "true"),
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

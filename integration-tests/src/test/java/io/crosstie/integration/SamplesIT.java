// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.samples.FileOverRails;
import io.crosstie.samples.Mesh;
import io.crosstie.samples.PingPong;
import io.crosstie.samples.RequestReply;
import java.io.IOException;
import java.net.DatagramSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The samples as a user runs them: as processes of their own, from two shells and more. */
final class SamplesIT {
  private static final long PATIENCE_SECONDS = 120;

  private final List<Process> processes = new ArrayList<>();
  @TempDir private Path folder;

  @AfterEach
  void end() {
    processes.forEach(Process::destroyForcibly);
  }

  private Process start(Class<?> sample, String name, List<String> options, String... words)
      throws IOException {
    List<String> line = new ArrayList<>();
    line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    line.add("--enable-native-access=ALL-UNNAMED");
    line.addAll(options);
    line.addAll(List.of("-cp", System.getProperty("java.class.path"), sample.getName()));
    line.addAll(Arrays.asList(words));
    Process process =
        new ProcessBuilder(line)
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve(name).toFile())
            .start();
    processes.add(process);
    return process;
  }

  /** What it printed, once it has ended well. */
  private String printed(Process process, String name) throws IOException, InterruptedException {
    boolean ended = process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS);
    String printed = Files.readString(folder.resolve(name), StandardCharsets.UTF_8);
    assertTrue(ended, () -> name + " goes on: " + printed);
    assertEquals(0, process.exitValue(), () -> name + ": " + printed);
    return printed;
  }

  /** Ports in a row that are free now. */
  private static int freePorts(int count) throws IOException {
    for (int attempt = 0; attempt < 100; attempt++) {
      List<DatagramSocket> sockets = new ArrayList<>();
      try {
        sockets.add(new DatagramSocket(0));
        int first = sockets.getFirst().getLocalPort();
        for (int i = 1; i < count && first + i < 65536; i++) {
          sockets.add(new DatagramSocket(first + i));
        }
        if (sockets.size() == count) {
          return first;
        }
      } catch (IOException e) {
        // one of them is taken
      } finally {
        sockets.forEach(DatagramSocket::close);
      }
    }
    throw new IOException("no " + count + " free ports in a row");
  }

  @Test
  void pingPong() throws IOException, InterruptedException {
    String address = "udp://127.0.0.1:" + freePorts(1);
    Process pong = start(PingPong.class, "pong", List.of(), "pong", address);
    Process ping = start(PingPong.class, "ping", List.of(), "ping", address);
    assertTrue(printed(ping, "ping").contains("1000 round trips"));
    String nothing = printed(pong, "pong");
    assertEquals("", nothing);
  }

  @Test
  void fourRanksInAMesh() throws IOException, InterruptedException {
    String port = Integer.toString(freePorts(4));
    List<Process> ranks = new ArrayList<>();
    for (int rank = 0; rank < 4; rank++) {
      ranks.add(start(Mesh.class, "rank" + rank, List.of(), Integer.toString(rank), "4", port));
    }
    for (int rank = 0; rank < 4; rank++) {
      String printed = printed(ranks.get(rank), "rank" + rank);
      assertTrue(printed.contains("rank " + rank + ": the sum is 6"), printed);
    }
  }

  @Test
  void requestsAndReplies() throws IOException, InterruptedException {
    List<String> option = List.of("-Daddress=udp://127.0.0.1:" + freePorts(1));
    Process server = start(RequestReply.class, "server", option, "server");
    Process ann = start(RequestReply.class, "ann", option, "client", "ann", "one", "two");
    Process bob = start(RequestReply.class, "bob", option, "client", "bob", "three");
    assertEquals("ann: ONE\nann: TWO\n", printed(ann, "ann").replace("\r", ""));
    assertEquals("bob: THREE\n", printed(bob, "bob").replace("\r", ""));
    Process last = start(RequestReply.class, "last", option, "client", "last", "stop");
    assertEquals("last: STOP\n", printed(last, "last").replace("\r", ""));
    String nothing = printed(server, "server");
    assertEquals("", nothing);
  }

  @Test
  void aFileOverAllRails() throws IOException, InterruptedException {
    Path from = folder.resolve("from");
    Path to = folder.resolve("to");
    byte[] content = new byte[20 * 1_000_000 + 1];
    new Random(38).nextBytes(content);
    Files.write(from, content);
    String port = Integer.toString(freePorts(2));
    Process receiver =
        start(FileOverRails.class, "receiver", List.of(), "receive", to.toString(), port);
    Process sender = start(FileOverRails.class, "sender", List.of(), "send", from.toString(), port);
    assertEquals("received " + content.length + " bytes\n", printed(receiver, "receiver"));
    assertEquals(3, printed(sender, "sender").lines().count());
    assertEquals(-1, Files.mismatch(from, to));
  }

  /** They show what an application needs, and that is one package. */
  @Test
  void theyImportTheOnePackage() throws IOException {
    Path root = Path.of("").toAbsolutePath();
    while (!Files.exists(root.resolve("PROTOCOL.md"))) {
      root = root.getParent();
    }
    Pattern imported = Pattern.compile("^import (?:static )?(io\\.crosstie\\.[a-z.]+)\\.");
    var packages = new TreeSet<String>();
    try (var files = Files.walk(root.resolve("samples/src/main/java"))) {
      for (Path file : files.filter(path -> path.toString().endsWith(".java")).toList()) {
        for (String line : Files.readAllLines(file)) {
          var matcher = imported.matcher(line);
          if (matcher.find()) {
            packages.add(matcher.group(1));
          }
        }
      }
    }
    assertEquals(List.of("io.crosstie.messaging"), List.copyOf(packages));
  }
}

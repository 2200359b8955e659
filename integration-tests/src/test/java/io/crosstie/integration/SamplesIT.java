// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.samples.FileOverRails;
import io.crosstie.samples.Mesh;
import io.crosstie.samples.PingPong;
import io.crosstie.samples.RequestReply;
import io.crosstie.testkit.Facility;
import io.crosstie.testkit.SourceTree;
import io.crosstie.testkit.process.Ports;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The samples as a user runs them: as processes of their own, from two shells and more. */
final class SamplesIT extends ProcessScene {
  @TempDir private Path folder;

  private WorkerProcess start(Class<?> sample, String name, List<String> options, String... words) {
    List<String> all = new ArrayList<>(WorkerProcess.NATIVE);
    all.addAll(options);
    return keep(WorkerProcess.startProgram(name, all, sample.getName(), words));
  }

  /** What it printed, once it has ended well. */
  private static String printed(WorkerProcess process) {
    process.awaitExit();
    String printed = process.output() + process.errors();
    assertEquals(0, process.exitValue(), () -> process.name() + ": " + printed);
    return printed;
  }

  @Test
  void pingPong() {
    String address = "udp://127.0.0.1:" + Ports.free();
    WorkerProcess pong = start(PingPong.class, "pong", List.of(), "pong", address);
    WorkerProcess ping = start(PingPong.class, "ping", List.of(), "ping", address);
    assertTrue(printed(ping).contains("1000 round trips"));
    String nothing = printed(pong);
    assertEquals("", nothing);
  }

  @Test
  void fourRanksInAMesh() {
    Facility.TIME.require("ranks in a mesh");
    String port = Integer.toString(Ports.inARow(4));
    List<WorkerProcess> ranks = new ArrayList<>();
    for (int rank = 0; rank < 4; rank++) {
      ranks.add(start(Mesh.class, "rank" + rank, List.of(), Integer.toString(rank), "4", port));
    }
    for (int rank = 0; rank < 4; rank++) {
      String printed = printed(ranks.get(rank));
      assertTrue(printed.contains("rank " + rank + ": the sum is 6"), printed);
    }
  }

  @Test
  void requestsAndReplies() {
    Facility.TIME.require("requests and replies");
    List<String> option = List.of("-Daddress=udp://127.0.0.1:" + Ports.free());
    WorkerProcess server = start(RequestReply.class, "server", option, "server");
    WorkerProcess ann = start(RequestReply.class, "ann", option, "client", "ann", "one", "two");
    WorkerProcess bob = start(RequestReply.class, "bob", option, "client", "bob", "three");
    assertEquals("ann: ONE\nann: TWO", printed(ann));
    assertEquals("bob: THREE", printed(bob));
    WorkerProcess last = start(RequestReply.class, "last", option, "client", "last", "stop");
    assertEquals("last: STOP", printed(last));
    String nothing = printed(server);
    assertEquals("", nothing);
  }

  @Test
  void aFileOverAllRails() throws IOException {
    Path from = folder.resolve("from");
    Path to = folder.resolve("to");
    byte[] content = new byte[20 * 1_000_000 + 1];
    new Random(38).nextBytes(content);
    Files.write(from, content);
    String port = Integer.toString(Ports.inARow(2));
    WorkerProcess receiver =
        start(FileOverRails.class, "receiver", List.of(), "receive", to.toString(), port);
    WorkerProcess sender =
        start(FileOverRails.class, "sender", List.of(), "send", from.toString(), port);
    assertEquals("received " + content.length + " bytes", printed(receiver));
    assertEquals(3, printed(sender).lines().count());
    assertEquals(-1, Files.mismatch(from, to));
  }

  /** They show what an application needs, and that is one package. */
  @Test
  void theyImportTheOnePackage() throws IOException {
    Pattern imported = Pattern.compile("^import (?:static )?(io\\.crosstie\\.[a-z.]+)\\.");
    var packages = new TreeSet<String>();
    try (var files = Files.walk(SourceTree.root().resolve("samples/src/main/java"))) {
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

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The benchmarks run at all; what they measure in a test means nothing. */
final class BenchmarkMainTest {
  @TempDir Path folder;

  private int status;

  private String run(String... args) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    status = BenchmarkMain.run(args, new PrintStream(bytes, true, StandardCharsets.UTF_8));
    return bytes.toString(StandardCharsets.UTF_8);
  }

  @Test
  void measuresAndWritesJson() throws IOException {
    Path json = folder.resolve("result.json");
    String text =
        run(
            "--quick",
            "--forks",
            "0",
            "--json",
            json.toString(),
            "-p",
            "size=1024",
            "-p",
            "kind=CRC32C",
            "-p",
            "accelerator=false",
            "ChecksumBenchmark.compute$");
    assertEquals(BenchmarkMain.DONE, status, text);
    for (String header : List.of("# CPU: ", "# OS: ", "# JDK: ", "# Flags: ", "# Commit: ")) {
      assertTrue(text.contains(header), text);
    }
    List<String> lines =
        text.lines().filter(line -> line.startsWith("ChecksumBenchmark.compute ")).toList();
    assertEquals(1, lines.size(), text);
    assertTrue(lines.getFirst().contains("kind=CRC32C size=1024"), text);
    assertTrue(Files.readString(json).contains("\"size\" : \"1024\""));
  }

  @Test
  void packetGoesThroughAllItsStations() {
    String text =
        run("--quick", "--forks", "0", "-p", "size=1400", "PacketBenchmark.encodeValidateDecode");
    assertEquals(BenchmarkMain.DONE, status, text);
  }

  @Test
  void messagesGoToAndFro() {
    String text = run("--quick", "--forks", "0", "-p", "size=64", "RoundTripBenchmark");
    assertEquals(BenchmarkMain.DONE, status, text);
    assertTrue(text.contains("rail=udp size=64"), text);
    assertTrue(text.contains("rail=shm size=64"), text);
  }

  @Test
  void messagesStream() {
    String text =
        run("--quick", "--forks", "0", "-p", "size=32", "-p", "batch=256", "StreamBenchmark");
    assertEquals(BenchmarkMain.DONE, status, text);
    assertTrue(text.contains("rail=udp size=32"), text);
    assertTrue(text.contains("rail=shm size=32"), text);
    String wrong = run("--quick", "--forks", "0", "-p", "rail=tcp", "StreamBenchmark");
    assertEquals(BenchmarkMain.FAILED, status, wrong);
    assertTrue(wrong.contains("rail tcp is neither udp nor shm"), wrong);
  }

  @Test
  void explainsWrongWords() {
    assertTrue(run("--help").contains("--json FILE"));
    assertEquals(BenchmarkMain.DONE, status);
    assertTrue(run("--fast").contains("unknown option --fast"));
    assertEquals(BenchmarkMain.USAGE, status);
    assertTrue(run("--json").contains("--json needs a value"));
    assertEquals(BenchmarkMain.USAGE, status);
    assertTrue(run("--forks", "x").contains("--forks x must be a number"));
    assertEquals(BenchmarkMain.USAGE, status);
    assertTrue(run("-p", "size").contains("-p size must be NAME=VALUE"));
    assertEquals(BenchmarkMain.USAGE, status);
    assertTrue(run("--json", folder.toString()).contains("is no file that can be written"));
    assertEquals(BenchmarkMain.USAGE, status);
    assertTrue(run("[").contains("is no regular expression"));
    assertEquals(BenchmarkMain.USAGE, status);
    assertTrue(run("NoSuchBenchmark").contains("no benchmark matches"));
    assertEquals(BenchmarkMain.USAGE, status);
  }
}

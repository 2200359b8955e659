// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.examples.Ping;
import io.crosstie.examples.Pong;
import io.crosstie.testkit.SourceTree;
import io.crosstie.testkit.process.Ports;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The minimal program of a user: README shows what is compiled here, and it runs as it stands. */
final class ExamplesIT extends ProcessScene {
  private static final String BEGIN = "<!-- examples -->";
  private static final String PORT = "7411";
  private static final String END = "<!-- /examples -->";

  @Test
  void readmeShowsTheCompiledSource() throws IOException {
    Path root = SourceTree.root();
    StringBuilder expected = new StringBuilder("\n");
    for (Class<?> example : List.of(Pong.class, Ping.class)) {
      String source = Files.readString(source(example));
      String shown = source.substring(source.indexOf("import ")).strip();
      expected.append("```java\n").append(shown).append("\n```\n\n");
    }
    String readme = Files.readString(root.resolve("README.md"));
    int begin = readme.indexOf(BEGIN);
    int end = readme.indexOf(END);
    assertTrue(begin > 0 && end > begin, "README.md has no " + BEGIN + " and " + END);
    assertEquals(
        expected.toString().strip(), readme.substring(begin + BEGIN.length(), end).strip());
  }

  private static Path source(Class<?> example) {
    return SourceTree.root()
        .resolve("integration-tests/src/test/java")
        .resolve(example.getName().replace('.', '/') + ".java");
  }

  /**
   * The sources by their simple names, as they stand but for the port, which another run of the
   * tests may have.
   */
  static Map<String, String> sources() throws IOException {
    String port = Integer.toString(Ports.free());
    Map<String, String> sources = new TreeMap<>();
    for (Class<?> example : List.of(Pong.class, Ping.class)) {
      String source = Files.readString(source(example));
      assertTrue(source.contains(PORT), source);
      sources.put(example.getSimpleName(), source.replace(PORT, port));
    }
    return sources;
  }

  @Test
  void pingPongWithoutVmOptions(@TempDir Path classes) throws IOException {
    List<String> words = new ArrayList<>(List.of("-d", classes.toString(), "-nowarn"));
    words.addAll(List.of("-cp", System.getProperty("java.class.path")));
    for (Map.Entry<String, String> example : sources().entrySet()) {
      Path copy = classes.resolve(example.getKey() + ".java");
      Files.writeString(copy, example.getValue());
      words.add(copy.toString());
    }
    int status =
        ToolProvider.getSystemJavaCompiler().run(null, null, null, words.toArray(String[]::new));
    assertEquals(0, status);
    WorkerProcess pong = program("pong", classes, Pong.class);
    WorkerProcess ping = program("ping", classes, Ping.class);
    for (int i = 1; i <= 3; i++) {
      assertEquals("back: message " + i, ping.readLine("answers"));
    }
    ping.awaitExit();
    pong.awaitExit();
    assertEquals(0, ping.exitValue(), ping::errors);
    assertEquals(0, pong.exitValue(), pong::errors);
  }

  private WorkerProcess program(String name, Path classes, Class<?> program) {
    return keep(WorkerProcess.startProgram(name, classes, program.getName()));
  }
}

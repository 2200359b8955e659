// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.examples.Ping;
import io.crosstie.examples.Pong;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The minimal program of a user: README shows what is compiled here, and it runs as it stands. */
final class ExamplesIT extends ProcessScene {
  private static final String BEGIN = "<!-- examples -->";
  private static final String END = "<!-- /examples -->";

  @Test
  void readmeShowsTheCompiledSource() throws IOException {
    Path root = root();
    StringBuilder expected = new StringBuilder("\n");
    for (Class<?> example : List.of(Pong.class, Ping.class)) {
      String source =
          Files.readString(
              root.resolve("integration-tests/src/test/java")
                  .resolve(example.getName().replace('.', '/') + ".java"));
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

  private static Path root() {
    Path path = Path.of("").toAbsolutePath();
    while (!Files.exists(path.resolve("PROTOCOL.md"))) {
      path = path.getParent();
    }
    return path;
  }

  @Test
  void pingPongWithoutVmOptions() {
    WorkerProcess pong = program("pong", Pong.class);
    WorkerProcess ping = program("ping", Ping.class);
    for (int i = 1; i <= 3; i++) {
      assertEquals("back: message " + i, ping.readLine("answers"));
    }
    ping.awaitExit();
    pong.awaitExit();
    assertEquals(0, ping.exitValue(), ping::errors);
    assertEquals(0, pong.exitValue(), pong::errors);
  }

  private WorkerProcess program(String name, Class<?> program) {
    return keep(WorkerProcess.startProgram(name, List.of(), program.getName()));
  }
}

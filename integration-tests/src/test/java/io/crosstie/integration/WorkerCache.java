// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import io.crosstie.testkit.process.ToolException;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The classes that every worker loads, linked ahead of time (JEP 483 and 514), which halves what
 * starting one costs. The first worker of a run makes the cache; without it workers do the same,
 * later.
 */
final class WorkerCache {
  private static final String PATH = System.getProperty("java.class.path");

  /** The jar of this module's tests, if Maven made it: a cache has classes of jars only. */
  private static final String JAR = System.getProperty("worker.jar", "");

  private WorkerCache() {}

  /** For the JVM of a worker. */
  static List<String> options() {
    return Made.OPTIONS;
  }

  /** The class path of this JVM, with a jar in place of the folder of tests. */
  static String classPath() {
    if (JAR.isEmpty()) {
      return PATH;
    }
    List<String> jars = new ArrayList<>();
    for (String entry : PATH.split(File.pathSeparator, -1)) {
      if (Files.isRegularFile(Path.of(entry))) {
        jars.add(entry);
      }
    }
    jars.add(JAR);
    return String.join(File.pathSeparator, jars);
  }

  /** By the first who asks; all others wait for it. */
  private static final class Made {
    static final List<String> OPTIONS = make();

    private static List<String> make() {
      if (JAR.isEmpty()) {
        return List.of();
      }
      Path file = Path.of(JAR).resolveSibling("worker.aot");
      try {
        Files.deleteIfExists(file);
        record(file);
        if (Files.size(file) > 0) {
          return List.of("-XX:AOTCache=" + file, "-Xlog:disable");
        }
      } catch (IOException | ToolException | AssertionError e) {
        System.out.println("workers start without a cache: " + e);
      }
      return List.of();
    }

    /** One worker at its work, which leaves the cache when it ends. */
    private static void record(Path file) {
      List<String> output = List.of("-XX:AOTCacheOutput=" + file);
      try (WorkerProcess b = WorkerProcess.start("b", classPath(), List.of())) {
        try (WorkerProcess a = WorkerProcess.start("a", classPath(), output)) {
          String rails = "rail=udp://127.0.0.1:0 rail=shm:";
          String address = ProcessScene.startNode(b, rails).get(0);
          List<String> unused = ProcessScene.startNode(a, rails + " peer=b@" + address);
          ProcessScene.awaitStream(a, b);
          a.ask("sink back peer=b");
          b.ask("source back peer=a sizes=24-20000 end=200");
          ProcessScene.awaitReceived(a, "back", 200);
          a.ask("exit");
          a.awaitExit();
        }
      }
    }
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.crosstie.testkit.Facility;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.module.ModuleReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.spi.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * README's programs in a project outside, with nothing but the library's own jars: on the class
 * path, on the module path, and in a run-time image that {@code jlink} made.
 */
final class ModulePathIT extends ProcessScene {
  private static final String AGRONA = "org.agrona";

  enum Way {
    CLASS_PATH,
    MODULE_PATH,
    MODULE_PATH_BESIDE_AGRONA,
    IMAGE
  }

  /** An automatic module is one that {@code jlink} refuses. */
  @Test
  void everyModuleOfTheLibraryDescribesItself() {
    var automatic = new TreeSet<String>();
    var foreign = new TreeSet<String>();
    for (ModuleReference module : LibraryModules.ofLibrary()) {
      if (module.descriptor().isAutomatic()) {
        automatic.add(module.descriptor().name());
      }
      for (String name : module.descriptor().packages()) {
        if (name.startsWith(AGRONA)) {
          foreign.add(module.descriptor().name() + "/" + name);
        }
      }
    }
    assertEquals(List.of(), List.copyOf(automatic), "modules without a descriptor");
    assertEquals(List.of(), List.copyOf(foreign), "packages that an application may have, too");
  }

  @ParameterizedTest
  @EnumSource(Way.class)
  void pingPong(Way way, @TempDir Path folder) throws IOException {
    if (way.ordinal() > 0) {
      Facility.TIME.require("other ways to run");
    }
    List<Path> jars = LibraryModules.paths(LibraryModules.ofLibrary());
    if (way == Way.MODULE_PATH_BESIDE_AGRONA) {
      jars.add(LibraryModules.path(LibraryModules.ofClassPath().get(AGRONA)));
    }
    Path application = compile(way, jars, folder);
    List<String> java = new ArrayList<>();
    if (way == Way.IMAGE) {
      Path image = folder.resolve("image");
      run(
          "jlink",
          List.of(
              "--module-path",
              path(jars, application),
              "--add-modules",
              "application",
              "--output",
              image.toString()));
      java.addAll(List.of(image.resolve("bin/java").toString(), "-m"));
    } else {
      java.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
      java.add(way == Way.CLASS_PATH ? "-cp" : "--module-path");
      java.add(path(jars, application));
      java.addAll(way == Way.CLASS_PATH ? List.of() : List.of("-m"));
    }
    WorkerProcess pong = program("Pong", way, java);
    WorkerProcess ping = program("Ping", way, java);
    for (int i = 1; i <= 3; i++) {
      assertEquals("back: message " + i, ping.readLine("answers"));
    }
    for (WorkerProcess process : List.of(ping, pong)) {
      process.awaitExit();
      assertEquals(0, process.exitValue(), process::errors);
      assertFalse(process.errors().contains("Exception"), process::errors);
    }
  }

  /** README's programs as they stand but for the port, which another run of the tests may have. */
  private static Path compile(Way way, List<Path> jars, Path folder) throws IOException {
    Path sources = Files.createDirectory(folder.resolve("sources"));
    Path classes = Files.createDirectory(folder.resolve("classes"));
    List<String> words = new ArrayList<>(List.of("-d", classes.toString(), "-nowarn"));
    if (way == Way.CLASS_PATH) {
      words.addAll(List.of("-cp", path(jars)));
    } else {
      words.addAll(List.of("--module-path", path(jars)));
      Path descriptor = sources.resolve("module-info.java");
      Files.writeString(
          descriptor,
          way == Way.MODULE_PATH_BESIDE_AGRONA
              ? "module application { requires io.crosstie; requires org.agrona; }"
              : "module application { requires io.crosstie; }");
      words.add(descriptor.toString());
    }
    for (Map.Entry<String, String> example : ExamplesIT.sources().entrySet()) {
      Path source = sources.resolve(example.getKey() + ".java");
      Files.writeString(source, example.getValue());
      words.add(source.toString());
    }
    run("javac", words);
    return classes;
  }

  private WorkerProcess program(String name, Way way, List<String> java) {
    List<String> words = new ArrayList<>(java);
    words.add((way == Way.CLASS_PATH ? "" : "application/") + "io.crosstie.examples." + name);
    return keep(WorkerProcess.startWords(name, words));
  }

  private static void run(String tool, List<String> words) {
    StringWriter said = new StringWriter();
    PrintWriter out = new PrintWriter(said);
    int status =
        ToolProvider.findFirst(tool).orElseThrow().run(out, out, words.toArray(new String[0]));
    out.flush();
    assertEquals(0, status, () -> tool + " " + words + ":\n" + said);
  }

  private static String path(List<Path> jars, Path... more) {
    List<String> words = new ArrayList<>();
    for (Path entry : more) {
      words.add(entry.toString());
    }
    jars.forEach(entry -> words.add(entry.toString()));
    return String.join(File.pathSeparator, words);
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A build of Crosstie that the benchmark's processes run against. The benchmarks themselves are
 * those of this build, so that what is compared is the library, by the same loops; or, where its
 * API is another, those of the build itself.
 *
 * @param classPath of a worker
 */
record Build(String classPath) {
  /** Without it a folder holds no build. */
  private static final String LIBRARY = "crosstie-messaging-";

  private static final String BENCHMARKS = "crosstie-benchmarks-";
  private static final String JAR = ".jar";

  /** The one that runs. */
  static Build running() {
    Path benchmarks = benchmarks();
    Path folder = benchmarks.getParent();
    return Files.isDirectory(benchmarks) || folder == null
        ? new Build(System.getProperty("java.class.path")) // not packaged: a test, or an IDE
        : of(folder);
  }

  /**
   * Another one.
   *
   * @param folder with the jars of all its modules and of what these need
   * @throws IllegalArgumentException if it holds no build
   */
  static Build of(Path folder) {
    return build(
        Stream.concat(
            Stream.of(benchmarks()),
            checked(folder).stream().filter(jar -> !isOf(jar, BENCHMARKS))));
  }

  /**
   * Another one with its own benchmarks.
   *
   * @param folder as for {@link #of}
   * @throws IllegalArgumentException if it holds no build, or none of the benchmarks
   */
  static Build whole(Path folder) {
    List<Path> jars = checked(folder);
    if (jars.stream().noneMatch(jar -> isOf(jar, BENCHMARKS))) {
      throw new IllegalArgumentException(
          folder + " holds no benchmarks: no " + BENCHMARKS + "*.jar is in it");
    }
    return build(jars.stream());
  }

  private static List<Path> checked(Path folder) {
    List<Path> jars = jars(folder);
    if (jars.stream().noneMatch(jar -> isOf(jar, LIBRARY))) {
      throw new IllegalArgumentException(
          folder
              + " holds no build of Crosstie: no "
              + LIBRARY
              + "*.jar is in it; \"./crosstie version\" in a source tree leaves one in"
              + " cli/target/quick/lib");
    }
    return jars;
  }

  private static Build build(Stream<Path> jars) {
    return new Build(jars.map(Path::toString).collect(Collectors.joining(File.pathSeparator)));
  }

  private static List<Path> jars(Path folder) {
    if (!Files.isDirectory(folder)) {
      throw new IllegalArgumentException(folder + " is no folder");
    }
    try (Stream<Path> entries = Files.list(folder.toAbsolutePath())) {
      return entries.filter(entry -> entry.toString().endsWith(JAR)).sorted().toList();
    } catch (IOException e) {
      throw new IllegalArgumentException(folder + " cannot be read: " + e.getMessage(), e);
    }
  }

  private static boolean isOf(Path jar, String name) {
    return jar.getFileName().toString().startsWith(name);
  }

  /** Where this class was loaded from: a jar, or a folder of classes. */
  private static Path benchmarks() {
    try {
      return Path.of(Build.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }
}

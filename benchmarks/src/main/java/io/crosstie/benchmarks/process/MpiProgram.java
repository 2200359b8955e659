// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.jspecify.annotations.Nullable;

/** A program of ours in C, compiled by mpicc when it is first needed. */
final class MpiProgram {
  private static final long COMPILE_NS = 60_000_000_000L;

  private final String name;
  private @Nullable Path compiled;

  /**
   * Not compiled yet.
   *
   * @param name of the source, a resource beside this class, without its suffix
   */
  MpiProgram(String name) {
    this.name = name;
  }

  /**
   * Where it is.
   *
   * @throws CaseException if it cannot be compiled
   */
  Path path() {
    Path made = compiled;
    if (made == null) {
      made = compile();
      compiled = made;
    }
    return made;
  }

  private Path compile() {
    String source = name + ".c";
    try (InputStream in = MpiProgram.class.getResourceAsStream(source)) {
      if (in == null) {
        throw new CaseException(source + " is not in the jar");
      }
      Path folder = Files.createTempDirectory("crosstie-bench-mpi-");
      Path file = folder.resolve(source);
      Path made = folder.resolve(name);
      Files.copy(in, file, StandardCopyOption.REPLACE_EXISTING);
      folder.toFile().deleteOnExit();
      file.toFile().deleteOnExit();
      String unused =
          NativePeer.run(
              new ProcessBuilder("mpicc", "-O3", "-o", made.toString(), file.toString()),
              COMPILE_NS);
      made.toFile().deleteOnExit();
      return made;
    } catch (IOException e) {
      throw new CaseException(source + " cannot be compiled: " + e, e);
    }
  }
}

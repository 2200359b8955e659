// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** Open MPI between two ranks: {@code mpi-bench.c}, compiled when it is first needed. */
final class OpenMpi implements NativePeer {
  private static final long COMPILE_NS = 60_000_000_000L;
  private static final long PATIENCE_NS = 60_000_000_000L;

  private final String btl;
  private @Nullable Path program;

  OpenMpi(String btl) {
    this.btl = btl;
  }

  private Path program() {
    Path compiled = program;
    if (compiled == null) {
      compiled = compile();
      program = compiled;
    }
    return compiled;
  }

  private static Path compile() {
    try (InputStream source = OpenMpi.class.getResourceAsStream("mpi-bench.c")) {
      if (source == null) {
        throw new CaseException("mpi-bench.c is not in the jar");
      }
      Path folder = Files.createTempDirectory("crosstie-bench-mpi-");
      Path file = folder.resolve("mpi-bench.c");
      Path made = folder.resolve("mpi-bench");
      Files.copy(source, file, StandardCopyOption.REPLACE_EXISTING);
      String unused =
          NativePeer.run(
              new ProcessBuilder("mpicc", "-O3", "-o", made.toString(), file.toString()),
              COMPILE_NS);
      folder.toFile().deleteOnExit();
      file.toFile().deleteOnExit();
      made.toFile().deleteOnExit();
      return made;
    } catch (IOException e) {
      throw new CaseException("mpi-bench.c cannot be compiled: " + e, e);
    }
  }

  @Override
  public Measured measure(CaseSpec spec) {
    ProcessBuilder builder =
        new ProcessBuilder(
            "mpirun",
            "--allow-run-as-root",
            "--oversubscribe",
            "--bind-to",
            "none",
            "-n",
            "2",
            "--mca",
            "pml",
            "ob1",
            "--mca",
            "btl",
            btl,
            "--mca",
            "btl_tcp_if_include",
            "lo",
            program().toString(),
            spec.bench() == Bench.RTT ? "rtt" : "stream",
            Integer.toString(spec.size()),
            Long.toString(spec.warmUpNs()),
            Long.toString(spec.measureNs()),
            spec.verifies() ? "1" : "0");
    return parse(spec, NativePeer.run(builder, PATIENCE_NS).lines().toList());
  }

  /** Lines of the program: {@code sample NS COUNT}, or {@code flow BYTES MESSAGES NS CPU_NS}. */
  static Measured parse(CaseSpec spec, List<String> lines) {
    Histogram histogram = Histograms.create();
    for (String line : lines) {
      String[] words = line.split(" ", -1);
      if (words[0].equals("flow")) {
        return NativePeer.flow(
            Long.parseLong(words[1]),
            Long.parseLong(words[2]),
            Long.parseLong(words[3]),
            Long.parseLong(words[4]),
            "");
      }
      if (words[0].equals("sample")) {
        histogram.recordValueWithCount(Long.parseLong(words[1]), Long.parseLong(words[2]));
      }
    }
    if (spec.bench() != Bench.RTT || histogram.getTotalCount() == 0) {
      throw new CaseException("mpi-bench printed no result: " + String.join(" / ", lines));
    }
    return NativePeer.latency(histogram, "");
  }
}

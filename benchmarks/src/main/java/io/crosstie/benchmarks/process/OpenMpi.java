// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import java.util.List;
import org.HdrHistogram.Histogram;

/** Open MPI between two ranks: {@code mpi-bench.c}, compiled when it is first needed. */
final class OpenMpi implements NativePeer {
  private static final long PATIENCE_NS = 60_000_000_000L;

  private final String btl;
  private final MpiProgram program = new MpiProgram("mpi-bench");

  OpenMpi(String btl) {
    this.btl = btl;
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
            program.path().toString(),
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

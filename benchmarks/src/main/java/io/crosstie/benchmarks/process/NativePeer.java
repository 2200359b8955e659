// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import io.crosstie.testkit.process.Shell;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** A peer that is a program of its own, measured where it is installed. */
interface NativePeer {
  /**
   * Measures one case.
   *
   * @throws CaseException if that fails
   */
  Measured measure(CaseSpec spec);

  private static Subject subject(
      String name, Subject.Facts facts, NativePeer peer, String... programs) {
    Set<Bench> benches = EnumSet.of(Bench.RTT, Bench.STREAM, Bench.RATE);
    return new Subject(
        name,
        Subject.Kind.PEER,
        true,
        facts,
        benches,
        UdpSubjects.MAX_SIZE,
        () -> missing(programs),
        new Subject.Programs(peer));
  }

  /** Open MPI, by a small program that mpicc compiles. */
  static Subject openMpi(String name, String way, String btl) {
    return subject(
        name,
        new Subject.Facts(
            "ordered, exactly once", "its own", "1", "its own", "Open MPI, ob1, " + way),
        new OpenMpi(btl),
        "mpirun",
        "mpicc");
  }

  /** UCX, by its own ucx_perftest, whose receiver does not even read what comes. */
  static Subject ucx(String name, String way, String transports) {
    return subject(
        name,
        new Subject.Facts(
            "ordered, exactly once",
            "its own",
            "1",
            "its own",
            "ucx_perftest tag, " + way + "; nobody reads what arrives; p50, p99 and p99.9 only"),
        new Ucx(transports),
        "ucx_perftest");
  }

  /** Says which of the programs are not installed, null if all are. */
  static @Nullable String missing(String... programs) {
    List<String> missing = new ArrayList<>();
    for (String program : programs) {
      if (find(program) == null) {
        missing.add(program);
      }
    }
    return missing.isEmpty() ? null : String.join(" and ", missing) + " not installed";
  }

  /** The program on the search path, null if it is not there. */
  static @Nullable Path find(String program) {
    String path = System.getenv("PATH");
    for (String folder : path == null ? new String[0] : path.split(":", -1)) {
      Path file = Path.of(folder, program);
      if (Files.isExecutable(file)) {
        return file;
      }
    }
    return null;
  }

  /** Runs a program to its end and returns what it printed. */
  static String run(ProcessBuilder builder, long timeoutNs) {
    Shell.Outcome outcome = Shell.attempt("", builder, Duration.ofNanos(timeoutNs));
    if (outcome.status() != 0) {
      throw new CaseException("status " + outcome.status() + ": " + outcome.output().strip());
    }
    return outcome.output();
  }

  /** One round's result that is a histogram. */
  static Measured latency(Histogram histogram, String note) {
    Tally none = new Tally(0, 0, 0, 0, 0, 0, "", "");
    return new Measured(new Tally(0, 0, 0, 0, 0, 0, Histograms.encode(histogram), note), none);
  }

  /** One round's result that is a flow. */
  static Measured flow(long bytes, long messages, long elapsedNs, long cpuNs, String note) {
    return new Measured(
        new Tally(0, 0, 0, 0, 0, 0, "", note),
        new Tally(bytes, messages, elapsedNs, cpuNs, 0, 0, "", ""));
  }
}

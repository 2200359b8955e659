// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import io.crosstie.benchmarks.Environment;
import io.crosstie.launch.LocalJob;
import io.crosstie.launch.LocalJobOptions;
import io.crosstie.ranks.WorldConfig;
import io.crosstie.testkit.process.ChildProcess;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * {@code crosstie bench kernels}: what the checksum and a rail that is cut cost whole programs, as
 * in Figure 8 of NewMadeleine's paper on reliability.
 */
public final class KernelsRun {
  private static final int DONE = 0;
  private static final int FAILED = 1;
  private static final Duration PATIENCE = Duration.ofMinutes(10);
  private static final String RAILS = "udp://127.0.0.1:0,udp://127.0.0.2:0";

  /** Of what came in a run before: where the cut is, behind what each kernel does to warm up. */
  private static final double CUT_AT = 0.6;

  /** What is compared. */
  private enum Subject {
    USUAL("usual"),
    NO_CHECKSUM("no checksum"),
    CUT("a rail cut");

    private final String label;

    Subject(String label) {
      this.label = label;
    }
  }

  /**
   * Of one job.
   *
   * @param least bytes that came to any rank
   * @param again packets sent again, of all ranks
   */
  private record Result(double seconds, long least, long again) {}

  private final KernelSettings settings;
  private final PrintStream out;
  private boolean failed;

  private KernelsRun(KernelSettings settings, PrintStream out) {
    this.settings = settings;
    this.out = out;
  }

  /**
   * Runs it.
   *
   * @return exit status
   */
  public static int run(KernelSettings settings, PrintStream out) {
    return new KernelsRun(settings, out).run();
  }

  private int run() {
    Environment.lines(Flags.JVM).forEach(out::println);
    out.printf(
        Locale.ROOT,
        "# Class %s, %d ranks that wait by the defaults, two UDP rails by loopback; medians of %d"
            + " rounds, new processes in each%n",
        settings.problemClass(),
        settings.ranks(),
        settings.rounds());
    out.printf(
        "%n%-8s %10s %12s %7s %12s %7s %11s%n",
        "kernel",
        Subject.USUAL.label,
        Subject.NO_CHECKSUM.label,
        "ratio",
        Subject.CUT.label,
        "ratio",
        "sent again");
    settings.kernels().forEach(this::run);
    return failed ? FAILED : DONE;
  }

  private void run(String kernel) {
    Map<Subject, List<Double>> seconds = new EnumMap<>(Subject.class);
    List<Double> again = new ArrayList<>();
    for (Subject subject : Subject.values()) {
      List<Double> unused = seconds.put(subject, new ArrayList<>());
    }
    try {
      for (int round = 0; round < settings.rounds(); round++) {
        long cutAt = 0;
        for (Subject subject : Subject.values()) {
          Result result = job(kernel, subject, cutAt);
          boolean unused = seconds.getOrDefault(subject, new ArrayList<>()).add(result.seconds);
          if (subject == Subject.USUAL) {
            cutAt = Math.max(1, (long) (CUT_AT * result.least));
          } else if (subject == Subject.CUT) {
            unused = again.add((double) result.again);
          }
        }
      }
      double usual = median(seconds, Subject.USUAL);
      double bare = median(seconds, Subject.NO_CHECKSUM);
      double cut = median(seconds, Subject.CUT);
      out.printf(
          Locale.ROOT,
          "%-8s %8.3f s %10.3f s %7.2f %10.3f s %7.2f %11.0f%n",
          kernel,
          usual,
          bare,
          usual / bare,
          cut,
          cut / usual,
          Statistics.of(again).median());
    } catch (CaseException e) {
      failed = true;
      out.println(kernel + "  FAILED  " + e.getMessage());
    }
    out.flush();
  }

  private static double median(Map<Subject, List<Double>> seconds, Subject of) {
    return Statistics.of(seconds.getOrDefault(of, List.of())).median();
  }

  private Result job(String kernel, Subject subject, long cutAt) {
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    ByteArrayOutputStream errors = new ByteArrayOutputStream();
    LocalJobOptions options =
        new LocalJobOptions(
            settings.ranks(),
            PATIENCE,
            false,
            null,
            false,
            LocalJobOptions.Binding.NONE,
            Map.of(
                "CROSSTIE_RAILS",
                RAILS,
                WorldConfig.CHECKSUM,
                subject == Subject.NO_CHECKSUM ? "none" : "crc32c"),
            null,
            LocalJobOptions.OnDeath.ABORT,
            ChildProcess.java(
                Flags.JVM,
                System.getProperty("java.class.path"),
                KernelWorker.class.getName(),
                List.of(
                    kernel,
                    settings.problemClass(),
                    Long.toString(subject == Subject.CUT ? cutAt : 0))));
    int status = new LocalJob(options, stream(said), stream(errors)).run();
    String text = said.toString(StandardCharsets.UTF_8);
    if (status != 0) {
      throw new CaseException(
          subject.label
              + ": status "
              + status
              + ": "
              + errors.toString(StandardCharsets.UTF_8).strip().replaceAll("\\s+", " "));
    }
    return result(subject, text);
  }

  private static PrintStream stream(ByteArrayOutputStream bytes) {
    return new PrintStream(bytes, true, StandardCharsets.UTF_8);
  }

  private Result result(Subject subject, String text) {
    double slowest = 0;
    long least = Long.MAX_VALUE;
    long again = 0;
    int ranks = 0;
    for (String line : text.lines().toList()) {
      String[] words = line.split(" ", -1);
      if (words[0].equals(KernelWorker.FIGURE)) {
        if (!Boolean.parseBoolean(words[3])) {
          throw new CaseException(
              subject.label + ": not verified, or ended before the cut: " + line);
        }
        slowest = Math.max(slowest, Double.parseDouble(words[2]));
        least = Math.min(least, Long.parseLong(words[4]));
        again += Long.parseLong(words[5]);
        ranks++;
      }
    }
    if (ranks != settings.ranks()) {
      throw new CaseException(subject.label + ": only " + ranks + " ranks told a result");
    }
    return new Result(slowest, least, again);
  }
}

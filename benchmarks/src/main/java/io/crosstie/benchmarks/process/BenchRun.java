// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import io.crosstie.benchmarks.Environment;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Runs the plan: first everybody once with every byte looked at, then the timed rounds, in which
 * subjects take turns and start their processes anew each time.
 */
public final class BenchRun {
  /** Exit status: done. */
  public static final int DONE = 0;

  /** Exit status: some subject failed, or the run is void. */
  public static final int FAILED = 1;

  /** How many times the usual rounds are run, at most, to have enough of each placement. */
  private static final int ROUNDS_TO_BALANCE = 4;

  private final BenchSettings settings;
  private final Plan plan;
  private final PrintStream out;
  private final Results results = new Results();
  private long patienceNs;

  private BenchRun(BenchSettings settings, PrintStream out) {
    this.settings = settings;
    this.plan = new Plan(settings);
    this.out = out;
    patienceNs = settings.waitQuietNs();
  }

  /**
   * Runs it.
   *
   * @param settings what to do
   * @param out for progress and tables
   * @return exit status
   * @throws IllegalArgumentException if the settings name what does not exist
   */
  public static int run(BenchSettings settings, PrintStream out) throws IOException {
    return new BenchRun(settings, out).run();
  }

  private int run() throws IOException {
    List<String> environment = Environment.lines(Flags.JVM);
    environment.forEach(out::println);
    plan.leaveOut()
        .forEach(
            line -> {
              out.println("left out       " + line);
              results.addLeftOut(line);
            });
    verify();
    measure();
    Report report = new Report(settings, plan, results, environment);
    report.print(out);
    report.save();
    return results.failures().isEmpty() && report.voids().isEmpty() ? DONE : FAILED;
  }

  private void verify() {
    for (Subject subject : plan.subjects()) {
      List<CaseSpec> cases = new ArrayList<>();
      for (Bench bench : plan.benches()) {
        cases.addAll(plan.cases(bench, subject, true));
      }
      say("verify", subject, "every byte, " + cases.size() + " cases");
      measure(subject, cases, 0);
    }
  }

  private void measure() {
    Bounce.warmUp();
    int rounds = settings.roundsToRun();
    int most = settings.balance() ? ROUNDS_TO_BALANCE * rounds : rounds;
    for (Bench bench : plan.benches()) {
      for (int round = 1; round <= most; round++) {
        List<Subject> order = new ArrayList<>(plan.subjects());
        if (round % 2 == 0) {
          Collections.reverse(order); // what drifts, drifts for all
        }
        for (Subject subject : order) {
          boolean further = round > rounds;
          List<CaseSpec> cases =
              plan.cases(bench, subject, false).stream()
                  .filter(spec -> results.isVerified(CaseKey.of(spec)))
                  .filter(spec -> !further || results.lacksRounds(CaseKey.of(spec), rounds))
                  .toList();
          measure(subject, cases, round);
          printProgress(bench, subject, cases, round, rounds);
        }
      }
    }
  }

  /** Measures cases with one pair of processes, or with more if they fail. */
  private void measure(Subject subject, List<CaseSpec> cases, int round) {
    if (subject.carrier() instanceof Subject.Programs programs) {
      for (CaseSpec spec : cases) {
        try {
          note(spec, measureAlone(programs.peer(), spec));
        } catch (CaseException e) {
          fail(spec, round, e);
        }
      }
      return;
    }
    int next = 0;
    while (next < cases.size()) {
      try (WorkerPair pair = new WorkerPair(settings.rail())) {
        while (next < cases.size()) {
          CaseSpec spec = cases.get(next++);
          try {
            note(spec, measureQuietly(pair, spec));
          } catch (CaseException e) {
            fail(spec, round, e);
            break;
          }
        }
      }
    }
  }

  private static Measured measureAlone(NativePeer peer, CaseSpec spec) {
    double beforeNs = Bounce.around(spec);
    Measured measured = peer.measure(spec);
    return measured.between(beforeNs, Bounce.around(spec));
  }

  /** Again, as long as there is patience, if others have disturbed it. */
  private Measured measureQuietly(WorkerPair pair, CaseSpec spec) {
    if (spec.verifies()) {
      return pair.measure(spec);
    }
    while (true) {
      patienceNs -= ForeignLoad.awaitQuiet(patienceNs);
      long beginNs = System.nanoTime();
      Measured measured = pair.measure(spec);
      if (patienceNs <= 0 || measured.foreignLoad() < ForeignLoad.DOUBTFUL) {
        return measured;
      }
      patienceNs -= System.nanoTime() - beginNs;
    }
  }

  private void note(CaseSpec spec, Measured measured) {
    if (spec.verifies()) {
      results.addVerified(
          CaseKey.of(spec), spec.bench().measuresNear() ? measured.near() : measured.far());
    } else {
      results.add(CaseKey.of(spec), measured);
    }
  }

  private void fail(CaseSpec spec, int round, CaseException e) {
    String failure =
        "%s-%s %s %s B, %s: %s"
            .formatted(
                settings.rail().label(),
                spec.bench().label(),
                spec.subject(),
                spec.key(),
                round == 0 ? "verifying" : "round " + round,
                e.getMessage());
    results.addFailure(failure);
    out.println("FAILED " + failure);
  }

  private void say(String what, Subject subject, String more) {
    out.printf("%-14s %-26s %s%n", what, subject.name(), more);
    out.flush();
  }

  private void printProgress(
      Bench bench, Subject subject, List<CaseSpec> cases, int round, int rounds) {
    StringBuilder text = new StringBuilder();
    for (CaseSpec spec : cases) {
      results
          .last(CaseKey.of(spec))
          .ifPresent(
              last ->
                  text.append("  ")
                      .append(spec.key())
                      .append(": ")
                      .append(Text.figure(last))
                      .append(last.placement() == Placement.UNKNOWN ? "" : " ")
                      .append(last.placement().label()));
    }
    if (!text.isEmpty()) {
      say(bench.label() + ' ' + round + '/' + rounds, subject, text.toString().strip());
    }
  }
}

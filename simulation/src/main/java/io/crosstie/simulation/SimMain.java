// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.simulation;

import io.crosstie.simulation.Scenario.Kind;
import java.io.PrintStream;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** Runs seeds, prints what it finds. */
public final class SimMain {
  private static final int KEEP_LINES = 400;

  /**
   * How to run.
   *
   * @param plant a fault to put into the core, or {@link Plant#NONE}
   * @param only scenarios of that kind, or null for all kinds
   * @param shortcuts whether short messages over shared memory take the short cuts
   * @param trace print everything that happens
   * @param stopAtFirst stop at the first seed that fails
   * @param threads how many seeds run at a time; with a trace it is one
   */
  public record Options(
      Plant plant,
      @Nullable Kind only,
      boolean shortcuts,
      boolean trace,
      boolean stopAtFirst,
      int threads) {}

  /**
   * What came out of one seed.
   *
   * @param violation null if all is well
   * @param traceHash over everything that happened
   * @param lines the last lines of the trace, if they were kept
   */
  public record Outcome(
      Scenario scenario,
      @Nullable Throwable violation,
      long traceHash,
      long events,
      long virtualNs,
      List<String> lines) {
    /** Whether all is well. */
    public boolean ok() {
      return violation == null;
    }
  }

  private SimMain() {}

  /** Runs one seed. */
  public static Outcome runSeed(long seed, Plant plant, int keepLines, @Nullable PrintStream live) {
    return runSeed(seed, new Options(plant, null, true, false, true, 1), keepLines, live);
  }

  private static Outcome runSeed(
      long seed, Options options, int keepLines, @Nullable PrintStream live) {
    Plant plant = options.plant();
    Scenario scenario = ScenarioGenerator.of(seed, plant, options.only());
    if (!options.shortcuts()) {
      scenario = scenario.withoutShortcuts();
    }
    Trace trace = new Trace(keepLines, live);
    Simulation simulation = new Simulation(scenario, plant, trace);
    Throwable violation = null;
    try {
      simulation.run();
    } catch (Violation
        | IllegalStateException
        | IllegalArgumentException
        | IndexOutOfBoundsException
        | NullPointerException
        | ArithmeticException e) {
      violation = e;
    }
    return new Outcome(
        scenario,
        violation,
        trace.hash(),
        simulation.clock().eventsRun(),
        simulation.clock().nowNs(),
        trace.lines());
  }

  /**
   * Runs many.
   *
   * @param seeds how many
   * @param from the first
   * @return 0 if nothing was found, 1 otherwise
   */
  public static int run(long seeds, long from, PrintStream out, Options options) {
    long began = System.nanoTime();
    long failed = 0;
    long events = 0;
    long virtualNs = 0;
    long reportNs = began + 5_000_000_000L;
    long seed = from;
    int threads = options.trace() ? 1 : options.threads();
    int inAdvance =
        options.stopAtFirst() ? threads : 4 * threads; // what is begun is run to its end
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      ArrayDeque<Future<Outcome>> ahead = new ArrayDeque<>(); // in the order of the seeds
      for (long next = from; seed < from + seeds; seed++) {
        for (; next < from + seeds && ahead.size() < inAdvance; next++) {
          long one = next;
          ahead.add(pool.submit(() -> runSeed(one, options, 0, options.trace() ? out : null)));
        }
        Outcome outcome = ahead.remove().get();
        events += outcome.events();
        virtualNs += outcome.virtualNs();
        if (!outcome.ok()) {
          failed++;
          report(seed, options, outcome, out);
          if (options.stopAtFirst()) {
            seed++;
            break;
          }
        }
        if (System.nanoTime() >= reportNs) {
          reportNs = System.nanoTime() + 5_000_000_000L;
          out.println(
              "... " + (seed - from + 1) + " of " + seeds + " seeds, " + failed + " failed");
        }
      }
    } catch (ExecutionException e) {
      throw new IllegalStateException("seed " + seed + " broke the simulator", e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return 1;
    } finally {
      pool.shutdownNow();
    }
    out.printf(
        "%d seeds from %d: %d failed; %d events, %.1f s of virtual time in %.1f s%n",
        seed - from, from, failed, events, virtualNs / 1e9, (System.nanoTime() - began) / 1e9);
    return failed == 0 ? 0 : 1;
  }

  private static void report(long seed, Options options, Outcome first, PrintStream out) {
    Outcome again = runSeed(seed, options, KEEP_LINES, null);
    out.println("FAILED seed " + seed + " at commit " + BuildInfo.commit());
    out.println(first.scenario());
    for (String line : again.lines()) {
      out.println(line);
    }
    Throwable violation = first.violation();
    out.println("VIOLATED " + violation);
    if (violation != null && !(violation instanceof Violation)) {
      violation.printStackTrace(out);
    }
    if (again.traceHash() != first.traceHash()) {
      out.println("and the replay was another run: the core is not deterministic");
    }
    String plant = options.plant() == Plant.NONE ? "" : " --plant " + options.plant().option();
    String only =
        options.only() == null ? "" : options.only() == Kind.RANKS ? " --ranks" : " --memory";
    String general = options.shortcuts() ? "" : " --no-shortcuts";
    out.println(
        "replay: ./crosstie sim --seeds 1 --from " + seed + plant + only + general + " --trace");
  }

  /**
   * The command line: {@code --seeds N --from S --plant FAULT --memory --ranks --no-shortcuts
   * --trace --first --threads N}.
   */
  public static int main(List<String> arguments, PrintStream out) {
    long seeds = 1000;
    long from = 1;
    Plant plant = Plant.NONE;
    Kind only = null;
    boolean shortcuts = true;
    boolean trace = false;
    boolean first = false;
    int threads = Runtime.getRuntime().availableProcessors();
    for (int i = 0; i < arguments.size(); i++) {
      String word = arguments.get(i);
      switch (word) {
        case "--seeds" -> seeds = number(arguments, ++i, word);
        case "--from" -> from = number(arguments, ++i, word);
        case "--plant" -> plant = Plant.of(value(arguments, ++i, word));
        case "--memory" -> only = Kind.MEMORY;
        case "--ranks" -> only = Kind.RANKS;
        case "--no-shortcuts" -> shortcuts = false;
        case "--trace" -> trace = true;
        case "--first" -> first = true;
        case "--threads" -> threads = (int) Math.clamp(number(arguments, ++i, word), 1L, 1024L);
        default ->
            throw new IllegalArgumentException(
                "unknown option \""
                    + word
                    + "\"; known are --seeds N, --from S, --plant FAULT, --memory, --ranks,"
                    + " --no-shortcuts, --trace, --first, --threads N");
      }
    }
    return run(seeds, from, out, new Options(plant, only, shortcuts, trace, first, threads));
  }

  private static String value(List<String> arguments, int index, String option) {
    if (index >= arguments.size()) {
      throw new IllegalArgumentException(option + " needs a value");
    }
    return arguments.get(index);
  }

  private static long number(List<String> arguments, int index, String option) {
    String text = value(arguments, index, option);
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(option + " " + text + " is not a whole number", e);
    }
  }

  /** For running it by itself. */
  public static void main(String[] arguments) {
    System.exit(main(List.of(arguments), System.out));
  }
}

// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.cli;

import io.crosstie.benchmarks.BenchmarkMain;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Unmatched;

/** {@code crosstie bench}: hands every word to the benchmarks, which have options of their own. */
@Command(name = "bench", description = "Measures Crosstie on this machine: bench micro.")
final class BenchCommand implements Callable<Integer> {
  private static final String MICRO = "micro";

  @Unmatched private List<String> words = new ArrayList<>();
  private final Main main;
  private final PrintStream out;
  private final PrintStream err;

  BenchCommand(Main main, PrintStream out, PrintStream err) {
    this.main = main;
    this.out = out;
    this.err = err;
  }

  @Override
  public Integer call() {
    boolean help = words.contains("--help") || words.contains("-h");
    if (!help && (words.isEmpty() || !words.getFirst().equals(MICRO))) {
      err.println("crosstie: say what to measure: crosstie bench micro; see bench --help");
      return Main.USAGE;
    }
    List<String> more = new ArrayList<>(help ? List.of("--help") : words.subList(1, words.size()));
    if (main.verbose) {
      more.add("--verbose");
    }
    return BenchmarkMain.run(more.toArray(String[]::new), out);
  }
}

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

/**
 * {@code crosstie bench micro}: hands every word to JMH's benchmarks, which have options of their
 * own.
 */
@Command(
    name = "micro",
    description = "Checksums, packets and round trips within one process, by JMH.")
final class MicroBenchCommand implements Callable<Integer> {
  @Unmatched private List<String> words = new ArrayList<>();
  private final Main main;
  private final PrintStream out;

  MicroBenchCommand(Main main, PrintStream out) {
    this.main = main;
    this.out = out;
  }

  @Override
  public Integer call() {
    List<String> more = new ArrayList<>(words);
    if (main.verbose) {
      more.add("--verbose");
    }
    return BenchmarkMain.run(more.toArray(String[]::new), out);
  }
}

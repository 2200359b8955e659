// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import io.crosstie.examples.kernels.Kernel;
import io.crosstie.examples.kernels.ProblemClass;
import java.util.List;

/**
 * What {@code bench kernels} is asked to do.
 *
 * @param kernels by their names; all if there are none
 * @param problemClass S, W or A
 * @param ranks a power of two
 * @param rounds in which the subjects take turns
 */
public record KernelSettings(List<String> kernels, String problemClass, int ranks, int rounds) {
  private static final int MOST_ROUNDS = 100;

  /**
   * Checks.
   *
   * @throws IllegalArgumentException if it makes no sense
   */
  public KernelSettings {
    kernels =
        kernels.isEmpty()
            ? KernelWorker.KERNELS.stream().map(Kernel::name).toList()
            : List.copyOf(kernels);
    if (rounds < 1 || rounds > MOST_ROUNDS) {
      throw new IllegalArgumentException("--rounds " + rounds + " must be 1 to " + MOST_ROUNDS);
    }
    if (ranks < 2) {
      throw new IllegalArgumentException("--ranks " + ranks + ": there must be two or more");
    }
    ProblemClass of;
    try {
      of = ProblemClass.valueOf(problemClass);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("--class " + problemClass + ": there are S, W and A", e);
    }
    for (String kernel : kernels) {
      KernelWorker.kernel(kernel).check(ranks, of);
    }
  }
}

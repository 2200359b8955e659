// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.examples.kernels;

import java.util.List;
import java.util.Locale;

/**
 * What a run has come to, the same in all ranks.
 *
 * @param seconds of the slowest rank
 * @param operations that count as the kernel's work by its definition, whatever was done for it
 * @param checks all that was verified
 */
public record Outcome(double seconds, double operations, List<Check> checks) {
  private static final double MILLION = 1e6;

  /** Copies. */
  public Outcome {
    checks = List.copyOf(checks);
  }

  /** Whether all checks are met, and there is one. */
  public boolean isVerified() {
    return !checks.isEmpty() && checks.stream().allMatch(Check::isMet);
  }

  private double rate() {
    return operations / seconds / MILLION;
  }

  /** A line for a person, and one for each check that is not met. */
  String text(String kernel, ProblemClass of, int ranks) {
    StringBuilder text =
        new StringBuilder(
            String.format(
                Locale.ROOT,
                "%s, class %s, %d ranks: %.3f s, %.1f Mop/s, verification %s",
                kernel,
                of,
                ranks,
                seconds,
                rate(),
                isVerified() ? "successful" : "NOT successful"));
    for (Check check : checks) {
      if (!check.isMet()) {
        StringBuilder unused = text.append(System.lineSeparator()).append("  ").append(check);
      }
    }
    return text.toString();
  }

  /** One JSON object in a line. */
  String json(String kernel, ProblemClass of, int ranks) {
    return String.format(
        Locale.ROOT,
        "{\"kernel\":\"%s\",\"class\":\"%s\",\"ranks\":%d,\"seconds\":%.6f,\"mops\":%.3f,"
            + "\"verified\":%b}",
        kernel,
        of,
        ranks,
        seconds,
        rate(),
        isVerified());
  }
}

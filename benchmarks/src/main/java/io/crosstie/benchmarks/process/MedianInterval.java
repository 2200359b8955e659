// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import java.util.Arrays;
import java.util.List;

/**
 * A median and its confidence interval by order statistics, which assumes nothing of the values'
 * distribution: of n values in order, the median of what they are drawn from lies between the
 * <i>k</i>-th and the <i>k</i>-th from the end unless fewer than <i>k</i> of them fell on one of
 * its sides, which has the probability of so many heads in n tosses of a coin. The interval is the
 * shortest of these that covers 95 %; n = 11 gives the 2nd and 10th value and 98.8 %, n = 12 the
 * 3rd and 10th and 96.1 %.
 *
 * @param median of the values
 * @param low end of the interval
 * @param high end of the interval
 * @param rank of the low end, from 1; the high end has the same from the other side
 * @param coverage probability that such an interval holds the true median
 */
record MedianInterval(double median, double low, double high, int rank, double coverage) {
  /** With fewer values not even the smallest and the largest cover so much. */
  static final int LEAST_VALUES = 6;

  private static final double COVERAGE = 0.95;

  /**
   * Of at least {@link #LEAST_VALUES} values.
   *
   * @throws IllegalArgumentException if there are fewer
   */
  static MedianInterval of(List<Double> values) {
    int n = values.size();
    if (n < LEAST_VALUES) {
      throw new IllegalArgumentException(n + " values have no interval of 95 %");
    }
    double[] sorted = values.stream().mapToDouble(Double::doubleValue).toArray();
    Arrays.sort(sorted);
    int rank = 1;
    while (coverage(n, rank + 1) >= COVERAGE) {
      rank++;
    }
    return new MedianInterval(
        Statistics.of(values).median(),
        sorted[rank - 1],
        sorted[n - rank],
        rank,
        coverage(n, rank));
  }

  /** One less twice the probability of fewer than {@code rank} heads in n tosses. */
  private static double coverage(int n, int rank) {
    double ways = 1;
    double sum = 0;
    for (int heads = 0; heads < rank; heads++) {
      sum += ways;
      ways = ways * (n - heads) / (heads + 1);
    }
    return 1 - 2 * sum / Math.pow(2, n);
  }
}

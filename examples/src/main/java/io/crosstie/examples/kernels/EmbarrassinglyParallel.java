// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.examples.kernels;

import io.crosstie.ranks.Communicator;
import io.crosstie.ranks.Data;
import io.crosstie.ranks.Reduction;
import java.util.List;

/**
 * EP: pairs of Gaussian deviates, their sums, and how many lie in each square annulus. Each rank
 * makes its part of the pairs; two sums over all ranks at the end are all that is sent.
 *
 * <pre>{@code
 * crosstie run -n 4 -- java -cp ... io.crosstie.examples.kernels.EmbarrassinglyParallel --class A
 * }</pre>
 *
 * <p>Source: report RNR-94-007, section 2.2.1; deviates by Marsaglia's polar method, Knuth, The Art
 * of Computer Programming, volume 2, section 3.4.1.
 */
public final class EmbarrassinglyParallel implements Kernel {
  private static final long SEED = 271_828_183;
  private static final int ANNULI = 10;
  private static final long WARM_UP = 1 << 16;
  private static final double TOLERANCE = 1e-8;

  /** What a part of the pairs comes to. */
  private static final class Part {
    private final double[] sums = new double[2];
    private final long[] counts = new long[ANNULI];

    Part(long first, long pairs) {
      PseudoRandom random = new PseudoRandom(SEED);
      random.skip(2 * first);
      double sumX = 0;
      double sumY = 0;
      for (long i = 0; i < pairs; i++) {
        double x = 2 * random.next() - 1;
        double y = 2 * random.next() - 1;
        double square = x * x + y * y;
        if (square <= 1) {
          double factor = Math.sqrt(-2 * Math.log(square) / square);
          double gaussX = x * factor;
          double gaussY = y * factor;
          counts[(int) Math.max(Math.abs(gaussX), Math.abs(gaussY))]++;
          sumX += gaussX;
          sumY += gaussY;
        }
      }
      sums[0] = sumX;
      sums[1] = sumY;
    }

    void addAll(Communicator all) {
      all.allreduce(Data.of(sums), Data.of(sums), Reduction.SUM);
      all.allreduce(Data.of(counts), Data.of(counts), Reduction.SUM);
    }
  }

  @Override
  public String name() {
    return "EP";
  }

  @Override
  public int mostRanks(ProblemClass of) {
    return 1 << 16;
  }

  @Override
  public Outcome run(Communicator all, ProblemClass of) {
    long pairs = 1L << of.of(24, 25, 28);
    long mine = pairs / all.size();
    new Part(0, WARM_UP).addAll(all);
    Part[] part = new Part[1];
    double seconds =
        Kernel.seconds(
            all,
            () -> {
              part[0] = new Part(all.rank() * mine, mine);
              part[0].addAll(all);
            });
    double[] sums =
        of.of(
            new double[] {-3.247834652034740e3, -6.958407078382297e3},
            new double[] {-2.863319731645753e3, -6.320053679109499e3},
            new double[] {-4.295875165629892e3, -1.580732573678431e4});
    long count = 0;
    for (long annulus : part[0].counts) {
      count += annulus;
    }
    int expected = of.of(13_176_389, 26_354_769, 210_832_767);
    return new Outcome(
        seconds,
        2.0 * pairs,
        List.of(
            new Check("the sum of X", part[0].sums[0], sums[0], TOLERANCE),
            new Check("the sum of Y", part[0].sums[1], sums[1], TOLERANCE),
            new Check("the number of pairs", (double) count, expected, 0)));
  }

  /** {@link Kernel#main}. */
  public static void main(String[] args) {
    Kernel.main(new EmbarrassinglyParallel(), args);
  }
}

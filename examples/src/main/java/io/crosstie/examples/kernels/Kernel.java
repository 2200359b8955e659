// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.examples.kernels;

import io.crosstie.ranks.Communicator;
import io.crosstie.ranks.Data;
import io.crosstie.ranks.Reduction;
import io.crosstie.ranks.World;

/**
 * One of the benchmarks, and how all of them are run as programs: {@code NAME [--class S|W|A]
 * [--json]}. Rank 0 tells the result. Exit status: 0 if it was verified, 1 if not, 2 if the words
 * or the number of ranks make no sense.
 */
public interface Kernel {
  /** Exit status of wrong words. */
  int MISUSE = 2;

  /** Two letters. */
  String name();

  /** The most ranks that can share a problem of the class. */
  int mostRanks(ProblemClass of);

  /**
   * Runs it; called by all ranks.
   *
   * @param all a power of two of ranks, at most {@link #mostRanks}
   */
  Outcome run(Communicator all, ProblemClass of);

  /**
   * Says what is wrong with so many ranks.
   *
   * @throws IllegalArgumentException if they cannot run it
   */
  default void check(int ranks, ProblemClass of) {
    if (Integer.bitCount(ranks) != 1) {
      throw new IllegalArgumentException(
          name() + " runs on 1, 2, 4, 8 and so on ranks, not on " + ranks);
    }
    if (ranks > mostRanks(of)) {
      throw new IllegalArgumentException(
          name()
              + " of class "
              + of
              + " runs on at most "
              + mostRanks(of)
              + " ranks, not on "
              + ranks
              + "; take a larger class");
    }
  }

  /** The longest time that it takes a rank, in seconds; all begin together. */
  static double seconds(Communicator all, Runnable work) {
    all.barrier();
    long beginNs = System.nanoTime();
    work.run();
    double[] seconds = {(System.nanoTime() - beginNs) / 1e9};
    all.allreduce(Data.of(seconds), Data.of(seconds), Reduction.MAX);
    return seconds[0];
  }

  /** The sum over all ranks. */
  static double sum(Communicator all, double mine) {
    double[] sum = {mine};
    all.allreduce(Data.of(sum), Data.of(sum), Reduction.SUM);
    return sum[0];
  }

  /** {@code main} of each. */
  static void main(Kernel kernel, String... words) {
    ProblemClass of = ProblemClass.S;
    boolean json = false;
    try {
      for (int i = 0; i < words.length; i++) {
        if (words[i].equals("--json")) {
          json = true;
        } else if (words[i].equals("--class") && i + 1 < words.length) {
          i++;
          of = ProblemClass.valueOf(words[i]);
        } else {
          throw new IllegalArgumentException(words[i]);
        }
      }
    } catch (IllegalArgumentException e) {
      System.err.println(e.getMessage() + ": the words are [--class S|W|A] [--json]");
      System.exit(MISUSE);
    }
    int status;
    try (World world = World.join()) {
      status = run(kernel, world, of, json);
      world.communicator().barrier(); // nobody ends before the result is told
    }
    if (status != 0) {
      System.exit(status);
    }
  }

  private static int run(Kernel kernel, World world, ProblemClass of, boolean json) {
    boolean tells = world.rank() == 0;
    try {
      kernel.check(world.size(), of);
    } catch (IllegalArgumentException e) {
      if (tells) {
        System.err.println(e.getMessage());
      }
      return MISUSE;
    }
    Outcome outcome = kernel.run(world.communicator(), of);
    if (tells) {
      System.out.println(
          json
              ? outcome.json(kernel.name(), of, world.size())
              : outcome.text(kernel.name(), of, world.size()));
    }
    return outcome.isVerified() ? 0 : 1;
  }
}

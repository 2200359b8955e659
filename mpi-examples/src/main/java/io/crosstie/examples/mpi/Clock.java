// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.examples.mpi;

/** Says on one rank how long a program goes on, and tells now and then how far it is. */
final class Clock {
  private static final long NS = 1_000_000_000;
  private static final long BETWEEN_LINES_NS = NS / 20;

  private final int least;
  private final boolean tells;
  private final long endNs;
  private long toldNs = System.nanoTime();

  /**
   * From now on.
   *
   * @param least steps
   * @param seconds after which it ends; 0 for no longer than the steps take, and nothing is told
   */
  Clock(int least, int seconds) {
    this.least = least;
    this.tells = seconds > 0;
    this.endNs = toldNs + seconds * NS;
  }

  /** A number from the command line, or what it is without. */
  static int argument(String[] args, int at, int otherwise) {
    return args.length > at ? Integer.parseInt(args[at]) : otherwise;
  }

  /** So many steps are done; whether to go on. */
  boolean goesOn(int done) {
    long nowNs = System.nanoTime();
    if (tells && nowNs - toldNs > BETWEEN_LINES_NS) {
      toldNs = nowNs;
      System.out.println("at " + done);
      System.out.flush();
    }
    return done < least || nowNs < endNs;
  }

  /** The last line: what a person, and the lab, reads. */
  static void tell(String program, int size, int steps, boolean right) {
    System.out.println(
        program + " with " + size + " ranks, " + steps + " steps: " + (right ? "right" : "wrong"));
    System.out.flush();
  }
}

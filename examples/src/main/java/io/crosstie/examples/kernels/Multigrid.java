// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.examples.kernels;

import io.crosstie.ranks.Communicator;
import io.crosstie.ranks.Data;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * MG: Poisson's equation on a cube that is closed round itself, four V-cycles of multigrid. Each
 * rank has a box of each level, and exchanges the outermost layers with six neighbours after each
 * operator. A level whose boxes would have less than four points a side each rank has as a whole,
 * from where it is coarsened to (allgather), and computes for itself.
 *
 * <p>Source: report RNR-94-007, section 2.2.2.
 */
public final class Multigrid implements Kernel {
  private static final int TIMES = 4;
  private static final int CHARGES = 10;
  private static final double TOLERANCE = 1e-8;

  /** By in how many directions a neighbour differs: 0 to 3. */
  private static final double[] MINUS_LAPLACE = {8.0 / 3, 0, -1.0 / 6, -1.0 / 12};

  private static final double[] SMOOTHER = {-3.0 / 8, 1.0 / 32, -1.0 / 64, 0};
  private static final double[] RESTRICTION = {1.0 / 2, 1.0 / 4, 1.0 / 8, 1.0 / 16};

  @Override
  public String name() {
    return "MG";
  }

  @Override
  public int mostRanks(ProblemClass of) {
    int side = of.of(32, 128, 256) / 4;
    return side * side * side;
  }

  /** A rank's part of all levels; level k has 2^k points a side. */
  private static final class Cube {
    private final Communicator all;
    private final int top;
    private final GridLevel[] levels;
    private final double[][] solutions;
    private final double[][] residuals;
    private final double[] charges;

    Cube(Communicator all, int top) {
      this.all = all;
      this.top = top;
      this.levels = new GridLevel[top + 1];
      this.solutions = new double[top + 1][];
      this.residuals = new double[top + 1][];
      for (int k = 1; k <= top; k++) {
        levels[k] = new GridLevel(all, 1 << k);
        solutions[k] = levels[k].array();
        residuals[k] = levels[k].array();
      }
      this.charges = levels[top].array();
      charge();
    }

    /** Charges at the places of the ten greatest and of the ten least of random numbers. */
    private void charge() {
      GridLevel level = levels[top];
      int n = level.n();
      // pairs of a number and its place; of the greatest the numbers are negative
      double[][] least = new double[2 * CHARGES][2];
      for (double[] each : least) {
        each[0] = 2;
      }
      double[][] greatest = Arrays.copyOfRange(least, CHARGES, 2 * CHARGES);
      least = Arrays.copyOf(least, CHARGES);
      for (int z = 0; z < level.points(2); z++) {
        for (int y = 0; y < level.points(1); y++) {
          long line = (long) (level.first(2) + z) * n + level.first(1) + y;
          long place = line * n + level.first(0);
          PseudoRandom random = new PseudoRandom(PseudoRandom.SEED);
          random.skip(place);
          for (int x = 0; x < level.points(0); x++, place++) {
            double number = random.next();
            insert(least, number, place);
            insert(greatest, -number, place);
          }
        }
      }
      put(chosen(least), -1);
      put(chosen(greatest), 1);
      level.exchange(charges);
    }

    private static void insert(double[][] sorted, double number, long place) {
      int at = sorted.length - 1;
      if (number >= sorted[at][0]) {
        return;
      }
      double[] last = sorted[at];
      while (at > 0 && sorted[at - 1][0] > number) {
        sorted[at] = sorted[at - 1];
        at--;
      }
      sorted[at] = last;
      last[0] = number;
      last[1] = place;
    }

    /** The places of the least of all ranks. */
    private long[] chosen(double[][] mine) {
      double[] flat = new double[2 * CHARGES];
      for (int i = 0; i < CHARGES; i++) {
        System.arraycopy(mine[i], 0, flat, 2 * i, 2);
      }
      double[] others = new double[2 * CHARGES * all.size()];
      all.allgather(Data.of(flat), Data.of(others));
      Integer[] order = new Integer[CHARGES * all.size()];
      Arrays.setAll(order, i -> i);
      Arrays.sort(order, Comparator.comparingDouble(i -> others[2 * i]));
      long[] places = new long[CHARGES];
      Arrays.setAll(places, i -> (long) others[2 * order[i] + 1]);
      return places;
    }

    private void put(long[] places, double charge) {
      GridLevel level = levels[top];
      int n = level.n();
      for (long place : places) {
        int x = (int) (place % n) - level.first(0);
        int y = (int) (place / n % n) - level.first(1);
        int z = (int) (place / n / n) - level.first(2);
        if (x >= 0
            && x < level.points(0)
            && y >= 0
            && y < level.points(1)
            && z >= 0
            && z < level.points(2)) {
          charges[level.at(x + 1, y + 1, z + 1)] = charge;
        }
      }
    }

    /** Residual of a level = base - A solution. */
    private void residual(int k, double[] base) {
      levels[k].apply(MINUS_LAPLACE, solutions[k], base, residuals[k]);
      levels[k].exchange(residuals[k]);
    }

    private void smooth(int k) {
      levels[k].apply(SMOOTHER, residuals[k], solutions[k], solutions[k]);
      levels[k].exchange(solutions[k]);
    }

    private void cycle() {
      for (int k = top; k > 1; k--) {
        levels[k].restrict(RESTRICTION, residuals[k], levels[k - 1], residuals[k - 1]);
        levels[k - 1].exchange(residuals[k - 1]);
      }
      Arrays.fill(solutions[1], 0);
      smooth(1);
      for (int k = 2; k < top; k++) {
        Arrays.fill(solutions[k], 0);
        levels[k].interpolate(levels[k - 1], solutions[k - 1], solutions[k]);
        residual(k, residuals[k]);
        smooth(k);
      }
      levels[top].interpolate(levels[top - 1], solutions[top - 1], solutions[top]);
      residual(top, charges);
      smooth(top);
    }

    /** The norm of the residual after so many cycles. */
    double solve(int times) {
      Arrays.fill(solutions[top], 0);
      residual(top, charges);
      for (int time = 0; time < times; time++) {
        cycle();
        residual(top, charges);
      }
      return levels[top].norm(residuals[top]);
    }
  }

  @Override
  public Outcome run(Communicator all, ProblemClass of) {
    int top = of.of(5, 7, 8);
    Cube cube = new Cube(all, top);
    double[] norm = {cube.solve(1)};
    double seconds = Kernel.seconds(all, () -> norm[0] = cube.solve(TIMES));
    double expected = of.of(0.5307707005734e-4, 0.6467329375339e-5, 0.2433365309069e-5);
    double points = Math.pow(2, 3 * top);
    return new Outcome(
        seconds,
        58.0 * TIMES * points,
        List.of(new Check("the norm of the residual", norm[0], expected, TOLERANCE)));
  }

  /** {@link Kernel#main}. */
  public static void main(String[] args) {
    Kernel.main(new Multigrid(), args);
  }
}

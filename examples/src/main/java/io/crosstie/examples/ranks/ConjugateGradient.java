// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.examples.ranks;

import io.crosstie.ranks.Communicator;
import io.crosstie.ranks.Data;
import io.crosstie.ranks.Reduction;
import io.crosstie.ranks.Request;
import io.crosstie.ranks.World;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Solves Poisson's equation on a grid by conjugate gradients: {@code ConjugateGradient [COLUMNS
 * [ROWS]]}, so many rows in each rank. Each rank has some rows of all vectors; the product with the
 * matrix (five points) needs one row of each neighbour, the scalar products are summed over all
 * ranks. In the end rank 0 has the solution, and compares it with the one that it comes to by
 * itself: not bit by bit, since sums of parts are rounded in another way.
 *
 * <p>Source: Hestenes and Stiefel 1952.
 */
public final class ConjugateGradient {
  private static final int UP = 1;
  private static final int DOWN = 2;
  private static final double PRECISION = 1e-10;
  private static final double TOLERANCE = 1e-7;
  private static final int MOST_STEPS = 10_000;

  private final @Nullable Communicator all;
  private final int columns;
  private final int rows;
  private final int first;

  /**
   * Some rows of the grid.
   *
   * @param all null if they are all of them
   * @param first of the rows in the whole grid
   */
  private ConjugateGradient(@Nullable Communicator all, int columns, int rows, int first) {
    this.all = all;
    this.columns = columns;
    this.rows = rows;
    this.first = first;
  }

  /** The neighbours' outermost rows, below the first and behind the last of these. */
  private void exchange(Communicator with, double[] vector) {
    List<Request> halo = new ArrayList<>();
    int last = rows * columns;
    if (with.rank() > 0) {
      halo.add(with.irecv(Data.of(vector, 0, columns), with.rank() - 1, DOWN));
      halo.add(with.isend(Data.of(vector, columns, columns), with.rank() - 1, UP));
    }
    if (with.rank() < with.size() - 1) {
      halo.add(with.irecv(Data.of(vector, last + columns, columns), with.rank() + 1, UP));
      halo.add(with.isend(Data.of(vector, last, columns), with.rank() + 1, DOWN));
    }
    Request.awaitAll(halo);
  }

  /** The product with the matrix; the vector has a row of halo above and below. */
  private void multiply(double[] vector, double[] result) {
    if (all != null) {
      exchange(all, vector);
    }
    for (int at = columns; at < (rows + 1) * columns; at++) {
      int column = at % columns;
      double left = column == 0 ? 0 : vector[at - 1];
      double right = column == columns - 1 ? 0 : vector[at + 1];
      result[at] = 4 * vector[at] - left - right - vector[at - columns] - vector[at + columns];
    }
  }

  private double product(double[] one, double[] other) {
    double[] sum = new double[1];
    for (int at = columns; at < (rows + 1) * columns; at++) {
      sum[0] += one[at] * other[at];
    }
    if (all != null) {
      all.allreduce(Data.of(sum), Data.of(sum), Reduction.SUM);
    }
    return sum[0];
  }

  /** The part of the solution, with a row above and one below. */
  private double[] solve() {
    double[] x = new double[(rows + 2) * columns];
    double[] residual = new double[x.length];
    for (int at = columns; at < (rows + 1) * columns; at++) {
      long point = (long) first * columns + at - columns;
      residual[at] = Math.sin((double) point) + 1;
    }
    double[] direction = residual.clone();
    double[] image = new double[x.length];
    double square = product(residual, residual);
    double enough = square * PRECISION * PRECISION;
    for (int step = 0; step < MOST_STEPS && square > enough; step++) {
      multiply(direction, image);
      double length = square / product(direction, image);
      for (int at = columns; at < (rows + 1) * columns; at++) {
        x[at] += length * direction[at];
        residual[at] -= length * image[at];
      }
      double next = product(residual, residual);
      for (int at = columns; at < (rows + 1) * columns; at++) {
        direction[at] = residual[at] + next / square * direction[at];
      }
      square = next;
    }
    return x;
  }

  /** Whether the result is that of one process, as rank 0 finds it; in other ranks true. */
  public static boolean isRight(World world, int columns, int rows) {
    Communicator all = world.communicator();
    double[] mine = new ConjugateGradient(all, columns, rows, all.rank() * rows).solve();
    int count = rows * columns;
    double[] whole = new double[all.rank() == 0 ? all.size() * count : 0];
    all.gather(Data.of(mine, columns, count), Data.of(whole), 0);
    if (all.rank() != 0) {
      return true;
    }
    double[] alone = new ConjugateGradient(null, columns, all.size() * rows, 0).solve();
    double greatest = 0;
    double difference = 0;
    for (int i = 0; i < whole.length; i++) {
      greatest = Math.max(greatest, Math.abs(alone[i + columns]));
      difference = Math.max(difference, Math.abs(alone[i + columns] - whole[i]));
    }
    return greatest > 0 && difference < TOLERANCE * greatest;
  }

  /** Columns (96) and rows for each rank (24). */
  public static void main(String[] args) {
    int columns = args.length > 0 ? Integer.parseInt(args[0]) : 96;
    int rows = args.length > 1 ? Integer.parseInt(args[1]) : 24;
    Example.run(
        "conjugate gradients on " + columns + " columns and " + rows + " rows a rank",
        world -> isRight(world, columns, rows));
  }
}

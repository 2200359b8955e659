// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.examples.ranks;

import io.crosstie.ranks.Communicator;
import io.crosstie.ranks.Data;
import io.crosstie.ranks.Reduction;
import io.crosstie.ranks.Request;
import io.crosstie.ranks.World;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Heat that spreads over a plate: {@code HeatDiffusion [COLUMNS [ROWS [STEPS]]]}. Each rank has
 * some of its rows, and the outermost rows of its neighbours (its halo). While those are on their
 * way it computes the rows that do not need them. Every ten steps all ranks learn the greatest
 * change of any cell. In the end rank 0 has the whole plate, and compares it, bit by bit, with what
 * it comes to by itself.
 *
 * <pre>{@code
 * crosstie run -n 4 -- java -cp ... io.crosstie.examples.ranks.HeatDiffusion
 * }</pre>
 */
public final class HeatDiffusion {
  private static final int UP = 1;
  private static final int DOWN = 2;
  private static final int CHECK_EVERY = 10;
  private static final double RATE = 0.2;

  private final int columns;
  private final int rows;
  private double[][] cells;
  private double[][] next;

  /**
   * Some rows of a plate, all cold but for one corner, with a row of halo above and below.
   *
   * @param first of the rows in the whole plate
   */
  private HeatDiffusion(int columns, int rows, int first) {
    this.columns = columns;
    this.rows = rows;
    this.cells = new double[rows + 2][columns];
    this.next = new double[rows + 2][columns];
    for (int row = 1; row <= rows; row++) {
      for (int column = 0; column < columns; column++) {
        cells[row][column] = first + row - 1 + column < 8 ? 100 : 0;
      }
    }
  }

  /** One row of the next step; at the rim of the plate heat stays inside. */
  private double computeRow(int row) {
    double greatest = 0;
    double[] above = cells[row - 1];
    double[] here = cells[row];
    double[] below = cells[row + 1];
    for (int column = 0; column < columns; column++) {
      double left = here[Math.max(0, column - 1)];
      double right = here[Math.min(columns - 1, column + 1)];
      double change = RATE * (above[column] + below[column] + left + right - 4 * here[column]);
      next[row][column] = here[column] + change;
      greatest = Math.max(greatest, Math.abs(change));
    }
    return greatest;
  }

  private void flip() {
    double[][] before = cells;
    cells = next;
    next = before;
  }

  /** One step of a rank. */
  private double step(Communicator all) {
    boolean isTop = all.rank() == 0;
    boolean isBottom = all.rank() == all.size() - 1;
    List<Request> halo = new ArrayList<>();
    if (isTop) {
      cells[0] = cells[1].clone();
    } else {
      halo.add(all.irecv(cells[0], all.rank() - 1, DOWN));
      halo.add(all.isend(cells[1], all.rank() - 1, UP));
    }
    if (isBottom) {
      cells[rows + 1] = cells[rows].clone();
    } else {
      halo.add(all.irecv(cells[rows + 1], all.rank() + 1, UP));
      halo.add(all.isend(cells[rows], all.rank() + 1, DOWN));
    }
    double greatest = 0;
    for (int row = 2; row < rows; row++) {
      greatest = Math.max(greatest, computeRow(row));
    }
    Request.awaitAll(halo);
    greatest = Math.max(greatest, computeRow(1));
    greatest = Math.max(greatest, computeRow(rows));
    flip();
    return greatest;
  }

  private double[] inOneRow() {
    double[] all = new double[rows * columns];
    for (int row = 0; row < rows; row++) {
      System.arraycopy(cells[row + 1], 0, all, row * columns, columns);
    }
    return all;
  }

  /** The same by one process. */
  private static double[] serial(int columns, int rows, int steps) {
    HeatDiffusion plate = new HeatDiffusion(columns, rows, 0);
    for (int step = 0; step < steps; step++) {
      plate.cells[0] = plate.cells[1].clone();
      plate.cells[rows + 1] = plate.cells[rows].clone();
      for (int row = 1; row <= rows; row++) {
        double unused = plate.computeRow(row);
      }
      plate.flip();
    }
    return plate.inOneRow();
  }

  /** Whether the result is that of one process, as rank 0 finds it; in other ranks true. */
  public static boolean isRight(World world, int columns, int rows, int steps) {
    Communicator all = world.communicator();
    HeatDiffusion mine = new HeatDiffusion(columns, rows, all.rank() * rows);
    double[] greatest = new double[1];
    for (int step = 1; step <= steps; step++) {
      greatest[0] = mine.step(all);
      if (step % CHECK_EVERY == 0) {
        all.allreduce(Data.of(greatest), Data.of(greatest), Reduction.MAX);
      }
    }
    double[] plate = new double[all.rank() == 0 ? all.size() * rows * columns : 0];
    all.gather(Data.of(mine.inOneRow()), Data.of(plate), 0);
    return all.rank() != 0 || Arrays.equals(serial(columns, all.size() * rows, steps), plate);
  }

  /** Columns (64), rows for each rank (16) and steps (100). */
  public static void main(String[] args) {
    int columns = args.length > 0 ? Integer.parseInt(args[0]) : 64;
    int rows = args.length > 1 ? Integer.parseInt(args[1]) : 16;
    int steps = args.length > 2 ? Integer.parseInt(args[2]) : 100;
    Example.run("heat, " + steps + " steps", world -> isRight(world, columns, rows, steps));
  }
}

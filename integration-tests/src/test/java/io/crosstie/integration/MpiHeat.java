// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import java.nio.DoubleBuffer;
import java.util.Arrays;
import mpi.Comm;
import mpi.MPI;
import mpi.MPIException;
import mpi.Request;

/**
 * Heat in a square plate, as a program for Open MPI's Java bindings: {@code MpiHeat N STEPS}. Rows
 * are shared out; each step exchanges the rows at the borders while the others are computed. Rank 0
 * compares the whole plate with what one process comes to, and says {@code right} or {@code wrong}.
 */
final class MpiHeat {
  private static final int UP = 1;
  private static final int DOWN = 2;

  private MpiHeat() {}

  private static double first(int row, int column) {
    return row == 0 ? 100 : (row * 31 + column * 17) % 50;
  }

  /** Where the rows of a rank begin. */
  private static int begin(int n, int size, int rank) {
    return (int) ((long) n * rank / size);
  }

  private static double[] row(double[] above, double[] here, double[] below) {
    int n = here.length;
    double[] next = here.clone();
    for (int x = 1; x < n - 1; x++) {
      next[x] = here[x] + 0.2 * (above[x] + below[x] + here[x - 1] + here[x + 1] - 4 * here[x]);
    }
    return next;
  }

  private static double[][] plate(int n, int from, int to) {
    double[][] rows = new double[to - from][n];
    for (int y = from; y < to; y++) {
      for (int x = 0; x < n; x++) {
        rows[y - from][x] = first(y, x);
      }
    }
    return rows;
  }

  private static double[][] step(double[][] rows, double[] above, double[] below) {
    double[][] next = new double[rows.length][];
    for (int y = 0; y < rows.length; y++) {
      double[] over = y == 0 ? above : rows[y - 1];
      double[] under = y == rows.length - 1 ? below : rows[y + 1];
      boolean edge = over.length == 0 || under.length == 0; // of the plate: stays as it is
      next[y] = edge ? rows[y].clone() : row(over, rows[y], under);
    }
    return next;
  }

  private static double[] read(DoubleBuffer from) {
    double[] row = new double[from.capacity()];
    from.get(0, row);
    return row;
  }

  /** The rows at the borders go to the neighbours, and theirs come. */
  private static double[][] exchange(Comm world, double[][] rows, int up, int down)
      throws MPIException {
    int n = rows[0].length;
    DoubleBuffer[] edges = new DoubleBuffer[4];
    for (int i = 0; i < edges.length; i++) {
      edges[i] = MPI.newDoubleBuffer(n);
    }
    edges[0].put(0, rows[0]);
    edges[1].put(0, rows[rows.length - 1]);
    Request[] all = {
      world.iRecv(edges[2], n, MPI.DOUBLE, up, DOWN),
      world.iRecv(edges[3], n, MPI.DOUBLE, down, UP),
      world.iSend(edges[0], n, MPI.DOUBLE, up, UP),
      world.iSend(edges[1], n, MPI.DOUBLE, down, DOWN)
    };
    Request.waitAll(all);
    double[] none = {};
    return new double[][] {
      up == MPI.PROC_NULL ? none : read(edges[2]), down == MPI.PROC_NULL ? none : read(edges[3])
    };
  }

  private static double[] flat(double[][] rows) {
    return Arrays.stream(rows).flatMapToDouble(Arrays::stream).toArray();
  }

  /** The size of the plate, and how many steps. */
  public static void main(String[] args) throws MPIException {
    String[] own = MPI.Init(args);
    int n = Integer.parseInt(own[0]);
    int steps = Integer.parseInt(own[1]);
    Comm world = MPI.COMM_WORLD;
    int rank = world.getRank();
    int size = world.getSize();
    int up = rank == 0 ? MPI.PROC_NULL : rank - 1;
    int down = rank == size - 1 ? MPI.PROC_NULL : rank + 1;
    double[][] rows = plate(n, begin(n, size, rank), begin(n, size, rank + 1));
    for (int i = 0; i < steps; i++) {
      double[][] borders = exchange(world, rows, up, down);
      rows = step(rows, borders[0], borders[1]);
    }
    double[] hottest = {Arrays.stream(flat(rows)).max().orElse(0)};
    double[] ofAll = new double[1];
    world.allReduce(hottest, ofAll, 1, MPI.DOUBLE, MPI.MAX);
    int[] counts = new int[size];
    int[] places = new int[size];
    for (int i = 0; i < size; i++) {
      places[i] = begin(n, size, i) * n;
      counts[i] = begin(n, size, i + 1) * n - places[i];
    }
    double[] result = new double[n * n];
    world.gatherv(flat(rows), counts[rank], MPI.DOUBLE, result, counts, places, MPI.DOUBLE, 0);
    if (rank == 0) {
      double[][] serial = plate(n, 0, n);
      for (int i = 0; i < steps; i++) {
        serial = step(serial, new double[0], new double[0]);
      }
      boolean right = Arrays.equals(flat(serial), result) && ofAll[0] == 100;
      System.out.println("heat with " + size + " ranks: " + (right ? "right" : "wrong"));
    }
    MPI.Finalize();
  }
}
